// What is under the pointer, in words. One place below the chart, always the same height: nothing jumps.
import type { Point, SeriesFile } from "./data.ts";
import { bare, day, median } from "./format.ts";

export interface Readout {
  root: HTMLElement;
  show(point: Point): void;
}

/** Makes the place; `root` is the way to the folder of the pages. */
export function readout(file: SeriesFile, root: string): Readout {
  const box = document.createElement("div");
  box.className = "readout";
  box.setAttribute("aria-live", "polite");
  return { root: box, show: (point) => box.replaceChildren(...lines(file, point, root)) };
}

function lines(file: SeriesFile, point: Point, root: string): Node[] {
  return [
    line("what", [link(point, root), text(day(point), "date"), ...point.revision.tags.map((tag) => text(tag, "tag"))], point.revision.subject),
    line("figures", [...figures(file, point)], ""),
    line("values", [text(values(file, point), "")], ""),
  ];
}

function figures(file: SeriesFile, point: Point): Node[] {
  const nodes: Node[] = [];
  if (point.summary !== undefined) {
    nodes.push(text(median(file.scale, point), "median"), text(`n = ${point.summary.n}`, ""));
  }
  if (point.change !== undefined) {
    const { text: shown, judged } = point.change;
    nodes.push(text(judged === "unclear" ? shown : `${shown} ${judged}`, judged));
  }
  if (point.begins_run !== undefined) nodes.push(text(`run ${point.begins_run} from here`, ""));
  const isPlain = point.state === "measured" && point.failed === 0 && point.limited === 0;
  if (!isPlain) nodes.push(text(point.state_text, stateClass(point)));
  return nodes;
}

/** Red is what went wrong; to reach a limit is a result. */
function stateClass(point: Point): string {
  if (point.state === "equal") return "";
  const isLimited = point.state === "limit-reached" || (point.state === "measured" && point.limited > 0);
  return isLimited && point.failed === 0 ? "limited" : "failure";
}

/** So many values are told one by one. */
const MOST_VALUES = 30;

function values(file: SeriesFile, point: Point): string {
  if (point.values.length === 0) return "";
  const shown = point.values.slice(0, MOST_VALUES).map((value) => bare(file.scale, value)).join("  ");
  const more = point.values.length - MOST_VALUES;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function line(name: string, nodes: Node[], trailing: string): HTMLElement {
  const element = document.createElement("p");
  element.className = name;
  for (const node of nodes) element.append(node, " ");
  if (trailing !== "") element.append(text(trailing, "subject"));
  return element;
}

function link(point: Point, root: string): HTMLElement {
  const anchor = document.createElement("a");
  anchor.className = "rev";
  anchor.href = root + point.page;
  anchor.textContent = point.short;
  return anchor;
}

function text(content: string, name: string): HTMLElement {
  const span = document.createElement("span");
  if (name !== "") span.className = name;
  span.textContent = content;
  return span;
}
