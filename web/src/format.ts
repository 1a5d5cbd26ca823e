// Numbers and days as text. What is judged or rounded for meaning comes in words from the data.
import type { Point, Scale } from "./data.ts";

/** A value with its unit: `12.34 ms`. */
export function show(scale: Scale, value: number): string {
  return scale.symbol === "" ? bare(scale, value) : `${bare(scale, value)} ${scale.symbol}`;
}

/** A value without its unit, for lists and axes that name it. */
export function bare(scale: Scale, value: number): string {
  return (value / scale.divisor).toFixed(scale.decimals);
}

/** A day in UTC, or nothing for a release. */
export function day(point: Point): string {
  return point.revision.date?.slice(0, 10) ?? "";
}

/** A median and its interval: `12.34 ms (12.30 – 12.41)`; without an interval how many values there are. */
export function median(scale: Scale, point: Point): string {
  const summary = point.summary;
  if (summary === undefined) return "";
  const shown = (summary.is_bound === true ? "> " : "") + show(scale, summary.median);
  if (summary.interval === undefined) return shown;
  const [low, high] = summary.interval;
  return `${shown} (${bare(scale, low)} – ${bare(scale, high)})`;
}
