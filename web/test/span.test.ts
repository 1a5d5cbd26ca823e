import assert from "node:assert/strict";
import { test } from "node:test";
import { isWhole, moved, showing, whole, within, zoomed } from "../src/chart/span.ts";

test("zooming keeps its place, and stops at either end", () => {
  assert.deepEqual(whole(100), { from: -0.5, to: 99.5 });
  assert.deepEqual(zoomed(whole(100), 49.5, 0.5, 100), { from: 24.5, to: 74.5 });
  assert.deepEqual(zoomed({ from: 10, to: 20 }, 15, 1000, 100), whole(100));
  const near = zoomed({ from: 10, to: 20 }, 15, 0.001, 100);
  assert.equal(near.to - near.from, 4);
});

test("moving stops at the ends and keeps its width", () => {
  assert.deepEqual(moved({ from: 0, to: 10 }, 0.5, 100), { from: 5, to: 15 });
  assert.deepEqual(moved({ from: 80, to: 90 }, 9, 100), { from: 89.5, to: 99.5 });
  assert.deepEqual(moved(whole(100), 1, 100), whole(100));
});

test("a place comes into sight by the shortest way", () => {
  assert.deepEqual(showing({ from: 10, to: 20 }, 15, 100), { from: 10, to: 20 });
  assert.deepEqual(showing({ from: 10, to: 20 }, 30, 100), { from: 20.5, to: 30.5 });
  assert.deepEqual(showing({ from: 10, to: 20 }, 0, 100), { from: -0.5, to: 9.5 });
});

test("a short history is always whole", () => {
  assert.ok(isWhole(within({ from: 0, to: 0.1 }, 2), 2));
  assert.ok(isWhole(whole(0), 0));
});
