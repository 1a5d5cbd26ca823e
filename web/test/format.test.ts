import assert from "node:assert/strict";
import { test } from "node:test";
import { bare, day, median, show } from "../src/format.ts";
import { series } from "./fixtures/series.ts";

const scale = { divisor: 1e6, symbol: "ms", decimals: 2 };

test("numbers look as in the tables", () => {
  assert.equal(show(scale, 12_345_678), "12.35 ms");
  assert.equal(bare(scale, 12_345_678), "12.35");
  assert.equal(show({ divisor: 1, symbol: "", decimals: 0 }, 7), "7");
});

test("a median stands with its interval, if there is one", () => {
  const point = series.points[0]!;
  assert.equal(median(series.scale, point), "9.317 ms (9.105 – 9.916)");
  const { interval: _, ...summary } = point.summary!;
  assert.equal(median(series.scale, { ...point, summary }), "9.317 ms");
  const { summary: __, ...without } = point;
  assert.equal(median(series.scale, without), "");
});

test("a release has no day", () => {
  const point = series.points[0]!;
  assert.equal(day(point), "2023-02-01");
  assert.equal(day({ ...point, revision: { ...point.revision, date: null } }), "");
});
