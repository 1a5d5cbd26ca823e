import assert from "node:assert/strict";
import { test } from "node:test";
import { label, ticks } from "../src/chart/axis.ts";
import { whole } from "../src/chart/span.ts";
import { series } from "./fixtures/series.ts";

test("labels are evenly far apart and have room", () => {
  assert.deepEqual(ticks(whole(100), 900, 90), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
  assert.deepEqual(ticks(whole(100), 400, 90), [0, 50]);
  assert.deepEqual(ticks({ from: 11.5, to: 14.5 }, 900, 90), [12, 13, 14]);
  assert.deepEqual(ticks(whole(100), 0, 90), []);
});

test("years of history are labelled by month, less by day, releases by name", () => {
  const { points } = series;
  assert.equal(label(points, 0, whole(points.length)), "2023-02");
  assert.equal(label(points, 0, { from: -0.5, to: 2.5 }), "2023-02-01");
  const first = points[0]!;
  const release = { ...first, short: "1.2", revision: { ...first.revision, date: null } };
  assert.equal(label([release], 0, whole(1)), "1.2");
  assert.equal(label(points, 99, whole(points.length)), "");
});
