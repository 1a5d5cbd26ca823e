// The data of a series, as crates/site/src/data.rs writes it: the contract between the two.
//
// Values are in the metric's base unit (nanoseconds, bytes, or the metric's own). What is absent was not
// measured; it is never 0 instead.

/** The newest format that this program reads. */
export const FORMAT_VERSION = 1;

export interface SeriesFile {
  /** Raised when a reader of the version before would misread the data. */
  format_version: number;
  /** The program under test. */
  subject: string;
  /** The benchmark with its version and parameters, as people read it. */
  title: string;
  benchmark: { name: string; version: number; parameters: Record<string, string | number> };
  metric: Metric;
  /** The machine's name. */
  host: string;
  /** How numbers are shown. */
  scale: Scale;
  /** One a revision, in order of history. */
  points: Point[];
  /** The changes that were found and are still held, in order of history; absent without any. */
  changes?: Found[];
  /** Where quirks begin and end, in order of history; absent without any. */
  quirks?: Edge[];
  /** Stretches in which nothing could be built, in order of history; absent without any. */
  unbuilt?: Stretch[];
}

/** Points in a row that have no build: what changed in there cannot be seen. */
export interface Stretch {
  /** The first and the last of them. */
  from: number;
  to: number;
  /** What became of them, in words. */
  text: string;
}

/** Where revisions begin to be built otherwise than those before. */
export interface Edge {
  /** The first such point. */
  at: number;
  /** What begins and what ends, in words. */
  text: string;
}

/** A change that was found in the series: its numbers are judged, unlike those of neighbouring points. */
export interface Found {
  name: string;
  /** Its page, from the folder of the pages. */
  page: string;
  /** The point that is most likely the first at the new level. */
  at: number;
  /** The first and the last point that it may be. */
  from: number;
  to: number;
  /** The levels before and after; absent where not the level changed. */
  levels?: [number, number];
  judged: "better" | "unclear" | "worse";
  /** Its size and state in words. */
  text: string;
}

export interface Metric {
  name: string;
  unit: "bytes" | "nanoseconds" | { other: string };
  better: "higher" | "lower";
}

export interface Scale {
  /** A value is divided by this, */
  divisor: number;
  /** then has this unit (empty: a bare number), */
  symbol: string;
  /** and so many digits behind the point. */
  decimals: number;
}

export interface Point {
  revision: Revision;
  /** The revision's name as people write it. */
  short: string;
  /** Its page, from the folder of the pages. */
  page: string;
  state: State;
  /** The state in words, with what went wrong. */
  state_text: string;
  /** The full name of the revision that was measured in its stead: both built to the same program. */
  equal_to?: string;
  /** What the values say; absent without values. */
  summary?: Summary;
  /** The difference to the measured revision before; absent for the first. */
  change?: Change;
  /**
   * The run that begins here, where nothing links it to the runs of the measured point before: what the host did
   * between the two runs is part of their difference.
   */
  begins_run?: number;
  /** The values that count, in the order in which they were taken. */
  values: number[];
  /** How many executions failed. */
  failed: number;
  /** How many executions reached a limit: their values, not among those above, would have been more. */
  limited: number;
}

export interface Revision {
  /** The commit's hash, or the release as published. */
  id: string;
  /** Its place in history, larger is later. */
  order: number;
  /** Empty for releases. */
  author: string;
  /** When it was committed (RFC 3339); null for releases. */
  date: string | null;
  /** The first line of its message; empty for releases. */
  subject: string;
  tags: string[];
}

export type State =
  | "build-failed"
  | "build-skipped"
  | "build-timed-out"
  | "equal"
  | "executions-failed"
  | "limit-reached"
  | "measured"
  | "not-measured";

export interface Summary {
  /** How many values. */
  n: number;
  median: number;
  q1: number;
  q3: number;
  /** Where the population's median is with 95 % confidence; absent below six values. */
  interval?: [number, number];
  /** Whether the median is only known to be more than this: executions reached a limit. */
  is_bound?: true;
}

export interface Change {
  /** As a share of the earlier median: 0.02 is 2 % more. */
  share: number;
  /** The same for people: `+2.00 %`. */
  text: string;
  /** Better or worse where both medians have intervals and those do not overlap; a hint, not a verdict. */
  judged: "better" | "unclear" | "worse";
}

/** Takes what a page's data script left, or says in words why not. */
export function accept(found: unknown): SeriesFile | string {
  if (typeof found !== "object" || found === null || !("format_version" in found)) {
    return "The data of this chart could not be loaded. The table below has the numbers.";
  }
  const version = Number(found.format_version);
  if (!(version <= FORMAT_VERSION)) {
    return (
      `The data has format ${version}, this page's script reads up to ${FORMAT_VERSION}. ` +
      "Write the pages again with one version of tacho. The table below has the numbers."
    );
  }
  return found as SeriesFile;
}
