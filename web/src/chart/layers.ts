// What the chart library does not draw itself: samples, markers, tags, and what failed.
import type uPlot from "uplot";
import type { Edge, Found, Point, Stretch } from "../data.ts";
import type { Columns } from "./columns.ts";
import { fitted, sideOf } from "./label.ts";
import type { Level } from "./levels.ts";
import { failureOf, isBound, runBorders } from "./point_state.ts";
import type { Theme } from "./theme.ts";

/** What the layers draw, asked for at each drawing. */
export interface Scene {
  points: Point[];
  changes: Found[];
  levels: Level[];
  quirks: Edge[];
  unbuilt: Stretch[];
  data: Columns;
  theme: Theme;
}

/** Of more borders of runs in sight each has a short mark only. */
const MOST_BORDERS = 12;

/** Where one drawing takes place, in the canvas' own pixels. */
interface Stage {
  ctx: CanvasRenderingContext2D;
  box: uPlot.BBox;
  /** Canvas pixels of one pixel on the page. */
  pixel: number;
  /** Canvas pixels between neighbouring revisions. */
  step: number;
  first: number;
  last: number;
  x: (place: number) => number;
  y: (value: number) => number;
}

function stage(u: uPlot, count: number): Stage {
  const from = u.scales["x"]?.min ?? 0;
  const to = u.scales["x"]?.max ?? count;
  return {
    ctx: u.ctx,
    box: u.bbox,
    pixel: u.bbox.width / Math.max(u.over.clientWidth, 1),
    step: u.bbox.width / Math.max(to - from, 1e-9),
    first: Math.max(0, Math.floor(from)),
    last: Math.min(count - 1, Math.ceil(to)),
    x: (place) => u.valToPos(place, "x", true),
    y: (value) => u.valToPos(value, "y", true),
  };
}

/** Draws within the plotting area only, and leaves no trace in the context. */
function clipped(s: Stage, draw: () => void): void {
  const { ctx, box } = s;
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.left, box.top, box.width, box.height);
  ctx.clip();
  draw();
  ctx.restore();
}

/** Behind the lines: tags, then every sample; those beyond the edge as triangles on it. */
export function behind(u: uPlot, { points, changes, quirks, unbuilt, data, theme }: Scene): void {
  const s = stage(u, points.length);
  drawTags(s, points, theme);
  clipped(s, () => {
    drawUnbuilt(s, unbuilt, theme);
    drawRanges(s, changes, theme);
    drawRuns(s, points, theme);
    drawQuirks(s, quirks, theme);
    drawSamples(s, data, theme);
  });
}

/** A grey stripe over what could not be built. */
function drawUnbuilt(s: Stage, unbuilt: Stretch[], theme: Theme): void {
  const { ctx, box } = s;
  ctx.save();
  ctx.fillStyle = theme.muted;
  ctx.globalAlpha = 0.14;
  for (const { from, to } of unbuilt) {
    const left = s.x(from - 0.5);
    ctx.fillRect(left, box.top, s.x(to + 0.5) - left, box.height);
  }
  ctx.restore();
}

/** A dashed line with its name before a revision from which on another run measured; of many in sight only a mark on top. */
function drawRuns(s: Stage, points: Point[], theme: Theme): void {
  const { ctx, box, pixel } = s;
  const borders = runBorders(points, s.first, s.last);
  const few = borders.length <= MOST_BORDERS;
  const height = few ? box.height : 12 * pixel;
  ctx.save();
  ctx.strokeStyle = theme.muted;
  ctx.fillStyle = theme.muted;
  ctx.font = theme.font.replace("12px", `${11 * pixel}px`);
  ctx.textAlign = "left";
  ctx.textBaseline = "bottom";
  ctx.lineWidth = pixel;
  ctx.setLineDash([8 * pixel, 4 * pixel]);
  ctx.beginPath();
  for (const at of borders) {
    const x = Math.round(s.x(at - 0.5)) + 0.5 * pixel;
    ctx.moveTo(x, box.top);
    ctx.lineTo(x, box.top + height);
    if (few) ctx.fillText(`run ${points[at]?.begins_run}`, x + 4 * pixel, box.top + box.height - 14 * pixel);
  }
  ctx.stroke();
  ctx.restore();
}

/** Where each change is: a stripe as wide as its place is uncertain, in the colour of what it did. */
function drawRanges(s: Stage, changes: Found[], theme: Theme): void {
  const { ctx, box, pixel } = s;
  ctx.save();
  for (const { from, to, judged } of changes) {
    const left = Math.min(s.x(from - 0.5), s.x(from) - pixel);
    const right = Math.max(s.x(to) + pixel, s.x(from - 0.5) + 2 * pixel);
    ctx.fillStyle = judged === "worse" ? theme.worse : theme.better;
    ctx.globalAlpha = 0.16;
    ctx.fillRect(left, box.top, right - left, box.height);
  }
  ctx.restore();
}

/** A line before the first revision that is built otherwise, with what begins or ends written along it. */
function drawQuirks(s: Stage, quirks: Edge[], theme: Theme): void {
  const { ctx, box, pixel } = s;
  ctx.save();
  ctx.strokeStyle = theme.text;
  ctx.fillStyle = theme.text;
  ctx.lineWidth = pixel;
  ctx.font = theme.font.replace("12px", `${11 * pixel}px`);
  // The axes leave theirs.
  ctx.textAlign = "left";
  const room = box.height - 8 * pixel;
  for (const { at, text } of quirks) {
    const x = Math.round(s.x(at - 0.5)) + 0.5 * pixel;
    const isLeft = sideOf(x, 17 * pixel, box.left) === "left";
    ctx.beginPath();
    ctx.moveTo(x, box.top);
    ctx.lineTo(x, box.top + box.height);
    ctx.stroke();
    ctx.save();
    ctx.textBaseline = isLeft ? "bottom" : "top";
    ctx.translate(x + (isLeft ? -3 : 3) * pixel, box.top + box.height - 4 * pixel);
    ctx.rotate(-Math.PI / 2);
    ctx.fillText(fitted(text, room, (part) => ctx.measureText(part).width), 0, 0);
    ctx.restore();
  }
  ctx.restore();
}

/** The level of each stretch between two changes, and a mark on top of each change: up or down as it went. */
function drawLevels(s: Stage, { changes, levels, theme }: Scene): void {
  const { ctx, box, pixel } = s;
  ctx.save();
  ctx.strokeStyle = theme.text;
  ctx.lineWidth = 1.5 * pixel;
  ctx.setLineDash([6 * pixel, 4 * pixel]);
  ctx.beginPath();
  for (const { from, to, value } of levels) {
    ctx.moveTo(s.x(from), s.y(value));
    ctx.lineTo(s.x(to), s.y(value));
  }
  ctx.stroke();
  ctx.setLineDash([]);
  for (const { at, judged, levels: both } of changes) {
    const mark = new Path2D();
    const rises = both === undefined || both[1] > both[0];
    const tip = rises ? box.top + pixel : box.top + 11 * pixel;
    triangle(mark, s.x(at), tip, 6 * pixel, rises ? 1 : -1);
    ctx.fillStyle = judged === "worse" ? theme.worse : theme.better;
    ctx.fill(mark);
  }
  ctx.restore();
}

function drawSamples(s: Stage, data: Columns, theme: Theme): void {
  const { ctx, box } = s;
  const radius = Math.min(Math.max(s.step * 0.12, 1.1 * s.pixel), 2.2 * s.pixel);
  // With room the samples of a revision stand side by side, in the order in which they were taken.
  const spread = s.step > 14 * s.pixel ? s.step * 0.5 : 0;
  const dots = new Path2D();
  const beyond = new Path2D();
  for (let place = s.first; place <= s.last; place++) {
    const values = data.samples[place] ?? [];
    values.forEach((value, number) => {
      const offset = values.length > 1 ? (number / (values.length - 1) - 0.5) * spread : 0;
      const x = s.x(place) + offset;
      const y = s.y(value);
      if (y < box.top) triangle(beyond, x, box.top + s.pixel, 3.5 * s.pixel, 1);
      else if (y > box.top + box.height) triangle(beyond, x, box.top + box.height - s.pixel, 3.5 * s.pixel, -1);
      else circle(dots, x, y, radius);
    });
  }
  ctx.fillStyle = theme.sample;
  ctx.fill(dots);
  ctx.fillStyle = theme.muted;
  ctx.fill(beyond);
}

/** A line for each tag, and its name above the plotting area where there is room. */
function drawTags(s: Stage, points: Point[], theme: Theme): void {
  const { ctx, box, pixel } = s;
  ctx.save();
  ctx.strokeStyle = theme.muted;
  ctx.fillStyle = theme.muted;
  ctx.lineWidth = pixel;
  ctx.font = theme.font.replace("12px", `${11 * pixel}px`);
  ctx.textAlign = "center";
  ctx.textBaseline = "bottom";
  ctx.setLineDash([pixel, 3 * pixel]);
  let free = 0;
  for (let place = s.first; place <= s.last; place++) {
    const tag = points[place]?.revision.tags[0];
    const x = Math.round(s.x(place)) + 0.5 * pixel;
    if (tag === undefined || x < box.left || x > box.left + box.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, box.top);
    ctx.lineTo(x, box.top + box.height);
    ctx.stroke();
    const half = ctx.measureText(tag).width / 2;
    if (x - half < free) continue;
    ctx.fillText(tag, x, box.top - 3 * pixel);
    free = x + half + 6 * pixel;
  }
  ctx.restore();
}

/** In front of the lines: a marker a revision when there is room, what reached a limit, and along the bottom what failed. */
export function inFront(u: uPlot, scene: Scene): void {
  const { points, data, theme } = scene;
  const s = stage(u, points.length);
  clipped(s, () => {
    drawLevels(s, scene);
    if (s.step >= 6 * s.pixel) drawMarkers(s, points, data, theme);
    drawBounds(s, points, data, theme);
    drawFailures(s, points, theme);
  });
}

/** Full where the revision was measured, hollow where another was in its stead. */
function drawMarkers(s: Stage, points: Point[], data: Columns, theme: Theme): void {
  const { ctx } = s;
  const full = new Path2D();
  const hollow = new Path2D();
  const radius = Math.min(Math.max(s.step * 0.2, 2 * s.pixel), 3.5 * s.pixel);
  for (let place = s.first; place <= s.last; place++) {
    const median = data.median[place];
    // What is only known to be more has an arrow instead.
    if (typeof median !== "number" || isBound(points[place])) continue;
    circle(points[place]?.state === "equal" ? hollow : full, s.x(place), s.y(median), radius);
  }
  ctx.lineWidth = 1.5 * s.pixel;
  ctx.strokeStyle = theme.median;
  ctx.fillStyle = theme.median;
  ctx.fill(full);
  ctx.fillStyle = theme.surface;
  ctx.fill(hollow);
  ctx.stroke(hollow);
}

/** Along the bottom a cross for no build, a bar for a build whose executions all failed. */
function drawFailures(s: Stage, points: Point[], theme: Theme): void {
  const { ctx, box, pixel } = s;
  const size = Math.min(Math.max(s.step * 0.4, 1.5 * pixel), 4 * pixel);
  const y = box.top + box.height - 7 * pixel;
  ctx.strokeStyle = theme.failure;
  ctx.lineWidth = 1.5 * pixel;
  ctx.beginPath();
  for (let place = s.first; place <= s.last; place++) {
    const failure = failureOf(points[place]);
    if (failure === undefined) continue;
    const x = s.x(place);
    ctx.moveTo(x - size, y - size);
    ctx.lineTo(x + size, y + size);
    if (failure === "bar") continue;
    ctx.moveTo(x - size, y + size);
    ctx.lineTo(x + size, y - size);
  }
  ctx.stroke();
}

/** An arrow up from where the median is at least; where not even that is known, along the bottom a dash. */
function drawBounds(s: Stage, points: Point[], data: Columns, theme: Theme): void {
  const { ctx, box, pixel } = s;
  const head = Math.min(Math.max(s.step * 0.4, 2 * pixel), 4 * pixel);
  ctx.save();
  ctx.strokeStyle = theme.median;
  ctx.lineWidth = 1.5 * pixel;
  ctx.beginPath();
  for (let place = s.first; place <= s.last; place++) {
    if (!isBound(points[place])) continue;
    const median = data.median[place];
    const isKnown = typeof median === "number";
    const foot = isKnown ? s.y(median) : box.top + box.height - 7 * pixel;
    // Its head stays in sight, also of a bound at the upper edge.
    const tip = Math.max(foot - 13 * pixel, box.top + pixel);
    const x = s.x(place);
    ctx.moveTo(x - head, foot);
    ctx.lineTo(x + head, foot);
    if (!isKnown) continue;
    ctx.moveTo(x, foot);
    ctx.lineTo(x, tip);
    ctx.moveTo(x - head, tip + head);
    ctx.lineTo(x, tip);
    ctx.lineTo(x + head, tip + head);
  }
  ctx.stroke();
  ctx.restore();
}

function circle(path: Path2D, x: number, y: number, radius: number): void {
  path.moveTo(x + radius, y);
  path.arc(x, y, radius, 0, 2 * Math.PI);
}

/** Pointing up (1) or down (-1), with its tip at the place. */
function triangle(path: Path2D, x: number, y: number, size: number, up: 1 | -1): void {
  path.moveTo(x, y);
  path.lineTo(x - size, y + up * size * 1.4);
  path.lineTo(x + size, y + up * size * 1.4);
  path.closePath();
}
