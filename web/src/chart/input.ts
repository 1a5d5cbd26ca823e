// Wheel, pointer, finger and keys, turned into what a chart can do.
import type uPlot from "uplot";

export interface Moves {
  /** Points at a place in history, and brings it into sight. */
  point(place: number): void;
  /** Points at the place under the pointer. */
  hover(place: number): void;
  /** Points at the next place to the left or right. */
  step(by: number): void;
  /** Zooms by a factor (below 1: in), about a place or about what is pointed at. */
  zoom(factor: number, about?: number): void;
  /** Moves by a share of the width. */
  pan(share: number): void;
  all(): void;
  /** Opens the page of what is pointed at. */
  open(inNewTab: boolean): void;
  /** What is pointed at. */
  at(): number;
  isWhole(): boolean;
  count: number;
}

/** How long a click waits for a second one, which would make it a double click, in milliseconds. */
const DOUBLE = 250;

/** How far a pointer may move in a click, in pixels. */
const STILL = 4;

export function listen(u: uPlot, holder: HTMLElement, moves: Moves): void {
  wheel(u, holder, moves);
  pointer(u, moves);
  holder.addEventListener("keydown", (event) => {
    if (event.target === holder && key(event, moves)) event.preventDefault();
  });
}

/**
 * The wheel zooms with a modifier key, or when the chart has the focus: a page that is scrolled past a chart
 * must not be caught by it. (Pinching a touch pad comes as wheel with control.)
 */
function wheel(u: uPlot, holder: HTMLElement, moves: Moves): void {
  u.over.addEventListener(
    "wheel",
    (event) => {
      const isMeant = event.ctrlKey || event.metaKey || event.shiftKey || document.activeElement === holder;
      if (!isMeant) return;
      event.preventDefault();
      const along = Math.abs(event.deltaX) > Math.abs(event.deltaY) && !event.shiftKey;
      if (along) return moves.pan(event.deltaX / Math.max(u.over.clientWidth, 1));
      const left = event.clientX - u.over.getBoundingClientRect().left;
      moves.zoom(Math.exp((event.deltaY || event.deltaX) * 0.0015), u.posToVal(left, "x"));
    },
    { passive: false },
  );
}

function pointer(u: uPlot, moves: Moves): void {
  let down = { x: 0, y: 0, at: -1, isTouch: false };
  let waiting = 0;
  u.over.addEventListener("pointerdown", (event) => {
    down = { x: event.clientX, y: event.clientY, at: moves.at(), isTouch: event.pointerType === "touch" };
  });
  u.over.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") moves.point(placeOf(u, event, moves));
  });
  u.over.addEventListener("mousemove", (event) => moves.hover(placeOf(u, event, moves)));
  u.over.addEventListener("click", (event) => {
    if (Math.hypot(event.clientX - down.x, event.clientY - down.y) > STILL) return;
    const place = placeOf(u, event, moves);
    moves.point(place);
    // A finger has no way to point without touching: the first tap points, the second opens.
    if (down.isTouch) {
      if (down.at === place) moves.open(false);
      return;
    }
    const inNewTab = event.ctrlKey || event.metaKey;
    window.clearTimeout(waiting);
    waiting = window.setTimeout(() => moves.open(inNewTab), moves.isWhole() ? 0 : DOUBLE);
  });
  u.over.addEventListener("dblclick", () => {
    if (down.isTouch) return;
    window.clearTimeout(waiting);
    moves.all();
  });
}

function placeOf(u: uPlot, event: MouseEvent, moves: Moves): number {
  const left = event.clientX - u.over.getBoundingClientRect().left;
  return Math.min(Math.max(Math.round(u.posToVal(left, "x")), 0), moves.count - 1);
}

/** Whether the key meant something. */
function key(event: KeyboardEvent, moves: Moves): boolean {
  if (event.altKey || event.ctrlKey || event.metaKey) return false;
  const meanings: Record<string, () => void> = {
    ArrowLeft: () => moves.step(event.shiftKey ? -10 : -1),
    ArrowRight: () => moves.step(event.shiftKey ? 10 : 1),
    End: () => moves.point(moves.count - 1),
    Enter: () => moves.open(false),
    Escape: () => moves.all(),
    Home: () => moves.point(0),
    PageDown: () => moves.pan(0.5),
    PageUp: () => moves.pan(-0.5),
    "+": () => moves.zoom(0.5),
    "-": () => moves.zoom(2),
    "0": () => moves.all(),
    "=": () => moves.zoom(0.5),
  };
  const meaning = meanings[event.key];
  meaning?.();
  return meaning !== undefined;
}
