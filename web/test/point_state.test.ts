import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf, isBound, runBorders } from "../src/chart/point_state.ts";
import type { Point, State } from "../src/data.ts";
import { series } from "./fixtures/series.ts";

const measured = series.points[0] as Point;
const without = (state: State): Point => {
  const { summary: _, ...rest } = measured;
  return { ...rest, state, values: [] };
};

test("to reach a limit is no failure", () => {
  assert.equal(failureOf(without("limit-reached")), undefined);
  assert.equal(failureOf(without("executions-failed")), "bar");
  assert.equal(failureOf(without("build-timed-out")), "cross");
  assert.deepEqual([failureOf(measured), failureOf(undefined)], [undefined, undefined]);
});

test("a bound is marked whether or not it is known how large it is", () => {
  const summary = { n: 6, median: 5, q1: 5, q3: 5, is_bound: true } as const;
  assert.ok(isBound({ ...measured, state: "limit-reached", summary }));
  assert.ok(isBound({ ...measured, summary }), "more than half reached it");
  assert.ok(isBound(without("limit-reached")), "a metric of which more is better has no bound");
  assert.ok(!isBound({ ...measured, limited: 1 }), "where few reached it the median is known");
  assert.ok(!isBound(without("executions-failed")) && !isBound(undefined));
});

test("a run begins where the point says so", () => {
  const points = [measured, { ...measured, begins_run: 2 }, measured, { ...measured, begins_run: 3 }];
  assert.deepEqual(runBorders(points, 0, 3), [1, 3]);
  assert.deepEqual(runBorders(points, 2, 9), [3]);
});
