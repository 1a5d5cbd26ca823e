import assert from "node:assert/strict";
import { test } from "node:test";
import { labels, ticks } from "../src/chart/axis.ts";
import { whole } from "../src/chart/span.ts";
import { series } from "./fixtures/series.ts";

test("labels are evenly far apart and have room", () => {
  assert.deepEqual(ticks(whole(100), 900, 90), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
  assert.deepEqual(ticks(whole(100), 400, 90), [0, 50]);
  assert.deepEqual(ticks({ from: 11.5, to: 14.5 }, 900, 90), [12, 13, 14]);
  assert.deepEqual(ticks(whole(100), 0, 90), []);
});

test("labels are months where these differ, else days, and names of releases", () => {
  const first = series.points[0]!;
  const dated = (date: string | null, short: string) =>
    ({ ...first, short, revision: { ...first.revision, date } });
  const days = ["2023-02-01", "2023-02-20", "2023-04-01"].map((date) => dated(date, "x"));
  assert.deepEqual(labels(days, [0, 2]), ["2023-02", "2023-04"]);
  assert.deepEqual(labels(days, [0, 1, 2]), ["2023-02-01", "2023-02-20", "2023-04-01"]);
  assert.deepEqual(labels(days, [0]), ["2023-02-01"]);
  assert.deepEqual(labels([dated(null, "1.2")], [0, 99]), ["1.2", ""]);
});
