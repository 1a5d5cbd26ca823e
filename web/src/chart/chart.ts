// The chart of a series: samples as dots, their median as a line with its interval, over revisions in order of
// history. It puts the parts together; what they do is in their own files.
import uPlot from "uplot";
import type { SeriesFile } from "../data.ts";
import { fromHash, toHash } from "../hash.ts";
import { type Readout, readout } from "../readout.ts";
import { labels, ticks } from "./axis.ts";
import { columns, height } from "./columns.ts";
import { listen, type Moves } from "./input.ts";
import { behind, inFront, type Scene } from "./layers.ts";
import { levels } from "./levels.ts";
import { isWhole, moved, showing, type Span, whole, within, zoomed } from "./span.ts";
import { onThemeChange, theme } from "./theme.ts";
import { type Actions, toolbar } from "./toolbar.ts";

/** Pixels that a label of the horizontal axis takes. */
const LABEL_WIDTH = 90;

/** Pixels that the labels of the vertical axis take. */
const AXIS_WIDTH = 56;

/** Draws a chart into a place of the page; `root` is the way to the folder of the pages. */
export function chart(holder: HTMLElement, file: SeriesFile, root: string): void {
  new Chart(holder, file, root);
}

/** What a chart is told to show, and what it points at. */
class Chart implements Moves {
  readonly count: number;
  span: Span;
  fromZero = false;
  readonly scene: Scene;
  private place: number;
  private readonly words: Readout;
  private readonly plot = plot();
  private readonly u: uPlot;

  constructor(
    holder: HTMLElement,
    readonly file: SeriesFile,
    private readonly root: string,
  ) {
    this.count = file.points.length;
    const changes = file.changes ?? [];
    this.scene = {
      points: file.points,
      changes,
      levels: levels(changes, file.points.length, file.scale.divisor),
      quirks: file.quirks ?? [],
      unbuilt: file.unbuilt ?? [],
      data: columns(file),
      theme: theme(holder),
    };
    this.span = fromHash(file.points, location.hash) ?? whole(this.count);
    this.place = latest(file);
    this.words = readout(file, root);
    this.plot.setAttribute("aria-label", `${file.title}, ${file.metric.name}. ${KEYS}`);
    holder.replaceChildren(this.bar(), this.plot, this.words.root, help());
    const { place, high, low, median } = this.scene.data;
    this.u = new uPlot({ ...this.size(), ...options(this) }, [place, high, low, median], this.plot);
    this.tell();
    this.mark();
    this.listen(holder);
  }

  private listen(holder: HTMLElement): void {
    listen(this.u, this.plot, this);
    new ResizeObserver(() => {
      this.u.batch(() => this.u.setSize(this.size()));
      this.mark();
    }).observe(this.plot);
    onThemeChange(() => {
      this.scene.theme = theme(holder);
      this.u.redraw(false, true);
    });
    window.addEventListener("hashchange", () => {
      this.show(fromHash(this.file.points, location.hash) ?? whole(this.count));
    });
  }

  private bar(): HTMLElement {
    const actions: Actions = {
      zoomIn: () => this.zoom(0.5),
      zoomOut: () => this.zoom(2),
      all: () => this.all(),
      fromZero: (on) => {
        this.fromZero = on;
        this.show(this.span);
      },
    };
    const { metric, scale } = this.file;
    return toolbar(actions, scale.symbol === "" ? metric.name : `${metric.name}, ${scale.symbol}`);
  }

  private size(): { width: number; height: number } {
    const width = this.plot.clientWidth;
    return { width, height: width < 600 ? 260 : 360 };
  }

  show(span: Span): void {
    this.span = within(span, this.count);
    this.u.batch(() => this.u.setScale("x", { min: this.span.from, max: this.span.to }));
    this.mark();
    const hash = toHash(this.file.points, this.isWhole() ? null : this.span);
    history.replaceState(null, "", hash || location.pathname + location.search);
  }

  // The library moves its mark with the pointer only; whatever else changes what is pointed at, or where that is
  // on the screen, comes here.
  private mark(): void {
    const median = this.scene.data.median[this.place];
    const top = typeof median === "number" ? this.u.valToPos(median, "y") : 0;
    this.u.setCursor({ left: this.u.valToPos(this.place, "x"), top });
  }

  private tell(): void {
    const point = this.file.points[this.place];
    if (!point) return;
    this.words.show(point);
    this.plot.classList.toggle("hollow", point.state === "equal");
  }

  at(): number {
    return this.place;
  }

  isWhole(): boolean {
    return isWhole(this.span, this.count);
  }

  hover(place: number): void {
    if (place === this.place) return;
    this.place = place;
    this.tell();
  }

  point(place: number): void {
    this.hover(place);
    const span = showing(this.span, place, this.count);
    if (span.from === this.span.from) this.mark();
    else this.show(span);
  }

  step(by: number): void {
    this.point(Math.min(Math.max(this.place + by, 0), this.count - 1));
  }

  zoom(factor: number, about = this.place): void {
    this.show(zoomed(this.span, about, factor, this.count));
  }

  pan(share: number): void {
    this.show(moved(this.span, share, this.count));
  }

  all(): void {
    this.show(whole(this.count));
  }

  open(inNewTab: boolean): void {
    const page = this.file.points[this.place]?.page;
    if (page === undefined) return;
    if (inNewTab) window.open(this.root + page);
    else location.assign(this.root + page);
  }
}

const KEYS = "Arrow keys move over revisions, Enter opens one, plus and minus zoom, Escape shows all.";

function plot(): HTMLElement {
  const element = document.createElement("div");
  element.className = "plot";
  element.tabIndex = 0;
  element.setAttribute("role", "application");
  return element;
}

/** The last place that has values. */
function latest(file: SeriesFile): number {
  const place = file.points.findLastIndex((point) => point.summary !== undefined);
  return Math.max(place, 0);
}

/** What the library has to know. */
function options(chart: Chart): Omit<uPlot.Options, "width" | "height"> {
  const { scene } = chart;
  const colour = (name: keyof typeof scene.theme) => () => scene.theme[name];
  const invisible: uPlot.Series = { stroke: "transparent", points: { show: false }, spanGaps: false };
  const axis: uPlot.Axis = { stroke: colour("muted"), font: scene.theme.font };
  return {
    legend: { show: false },
    padding: [20, 8, 0, 0],
    scales: {
      x: { time: false, range: () => [chart.span.from, chart.span.to] },
      y: { range: () => height(scene.data, chart.span, chart.fromZero) },
    },
    series: [
      {},
      invisible,
      invisible,
      { class: "median", stroke: colour("median"), width: 1.5, points: { show: false }, spanGaps: true },
    ],
    bands: [{ series: [1, 2], fill: colour("band") }],
    axes: [
      {
        ...axis,
        size: 32,
        grid: { show: false },
        ticks: { stroke: colour("line"), width: 1, size: 5 },
        splits: (u) => ticks(chart.span, u.width - AXIS_WIDTH, LABEL_WIDTH),
        values: (_, places) => labels(chart.file.points, places),
      },
      { ...axis, size: AXIS_WIDTH, gap: 6, grid: { stroke: colour("line"), width: 1 }, ticks: { show: false } },
    ],
    cursor: {
      y: false,
      // What is a click is decided with all other input, not here.
      drag: { x: true, y: false, setScale: false, dist: 5, click: () => {} },
      // Its colours and the ring around it are the style sheet's.
      points: { size: 8, width: 1.5, fill: (_, n) => (n === 3 ? "var(--pointed)" : "transparent"), stroke: (_, n) => (n === 3 ? "var(--median)" : "transparent") },
      move: (u, left, top) => (left < 0 ? [left, top] : [u.valToPos(u.posToIdx(left), "x"), top]),
      bind: { dblclick: () => null },
    },
    hooks: {
      drawAxes: [(u) => behind(u, scene)],
      draw: [(u) => inFront(u, scene)],
      setSelect: [
        (u) => {
          if (u.select.width < 5) return;
          // From one revision to another, both in sight.
          const place = (left: number) => Math.round(u.posToVal(left, "x"));
          chart.show({ from: place(u.select.left) - 0.5, to: place(u.select.left + u.select.width) + 0.5 });
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
}

function help(): HTMLElement {
  const text = document.createElement("figcaption");
  text.textContent =
    "Dots are samples, the line their median, the band its 95 % interval. Hollow: equal to another revision. " +
    "Dashed: the levels between changes; a stripe is where a change may be. " +
    "A full line: a quirk begins or ends. " +
    "Dashed from top to bottom: another run begins, and nothing links it to the run before. " +
    "Grey: nothing could be built, and nothing is judged. " +
    "× did not build, \\ failed whenever executed, ↑ reached a limit: the median is more than this, – the same without a value, ▲ samples beyond the edge. " +
    "Drag, or wheel with Ctrl, to zoom; double-click for all; click to open a revision.";
  return text;
}
