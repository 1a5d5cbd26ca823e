import assert from "node:assert/strict";
import { test } from "node:test";
import { fitted, sideOf } from "../src/chart/label.ts";

test("text stands where it is not cut off", () => {
  assert.equal(sideOf(100, 15, 60), "left");
  assert.equal(sideOf(75, 15, 60), "left");
  assert.equal(sideOf(74, 15, 60), "right");
  assert.equal(sideOf(60, 15, 60), "right");
});

test("text that is too long ends with a mark, never squeezed", () => {
  const measure = (text: string) => 6 * [...text].length;
  assert.equal(fitted("from here with libc", 1000, measure), "from here with libc");
  assert.equal(fitted("from here with libc", 19 * 6, measure), "from here with libc");
  assert.equal(fitted("from here with libc", 12 * 6, measure), "from here w…");
  assert.equal(fitted("from here with libc", 11 * 6, measure), "from here…");
  assert.equal(fitted("from here with libc", 6, measure), "");
});
