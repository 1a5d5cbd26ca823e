import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHash, toHash } from "../src/hash.ts";
import { series } from "./fixtures/series.ts";

const { points } = series;

test("a span survives the way through the address", () => {
  const span = { from: 1.5, to: 6.5 };
  assert.deepEqual(fromHash(points, toHash(points, span)), span);
});

test("all of history needs no address, and an unknown revision gives all", () => {
  assert.equal(toHash(points, null), "");
  assert.equal(fromHash(points, ""), null);
  assert.equal(fromHash(points, "#from=nobody&to=knows"), null);
  assert.equal(fromHash(points, `#from=${points[5]!.short}&to=${points[2]!.short}`), null);
});

test("a release's name may hold anything", () => {
  const odd = points.map((point, place) => ({ ...point, short: `1&to=#%${place}` }));
  assert.deepEqual(fromHash(odd, toHash(odd, { from: 0.5, to: 3.5 })), { from: 0.5, to: 3.5 });
});
