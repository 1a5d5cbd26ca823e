// Where what is written along a line in the chart stands, and how much of it.

/** On which side of a line at x text of that height stands: on its left, unless it would be cut off there. */
export function sideOf(x: number, height: number, left: number): "left" | "right" {
  return x - height < left ? "right" : "left";
}

/** As much of the text as is no wider than that, with a mark where the rest is missing. */
export function fitted(text: string, width: number, measure: (text: string) => number): string {
  if (measure(text) <= width) return text;
  const letters = [...text];
  let shown = 0;
  while (shown < letters.length && measure(`${letters.slice(0, shown + 1).join("")}…`) <= width) shown++;
  return shown === 0 ? "" : `${letters.slice(0, shown).join("").trimEnd()}…`;
}
