// The levels between changes, as stretches of points.
import type { Found } from "../data.ts";

/** From one point to another the series was at that level. */
export interface Level {
  from: number;
  to: number;
  /** In the unit that is shown. */
  value: number;
}

/** The stretches between changes of level, which are in order; none without a change. A level is so many of the unit that is shown. */
export function levels(changes: Found[], count: number, divisor: number): Level[] {
  const known = changes.flatMap(({ at, levels: both }) =>
    both === undefined ? [] : [{ at, before: both[0] / divisor, after: both[1] / divisor }],
  );
  const first = known[0];
  if (first === undefined) return [];
  const begun = { from: 0, to: first.at - 1, value: first.before };
  const after = known.map(({ at, after: value }, place) => ({ from: at, to: (known[place + 1]?.at ?? count) - 1, value }));
  return [begun, ...after];
}
