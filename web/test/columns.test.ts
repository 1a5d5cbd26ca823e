import assert from "node:assert/strict";
import { test } from "node:test";
import { type Columns, columns, height } from "../src/chart/columns.ts";
import { whole } from "../src/chart/span.ts";
import { series } from "./fixtures/series.ts";

test("columns are in the unit that is shown, with gaps where nothing was measured", () => {
  const data = columns(series);
  assert.deepEqual(data.place, series.points.map((_, place) => place));
  assert.equal(data.median[0], 9.3170315);
  assert.equal(data.low[0], 9.104572);
  const unbuilt = series.points.findIndex((point) => point.state === "build-failed");
  assert.equal(data.median[unbuilt], null);
  assert.deepEqual(data.samples[unbuilt], []);
});

function flat(samples: number[][]): Columns {
  const middle = samples.map((values) => values[0] ?? null);
  return { place: samples.map((_, place) => place), median: middle, low: middle, high: middle, samples };
}

test("one disturbed sample does not flatten the rest", () => {
  const [low, high] = height(flat([[100, 101, 99], [100, 500]]), whole(2), false);
  assert.ok(low < 99 && low > 90, String(low));
  assert.ok(high > 101 && high < 110, String(high));
});

test("noise alone fills a twentieth of its height at most", () => {
  const [low, high] = height(flat([[100], [100.01]]), whole(2), false);
  assert.ok(high - low >= 5, `${low} – ${high}`);
});

test("from zero is from zero, and never below what cannot be negative", () => {
  assert.equal(height(flat([[100], [200]]), whole(2), true)[0], 0);
  assert.equal(height(flat([[1], [200]]), whole(2), false)[0], 0);
  assert.ok(height(flat([[-5], [5]]), whole(2), false)[0] < -5);
});

test("only what is in sight decides", () => {
  const [, high] = height(flat([[1], [2], [1000]]), { from: -0.5, to: 1.5 }, false);
  assert.ok(high < 5, String(high));
  assert.deepEqual(height(flat([[], []]), whole(2), false), [0, 1]);
  assert.deepEqual(height(flat([[0]]), whole(1), false), [-1, 1]);
});
