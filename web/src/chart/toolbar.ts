// The buttons above a chart: all that pointer and wheel do, for those who have neither.

export interface Actions {
  zoomIn(): void;
  zoomOut(): void;
  all(): void;
  fromZero(on: boolean): void;
}

export function toolbar(actions: Actions, caption: string): HTMLElement {
  const bar = document.createElement("div");
  bar.className = "toolbar";
  const what = document.createElement("span");
  what.className = "unit";
  what.textContent = caption;
  bar.append(
    what,
    toggle("From zero", actions.fromZero),
    button("−", "Zoom out", actions.zoomOut),
    button("+", "Zoom in", actions.zoomIn),
    button("All", "Show all of history", actions.all),
  );
  return bar;
}

function button(face: string, name: string, act: () => void): HTMLElement {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = face;
  element.title = name;
  element.setAttribute("aria-label", name);
  element.addEventListener("click", act);
  return element;
}

function toggle(name: string, act: (on: boolean) => void): HTMLElement {
  const label = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.addEventListener("change", () => act(box.checked));
  label.append(box, ` ${name}`);
  return label;
}
