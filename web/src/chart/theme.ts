// The chart's colours: those of the style sheet, so that there is one place for them, dark or light.

export interface Theme {
  text: string;
  muted: string;
  line: string;
  surface: string;
  median: string;
  sample: string;
  band: string;
  failure: string;
  better: string;
  worse: string;
  font: string;
}

export function theme(holder: HTMLElement): Theme {
  const style = getComputedStyle(holder);
  const named = (name: string) => style.getPropertyValue(`--${name}`).trim() || style.color;
  return {
    text: named("text"),
    muted: named("muted"),
    line: named("line"),
    surface: named("surface"),
    median: named("median"),
    sample: named("sample"),
    band: named("band"),
    failure: named("worse"),
    better: named("better"),
    worse: named("worse"),
    font: `12px ${style.fontFamily}`,
  };
}

/** Calls back whenever the colours may have changed: another scheme, or paper. */
export function onThemeChange(changed: () => void): void {
  for (const query of ["(prefers-color-scheme: dark)", "print"]) {
    window.matchMedia(query).addEventListener("change", changed);
  }
}
