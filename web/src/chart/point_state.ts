// What stands at a revision beside its median: it failed, reached a limit (the two are not the same), or begins a run.
import type { Point, State } from "../data.ts";

/** How a failure is drawn: a cross where there is no build, a bar where all executions failed. */
export type Failure = "bar" | "cross";

const FAILURES: Partial<Record<State, Failure>> = {
  "build-failed": "cross",
  "build-timed-out": "cross",
  "executions-failed": "bar",
};

export function failureOf(point: Point | undefined): Failure | undefined {
  return point === undefined ? undefined : FAILURES[point.state];
}

/** Whether executions reached a limit, so that no more is known than that the median is above it; or not even that. */
export function isBound(point: Point | undefined): boolean {
  return point?.state === "limit-reached" || point?.summary?.is_bound === true;
}

/** The points in sight at which a run begins that did not measure the point before. */
export function runBorders(points: Point[], first: number, last: number): number[] {
  const borders: number[] = [];
  for (let place = first; place <= last; place++) {
    if (points[place]?.begins_run !== undefined) borders.push(place);
  }
  return borders;
}
