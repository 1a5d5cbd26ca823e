// The part of history that a chart shows: moved and zoomed by pure functions.

/** Between two places in history; half a place of room on either side. */
export interface Span {
  from: number;
  to: number;
}

/** So many revisions stay in sight however far one zooms in. */
const FEWEST = 4;

/** All of a history of so many revisions. */
export function whole(count: number): Span {
  return { from: -0.5, to: Math.max(count, 1) - 0.5 };
}

/** Whether a span shows everything. */
export function isWhole(span: Span, count: number): boolean {
  const all = whole(count);
  return span.from <= all.from && span.to >= all.to;
}

/** Kept within history, and not too narrow. */
export function within(span: Span, count: number): Span {
  const all = whole(count);
  const width = Math.min(Math.max(span.to - span.from, FEWEST), all.to - all.from);
  const middle = (span.from + span.to) / 2;
  const from = Math.min(Math.max(middle - width / 2, all.from), all.to - width);
  return { from, to: from + width };
}

/** Zoomed by a factor (below 1: in) about a place that stays where it is. */
export function zoomed(span: Span, about: number, factor: number, count: number): Span {
  const from = about - (about - span.from) * factor;
  return within({ from, to: from + (span.to - span.from) * factor }, count);
}

/** Moved by a share of its width. */
export function moved(span: Span, share: number, count: number): Span {
  const by = (span.to - span.from) * share;
  return within({ from: span.from + by, to: span.to + by }, count);
}

/** Moved as little as need be to show a place. */
export function showing(span: Span, place: number, count: number): Span {
  const left = Math.min(place - 0.5 - span.from, 0);
  const right = Math.max(place + 0.5 - span.to, 0);
  return within({ from: span.from + left + right, to: span.to + left + right }, count);
}
