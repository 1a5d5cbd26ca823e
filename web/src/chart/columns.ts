// A series as columns of numbers in the unit that is shown, as the chart library wants them.
import type { Point, SeriesFile } from "../data.ts";
import type { Span } from "./span.ts";

export interface Columns {
  /** The place in history. */
  place: number[];
  median: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  /** The samples of each place. */
  samples: number[][];
}

export function columns(file: SeriesFile): Columns {
  const scaled = (value: number | undefined) => (value === undefined ? null : value / file.scale.divisor);
  const of = (pick: (point: Point) => number | undefined) => file.points.map((point) => scaled(pick(point)));
  return {
    place: file.points.map((_, place) => place),
    median: of((point) => point.summary?.median),
    low: of((point) => point.summary?.interval?.[0]),
    high: of((point) => point.summary?.interval?.[1]),
    samples: file.points.map((point) => point.values.map((value) => value / file.scale.divisor)),
  };
}

/** The least height of a chart as a share of the median: below it, noise would look like news. */
const LEAST_HEIGHT = 0.05;

/** How far beyond the medians and quartiles a sample may lie and still make room for itself. */
const REACH = 0.6;

/**
 * From where to where the vertical axis goes in a span of history.
 *
 * All medians with their intervals are in it, and the samples, but for those far outside: one disturbed
 * execution must not flatten everything else. Those are marked at the edge.
 */
export function height(data: Columns, span: Span, fromZero: boolean): [number, number] {
  const core: number[] = [];
  const samples: number[] = [];
  const first = Math.max(0, Math.ceil(span.from));
  const last = Math.min(data.place.length - 1, Math.floor(span.to));
  for (let place = first; place <= last; place++) {
    for (const value of [data.median[place], data.low[place], data.high[place]]) {
      if (typeof value === "number") core.push(value);
    }
    samples.push(...(data.samples[place] ?? []));
  }
  if (core.length === 0) return [0, 1];
  let [low, high] = [Math.min(...core), Math.max(...core)];
  const reach = Math.max((high - low) * REACH, Math.abs((low + high) / 2) * LEAST_HEIGHT);
  const near = samples.filter((value) => value >= low - reach && value <= high + reach);
  low = Math.min(low, ...near);
  high = Math.max(high, ...near);
  const lack = Math.max(Math.abs((low + high) / 2) * LEAST_HEIGHT - (high - low), 0) / 2;
  const room = (high - low) * 0.06 + lack;
  if (high - low + room === 0) return [low - 1, high + 1];
  if (fromZero) return [Math.min(0, low - room), Math.max(0, high + room)];
  // Nothing that is measured here is below zero unless a sample is.
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + room];
}
