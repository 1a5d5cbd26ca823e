// The part of history that is shown, kept in the address: by revision, so that it stays right as history grows.
import type { Point } from "./data.ts";
import type { Span } from "./chart/span.ts";

/** `#from=0123abcdef&to=…`, or nothing when all is shown. */
export function toHash(points: Point[], span: Span | null): string {
  const from = span && points[Math.max(0, Math.ceil(span.from))];
  const to = span && points[Math.min(points.length - 1, Math.floor(span.to))];
  if (!from || !to) return "";
  return `#from=${encodeURIComponent(from.short)}&to=${encodeURIComponent(to.short)}`;
}

/** The span that an address names, if both its revisions are known. */
export function fromHash(points: Point[], hash: string): Span | null {
  const named = new URLSearchParams(hash.replace(/^#/, ""));
  const place = (name: string) => {
    const short = named.get(name);
    return short === null ? -1 : points.findIndex((point) => point.short === short);
  };
  const [from, to] = [place("from"), place("to")];
  return from < 0 || to <= from ? null : { from: from - 0.5, to: to + 0.5 };
}
