import type { Ask } from "./ask.ts";

/** The parts of the screen that can be seen alone. */
export type PanelName = "turns" | "findings" | "diff" | "cost" | "lane" | "events";

/** What lies over the screen. */
export type Overlay =
  | { readonly kind: "help" | "graph" }
  | { readonly kind: "confirm"; readonly ask: Ask; readonly text: string }
  | { readonly kind: "input"; readonly ask: Ask; readonly text: string };

/** What a person has done to the screen. */
export interface Ui {
  /** Id of a phase; `""`: the plan, or a run. */
  readonly selected: string;
  /** Where the keys for moving go. */
  readonly focus: "list" | PanelName;
  /** Whether the panel in focus has the whole screen. */
  readonly isZoomed: boolean;
  /** Lines that the panel in focus, or what lies over the screen, is scrolled. */
  readonly scroll: number;
  readonly overlay: Overlay | undefined;
  /** What became of the last decision. */
  readonly note: { readonly text: string; readonly isBad: boolean } | undefined;
}

export const FRESH: Ui = {
  selected: "",
  focus: "list",
  isZoomed: false,
  scroll: 0,
  overlay: undefined,
  note: undefined,
};

/** Of a terminal, in cells. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Below this there is one line. */
export const SMALLEST: Size = { columns: 60, rows: 16 };

/** From this on there are panels side by side. */
const WIDE: Size = { columns: 120, rows: 30 };

export function isTiny({ columns, rows }: Size): boolean {
  return columns < SMALLEST.columns || rows < SMALLEST.rows;
}

export function isWide({ columns, rows }: Size): boolean {
  return columns >= WIDE.columns && rows >= WIDE.rows;
}
