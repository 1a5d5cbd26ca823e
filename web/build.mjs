// Builds dist/ (`npm run build`), or the tests for node's own runner (`node build.mjs --tests`).
import { readdirSync, readFileSync } from "node:fs";
import { build } from "esbuild";

const licence = readFileSync("node_modules/uplot/LICENSE", "utf8").trim();
const banner = `/*! Tachograph's front end, built from web/src: change it there, then \`npm run build\`.

Contains uPlot (https://github.com/leeoniya/uPlot):

${licence}
*/`;

if (process.argv.includes("--tests")) {
  const tests = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
  await build({
    entryPoints: tests.map((name) => `test/${name}`),
    outdir: ".test",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    sourcemap: "inline",
  });
} else {
  // Readable on purpose: what is committed must be reviewable.
  await build({
    entryPoints: { app: "src/main.ts" },
    outdir: "dist",
    bundle: true,
    format: "iife",
    target: "es2020",
    charset: "utf8",
    banner: { js: banner },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  await build({
    entryPoints: { app: "src/style/app.css" },
    outdir: "dist",
    bundle: true,
    charset: "utf8",
    target: ["chrome111", "firefox113", "safari16.4"],
    banner: { css: banner },
  });
}
