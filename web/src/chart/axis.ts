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

/** What labels at these places say: the month where that tells them apart, else the day; a release
 * its name. */
export function labels(points: Point[], places: number[]): string[] {
  const months = places.map((place) => named(points[place], 7));
  const days = places.map((place) => named(points[place], 10));
  const dated = months.filter((month) => month !== "");
  return dated.length > 1 && new Set(dated).size === dated.length ? months : days;
}

/** So many characters of the date of a point, or the name of its release. */
function named(point: Point | undefined, characters: number): string {
  return point?.revision.date?.slice(0, characters) ?? point?.short ?? "";
}
