import { needsText } from "./ask.ts";
import type { Action, Binding } from "./keys.ts";
import { panelsOf } from "./keys.ts";
import type { Shown } from "./shown.ts";
import type { Ask } from "./ask.ts";
import type { PanelName, Ui } from "./ui.ts";

/** What a key has to be followed by, beside another frame. */
export type Effect =
  | { readonly type: "quit" }
  | { readonly type: "decide"; readonly ask: Ask; readonly text: string };

export interface Pressed {
  readonly ui: Ui;
  readonly effect?: Effect | undefined;
}

/** What a press of a key is judged by. */
export interface Around {
  readonly shown: Shown;
  /** Ids of the rows of the list, from top to bottom. */
  readonly ids: readonly string[];
  readonly bindings: readonly Binding[];
  /** As far as the panel in focus can be scrolled. */
  readonly mostScroll: number;
  /** Whether its panel shows first what is newest, at its end. */
  readonly scrollsUp: boolean;
}

/** What becomes of the screen when a key is pressed. One that does nothing here changes nothing. */
export function press(ui: Ui, key: string, around: Around): Pressed {
  const typed = ui.overlay?.kind === "input" ? typedInto(ui, key) : undefined;
  if (typed !== undefined) return { ui: typed };
  const action = around.bindings.find(({ keys }) => keys.includes(key))?.action;
  return action === undefined ? { ui } : act({ ...ui, note: undefined }, action, around);
}

/** Most characters of what is typed. */
const MOST_TYPED = 4000;

/** @returns `undefined` where the key is no text. */
function typedInto(ui: Ui, key: string): Ui | undefined {
  const { overlay } = ui;
  if (overlay?.kind !== "input") return undefined;
  const { text } = overlay;
  if (key === "backspace") return { ...ui, overlay: { ...overlay, text: withoutLast(text) } };
  if (Array.from(key).length !== 1) return undefined;
  return { ...ui, overlay: { ...overlay, text: (text + key).slice(0, MOST_TYPED) } };
}

function withoutLast(text: string): string {
  return Array.from(text).slice(0, -1).join("");
}

/** Text that was pasted: typed where one types, and nothing anywhere else. */
export function paste(ui: Ui, text: string): Ui {
  const { overlay } = ui;
  if (overlay?.kind !== "input") return ui;
  const pasted = text.replaceAll(/\s+/gu, " ");
  return { ...ui, overlay: { ...overlay, text: (overlay.text + pasted).slice(0, MOST_TYPED) } };
}

/** Keys that only move: of them alone several may come at once, when a key is held over a slow line. */
const MOVES: ReadonlySet<string> = new Set(["j", "k"]);

/** Characters that came at once are text where one types; anywhere else they may be text, too, and decide nothing. */
export function burst(ui: Ui, text: string): { readonly ui: Ui; readonly keys: readonly string[] } {
  if (ui.overlay?.kind === "input") return { ui: paste(ui, text), keys: [] };
  return { ui, keys: Array.from(text).filter((char) => MOVES.has(char)) };
}

function act(ui: Ui, action: Action, around: Around): Pressed {
  switch (action.type) {
    case "move":
      return { ui: { ...ui, selected: moved(ui.selected, action.by, around.ids), scroll: 0 } };
    case "select":
      return { ui: { ...ui, selected: action.id, scroll: 0 } };
    case "scroll":
      return { ui: { ...ui, scroll: scrolled(ui.scroll, action.by, around) } };
    case "zoom":
      return { ui: { ...ui, focus: action.panel, isZoomed: true, scroll: 0 } };
    case "enter":
      return { ui: { ...ui, focus: entered(ui), isZoomed: true, scroll: 0 } };
    case "tab":
      return { ui: { ...ui, focus: next(ui, action.by, around.shown), scroll: 0 } };
    case "ask": {
      const kind = needsText(action.ask) ? "input" : "confirm";
      return { ui: { ...ui, overlay: { kind, ask: action.ask, text: "" }, scroll: 0 } };
    }
    case "open":
      return { ui: { ...ui, overlay: { kind: action.what }, scroll: 0 } };
    case "confirm":
      return confirmed(ui);
    case "back":
      return { ui: backFrom(ui) };
    case "quit":
      return { ui, effect: { type: "quit" } };
  }
}

function moved(selected: string, by: number, ids: readonly string[]): string {
  const at = Math.max(0, ids.indexOf(selected));
  return ids[Math.min(ids.length - 1, Math.max(0, at + by))] ?? selected;
}

function scrolled(scroll: number, by: number, { mostScroll, scrollsUp }: Around): number {
  const from = Math.min(scroll, mostScroll);
  return Math.min(mostScroll, Math.max(0, from + (scrollsUp ? -by : by)));
}

function entered({ focus }: Ui): PanelName {
  return focus === "list" ? "turns" : focus;
}

function next({ focus, isZoomed }: Ui, by: number, shown: Shown): Ui["focus"] {
  const all =
    isZoomed || shown.kind === "run" ? panelsOf(shown) : (["list", ...panelsOf(shown)] as const);
  const at = all.findIndex((panel) => panel === focus);
  return all[(at + by + all.length) % all.length] ?? focus;
}

function confirmed(ui: Ui): Pressed {
  const { overlay } = ui;
  if (overlay?.kind === "input") {
    const text = overlay.text.trim();
    return text === "" ? { ui } : { ui: { ...ui, overlay: { ...overlay, kind: "confirm", text } } };
  }
  if (overlay?.kind !== "confirm") return { ui };
  const { ask, text } = overlay;
  return { ui: { ...ui, overlay: undefined }, effect: { type: "decide", ask, text } };
}

function backFrom(ui: Ui): Ui {
  if (ui.overlay !== undefined) return { ...ui, overlay: undefined, scroll: 0 };
  return { ...ui, isZoomed: false, focus: "list", scroll: 0 };
}
