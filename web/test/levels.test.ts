import assert from "node:assert/strict";
import { test } from "node:test";
import { levels } from "../src/chart/levels.ts";
import type { Found } from "../src/data.ts";

function found(at: number, both?: [number, number]): Found {
  const change: Found = { name: "a", page: "", at, from: at, to: at, judged: "worse", text: "" };
  return both === undefined ? change : { ...change, levels: both };
}

test("levels reach from change to change and to both ends", () => {
  assert.deepEqual(levels([found(4, [1, 2]), found(7, [2, 1.5])], 10, 1), [
    { from: 0, to: 3, value: 1 },
    { from: 4, to: 6, value: 2 },
    { from: 7, to: 9, value: 1.5 },
  ]);
});

test("a change of something else than the level leaves it as it is", () => {
  assert.deepEqual(levels([found(2), found(4, [1, 2])], 6, 1), [
    { from: 0, to: 3, value: 1 },
    { from: 4, to: 5, value: 2 },
  ]);
  assert.deepEqual(levels([found(2)], 6, 1), []);
});

test("levels are in the unit that is shown", () => {
  assert.deepEqual(levels([found(1, [100_000_000, 150_000_000])], 2, 1_000_000), [
    { from: 0, to: 0, value: 100 },
    { from: 1, to: 1, value: 150 },
  ]);
});
