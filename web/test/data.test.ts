import assert from "node:assert/strict";
import { test } from "node:test";
import { accept, FORMAT_VERSION, type State } from "../src/data.ts";
import { series } from "./fixtures/series.ts";

test("what the serialiser writes is accepted, and has every state that the chart draws", () => {
  assert.equal(accept(series), series);
  const states = new Set(series.points.map((point) => point.state));
  const drawn: State[] = ["measured", "equal", "build-failed", "build-timed-out", "executions-failed"];
  for (const state of drawn) assert.ok(states.has(state), state);
});

test("newer data and no data are refused in words", () => {
  const newer = accept({ ...series, format_version: FORMAT_VERSION + 1 });
  assert.match(String(newer), /format 2, this page's script reads up to 1/);
  assert.match(String(accept(undefined)), /could not be loaded/);
  assert.match(String(accept({ format_version: "?" })), /format NaN/);
});
