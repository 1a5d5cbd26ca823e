// The labels of the horizontal axis: days for commits, names for releases.
import type { Point } from "../data.ts";
import type { Span } from "./span.ts";

/** Places with a label on an axis so wide, evenly far apart, each with room for its label. */
export function ticks(span: Span, width: number, labelWidth: number): number[] {
  const first = Math.ceil(span.from);
  const last = Math.floor(span.to);
  const pixels = width / (span.to - span.from);
  if (!(pixels > 0)) return [];
  const step = niceStep(labelWidth / pixels);
  const places: number[] = [];
  for (let place = step * Math.ceil(Math.max(first, 0) / step); place <= last; place += step) {
    if ((span.to - place) * pixels > labelWidth / 3) places.push(place);
  }
  return places;
}

/** 1, 2, 5, 10, 20, 50 … */
function niceStep(least: number): number {
  for (let power = 1; ; power *= 10) {
    for (const digit of [1, 2, 5]) if (digit * power >= least) return digit * power;
  }
}

/** What a label says: the month in years of history, the day in less, a release its name. */
export function label(points: Point[], place: number, span: Span): string {
  const point = points[place];
  if (point === undefined) return "";
  const date = point.revision.date;
  if (date === null) return point.short;
  const days = (at: number) => Date.parse(points[at]?.revision.date ?? date) / 86_400_000;
  const first = Math.max(0, Math.ceil(span.from));
  const last = Math.min(points.length - 1, Math.floor(span.to));
  return days(last) - days(first) > 400 ? date.slice(0, 7) : date.slice(0, 10);
}
