// Pages of a fictitious lab, opened from disk in Chromium: with and without script, wide and
// narrow, dark and light. `node --test tests/browser/*.test.mjs`, after `npm ci` in web/.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = new URL("../../", import.meta.url);
const { chromium } = createRequire(new URL("web/package.json", root))("playwright-core");

const pages = new URL("target/fixture-site/", root);
const SERIES = "series/grind,batch=64.wall.mill.html";
const data = () => JSON.parse(readFileSync(new URL("data/grind,batch=64.wall.mill.json", pages), "utf8"));

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let browser;

before(async () => {
  const folder = fileURLToPath(pages);
  const cwd = fileURLToPath(root);
  const options = { cwd, stdio: ["ignore", "ignore", "inherit"] };
  // Of the whole workspace, which is what `cargo test` has compiled already.
  execFileSync("cargo", ["build", "--quiet", "--workspace", "--example", "fixture"], options);
  const target = resolve(cwd, process.env.CARGO_TARGET_DIR ?? "target");
  execFileSync(`${target}/debug/examples/fixture`, [folder], options);
  const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));
  assert.ok(executablePath, "Chromium is needed: install it, or name it in CHROMIUM");
  // Playwright gives it an empty profile of its own.
  browser = await chromium.launch({ executablePath, args: FLAGS, headless: true });
});

after(() => browser?.close());

/** A page that must neither complain nor ask anything of the network. */
async function open(path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => /^(file|data):/.test(request.url()) || complaints.push(request.url()));
  page.on("requestfailed", (request) => complaints.push(`${request.url()} failed`));
  page.setDefaultTimeout(10_000);
  await page.goto(new URL(path, pages).href);
  return {
    page,
    done: async () => {
      assert.deepEqual(complaints, []);
      await context.close();
    },
  };
}

/** How many pixels of the chart are not see-through. */
const inked = (page) =>
  page.evaluate(() => {
    const canvas = document.querySelector(".plot canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 3; at < data.length; at += 4) if (data[at] > 0) count++;
    return count;
  });

/** Where the place of a revision is on the screen. */
async function spot(page, place, count) {
  const box = await page.locator(".u-over").boundingBox();
  return { x: box.x + ((place + 0.5) / count) * box.width, y: box.y + box.height / 2 };
}

const everyPage = async () => {
  const { page, done } = await open("revisions.html");
  const hrefs = await page.locator("tbody a.rev").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  await done();
  const change = readdirSync(new URL("change/", pages)).map((name) => `change/${name}`)[0];
  const others = ["bisections.html", "comparisons.html", "comparison/1.html", "runs/1.html", "runs/2.html", change];
  return ["index.html", "revisions.html", "runs.html", SERIES, "series/sift.peak-memory.kiln.html", ...others, hrefs[0], hrefs[8]];
};

test("no page complains, none asks the network, none is wider than a phone", async () => {
  for (const path of await everyPage()) {
    const { page, done } = await open(path, { viewport: { width: 360, height: 740 } });
    await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `${path} is ${width} pixels wide`);
    await done();
  }
});

test("all columns of a comparison are on a page of 1200 pixels", async () => {
  const viewport = { width: 1200, height: 800 };
  const { page, done } = await open("comparison/1.html", { viewport });
  const table = page.locator(".scroll:has(table.answer)").first();
  const [inner, outer] = await table.evaluate((box) => [box.scrollWidth, box.clientWidth]);
  assert.ok(inner <= outer, `the table has ${inner} pixels, and the page ${outer}`);
  await done();
});

test("the chart is drawn", async () => {
  const { page, done } = await open(SERIES);
  await page.waitForSelector(".plot canvas");
  assert.ok((await inked(page)) > 5000);
  await done();
});

test("what is written along a quirk's line lies within the chart", async () => {
  const { page, done } = await open(SERIES);
  await page.waitForSelector(".plot canvas");
  await page.evaluate(() => {
    const { fillText } = CanvasRenderingContext2D.prototype;
    window.written = [];
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y, most) {
      const { actualBoundingBoxLeft: left, actualBoundingBoxRight: right } = this.measureText(text);
      const at = this.getTransform();
      // Turned by a quarter, what is to the right of it goes up.
      const from = at.transformPoint({ x: x - left, y });
      const to = at.transformPoint({ x: x + right, y });
      if (at.b < 0) window.written.push({ text, from: from.y, to: to.y, height: this.canvas.height });
      return most === undefined ? fillText.call(this, text, x, y) : fillText.call(this, text, x, y, most);
    };
  });
  await page.locator("button", { hasText: "+" }).click();
  await page.waitForFunction(() => window.written.length > 0);
  const written = await page.evaluate(() => window.written);
  for (const { text, from, to, height } of written) {
    assert.ok(text.includes("barley-header") && from <= height && to >= 0 && from > to, JSON.stringify(written));
  }
  await done();
});

test("pointing at a revision tells of it", async () => {
  const { points, scale } = data();
  const { page, done } = await open(SERIES);
  for (const place of [7, 60, 97, 150]) {
    const { x, y } = await spot(page, place, points.length);
    await page.mouse.move(x, y);
    const told = await page.locator(".readout").innerText();
    const point = points[place];
    assert.ok(told.includes(point.short) && told.includes(point.revision.subject), told);
    assert.ok(told.includes(point.revision.date.slice(0, 10)), told);
    if (point.summary) assert.ok(told.includes((point.summary.median / scale.divisor).toFixed(scale.decimals)), told);
    else assert.ok(told.includes("build timed out"), told);
  }
  await done();
});

test("a click opens the revision's page", async () => {
  const { points } = data();
  const { page, done } = await open(SERIES);
  const { x, y } = await spot(page, 60, points.length);
  await page.mouse.click(x, y);
  await page.waitForURL((url) => url.pathname.endsWith(points[60].page));
  assert.ok((await page.locator("h1").innerText()).includes(points[60].short));
  await done();
});

test("dragging zooms, the address remembers, a double click shows all", async () => {
  const { points } = data();
  const { page, done } = await open(SERIES);
  const from = await spot(page, 40, points.length);
  const to = await spot(page, 80, points.length);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL((url) => url.hash !== "");
  const zoomed = page.url();
  assert.match(zoomed, new RegExp(`#from=${points[40].short}|#from=${points[41].short}`));
  assert.match(zoomed, new RegExp(`to=${points[79].short}|to=${points[80].short}`));

  const again = await open(SERIES + new URL(zoomed).hash);
  const left = await again.page.locator(".u-over").boundingBox();
  await again.page.mouse.move(left.x + 2, left.y + 50);
  const told = await again.page.locator(".readout").innerText();
  assert.ok([40, 41].some((place) => told.includes(points[place].short)), told);
  await again.done();

  await page.mouse.dblclick((from.x + to.x) / 2, from.y);
  await page.waitForURL((url) => url.hash === "");
  await done();
});

test("the wheel scrolls the page, and zooms with Ctrl", async () => {
  const { points } = data();
  const { page, done } = await open(SERIES);
  const { x, y } = await spot(page, 80, points.length);
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, 200);
  await page.waitForFunction(() => window.scrollY > 0);
  assert.equal(new URL(page.url()).hash, "");
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -400);
  await page.keyboard.up("Control");
  await page.waitForURL((url) => url.hash.startsWith("#from="));
  await done();
});

test("all of it can be done from the keyboard", async () => {
  const { points } = data();
  const { page, done } = await open(SERIES);
  await page.locator(".plot").focus();
  const told = () => page.locator(".readout").innerText();
  await page.keyboard.press("Home");
  assert.ok((await told()).includes(points[0].short));
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.ok((await told()).includes(points[2].short));
  await page.keyboard.press("+");
  await page.waitForURL((url) => url.hash.startsWith("#from="));
  await page.keyboard.press("End");
  assert.ok((await told()).includes(points.at(-1).short));
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => url.hash === "");
  await page.keyboard.press("Shift+ArrowLeft");
  assert.ok((await told()).includes(points.at(-11).short));
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname.endsWith(points.at(-11).page));
  await done();
});

test("what is pointed at is filled in a ring, and hollow only when equal to another", async () => {
  const { points } = data();
  const { page, done } = await open(SERIES);
  const look = () =>
    page.locator(".u-cursor-pt.median").evaluate((mark) => {
      const { backgroundColor, borderColor, boxShadow } = getComputedStyle(mark);
      return { filled: backgroundColor === borderColor, ring: boxShadow !== "none" };
    });
  await page.locator(".plot").focus();
  await page.keyboard.press("Home");
  for (let place = 0; place < 15; place++) {
    assert.deepEqual(await look(), { filled: points[place].state !== "equal", ring: true }, points[place].state);
    await page.keyboard.press("ArrowRight");
  }
  await done();
});

test("on a phone the subject is seen without scrolling", async () => {
  for (const path of ["revisions.html", SERIES]) {
    const { page, done } = await open(path, { viewport: { width: 400, height: 800 } });
    const shown = await page.locator("th.rev[data-subject]").last().evaluate((head) => {
      const { content, display } = getComputedStyle(head, "::after");
      return { right: head.getBoundingClientRect().right, told: content.includes(head.dataset.subject), display };
    });
    assert.ok(shown.right <= 400 && shown.told && shown.display !== "none", JSON.stringify(shown));
    await done();
  }
});

test("a finger points first and opens second", async () => {
  const { points } = data();
  const { page, done } = await open(SERIES, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  const { x, y } = await spot(page, 90, points.length);
  await page.touchscreen.tap(x, y);
  const told = await page.locator(".readout a.rev").innerText();
  assert.ok(points.slice(88, 93).some((point) => point.short === told), told);
  assert.ok(page.url().includes("/series/"));
  await page.touchscreen.tap(x, y);
  await page.waitForURL((url) => url.pathname.includes("/revision/"));
  await done();
});

test("without script the page has a picture and all numbers", async () => {
  const { points, scale } = data();
  const { page, done } = await open(SERIES, { javaScriptEnabled: false });
  assert.equal(await page.locator("figure.chart svg.still").count(), 1);
  const rows = await page.locator("table.series tbody tr").all();
  assert.equal(rows.length, points.length);
  // Each value has four digits and its unit.
  const shown = (value) => `${Number((value / scale.divisor).toPrecision(4))} ms`;
  const numeric = (text) => text.replace(/\.0+(?= ms)|(?<=\.\d*[1-9])0+(?= ms)/g, "");
  for (const [number, row] of rows.entries()) {
    const point = points[points.length - 1 - number];
    const cells = await row.locator("th, td").allInnerTexts();
    const { n = "", median, interval } = point.summary ?? {};
    assert.deepEqual(cells.slice(0, 5).map(numeric), [
      point.short,
      point.revision.date.slice(0, 10),
      String(n),
      median === undefined ? "" : shown(median),
      interval ? interval.map(shown).join(" … ") : "",
    ]);
    assert.equal(cells[6], point.change?.text ?? "");
    assert.equal(cells[7], point.change && point.change.judged !== "unclear" ? point.change.judged : "");
    const border = point.begins_run === undefined ? "" : `run ${point.begins_run} from here `;
    assert.equal(cells[8], border + point.state_text);
  }
  await done();
});

test("dark is dark, and the chart with it", async () => {
  const light = { dark: 0, light: 1 };
  for (const colorScheme of Object.keys(light)) {
    const { page, done } = await open(SERIES, { colorScheme });
    const brightness = await page.evaluate(() => {
      const [r, g, b] = getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g).map(Number);
      return (r + g + b) / 3 / 255;
    });
    assert.ok(Math.abs(brightness - light[colorScheme]) < 0.2, `${colorScheme}: ${brightness}`);
    await done();
  }
  const { page, done } = await open(SERIES, { colorScheme: "dark" });
  const picture = () => page.evaluate(() => document.querySelector(".plot canvas").toDataURL());
  const before = await picture();
  await page.emulateMedia({ colorScheme: "light" });
  await page.waitForFunction((before) => document.querySelector(".plot canvas").toDataURL() !== before, before);
  await done();
});

test("data of a newer format is refused in words, and the picture stays", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => {
    let found;
    Object.defineProperty(window, "TACHO", { get: () => found, set: (data) => (found = { ...data, format_version: 99 }) });
  });
  await page.goto(new URL(SERIES, pages).href);
  assert.match(await page.locator(".chart .callout").innerText(), /format 99/);
  assert.equal(await page.locator("svg.still").count(), 1);
  await context.close();
});

test("names that are markup stay names", async () => {
  const { page, done } = await open("revisions.html");
  const subjects = await page.locator("td.subject").allInnerTexts();
  assert.ok(subjects.includes("build: accept oak as well as <beech>"));
  assert.equal(await page.locator("beech").count(), 0);
  await done();
});
