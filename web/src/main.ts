// The start: finds the chart's place on the page and its data, and puts the one into the other.
import { chart } from "./chart/chart.ts";
import { accept } from "./data.ts";

declare global {
  interface Window {
    /** Left by `data/SERIES.js`. */
    TACHO?: unknown;
  }
}

const holder = document.querySelector<HTMLElement>("[data-chart]");
if (holder !== null) {
  const data = accept(window.TACHO);
  if (typeof data === "string") {
    const message = document.createElement("p");
    message.className = "callout";
    message.textContent = data;
    holder.prepend(message);
  } else {
    chart(holder, data, holder.dataset["chart"] ?? "");
  }
}
