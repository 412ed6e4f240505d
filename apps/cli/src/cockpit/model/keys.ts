import { asksOf, type Ask, needsText, type Verb } from "./ask.ts";
import { fleetOf, phaseOf, runOf, type Shown } from "./shown.ts";
import { isTiny, isWide, type PanelName, type Size, type Ui } from "./ui.ts";

/** What a key does. */
export type Action =
  | { readonly type: "move"; readonly by: number }
  | { readonly type: "select"; readonly id: string }
  | { readonly type: "scroll"; readonly by: number }
  | { readonly type: "zoom"; readonly panel: PanelName }
  | { readonly type: "tab"; readonly by: 1 | -1 }
  | { readonly type: "ask"; readonly ask: Ask }
  | { readonly type: "open"; readonly what: "help" | "graph" }
  | { readonly type: "confirm" | "enter" | "back" | "quit" };

/** A key that does something where one is now. */
export interface Binding {
  readonly keys: readonly string[];
  /** What the footer says: key and word. `""`: only the help has it. */
  readonly label: string;
  readonly help: string;
  readonly action: Action;
}

const QUIT: Binding = {
  keys: ["q"],
  label: "q leave",
  help: "leave the screen; the work continues",
  action: { type: "quit" },
};

const HELP: Binding = {
  keys: ["?"],
  label: "? keys",
  help: "these keys",
  action: { type: "open", what: "help" },
};

function back(label: string): Binding {
  return { keys: ["esc"], label, help: "back", action: { type: "back" } };
}

/** The panels of a screen, in the order of the key tab. */
export function panelsOf(shown: Shown): readonly PanelName[] {
  const own = ["turns", "findings", "diff", "cost"] as const;
  return shown.kind === "run" ? [...own, "events"] : [...own, "lane", "events"];
}

/** All keys that do something now, and nothing else. @param canDecide - Whether it is a person who looks. */
export function bindingsOf(
  shown: Shown,
  ui: Ui,
  size: Size,
  canDecide: boolean,
): readonly Binding[] {
  if (isTiny(size)) return [QUIT];
  const { overlay } = ui;
  if (overlay !== undefined) return overlayBindings(overlay.kind);
  const asks = canDecide ? askBindings(shown, ui) : [];
  const isScrolled = ui.isZoomed || ui.focus !== "list" || shown.kind === "run";
  return [
    ...(ui.isZoomed ? [back("esc back")] : []),
    ...asks.filter(({ action }) => !isLesser(action)),
    ...needBindings(shown, ui),
    ...(ui.isZoomed ? [] : enterBinding(shown, ui)),
    ...jumpBindings(shown, ui),
    ...tabBindings(ui, size),
    ...asks.filter(({ action }) => isLesser(action)),
    ...(isScrolled ? scrollBindings() : moveBindings()),
    ...(shown.kind === "nebula" && shown.fleet === undefined ? [GRAPH] : []),
    ...(ui.isZoomed || ui.focus === "list" ? [] : [back("")]),
    HELP,
    QUIT,
  ];
}

/** Whether a key gives way where the footer is short. */
function isLesser(action: Action): boolean {
  return action.type === "ask" && (action.ask.verb === "skip" || action.ask.verb === "pause");
}

const GRAPH: Binding = {
  keys: ["g"],
  label: "",
  help: "the phases by their waves",
  action: { type: "open", what: "graph" },
};

function overlayBindings(kind: "help" | "graph" | "confirm" | "input"): readonly Binding[] {
  if (kind === "confirm") {
    return [
      { keys: ["y"], label: "y yes", help: "do it", action: { type: "confirm" } },
      { ...back("n no"), keys: ["n", "esc"] },
    ];
  }
  if (kind === "input") {
    return [
      { keys: ["enter"], label: "enter continue", help: "continue", action: { type: "confirm" } },
      back("esc cancel"),
    ];
  }
  return [{ ...back("esc back"), keys: ["esc", "q", "?"] }, ...scrollBindings()];
}

const VERB_KEYS: Readonly<Record<Verb, readonly [key: string, word: string, help: string]>> = {
  approve: ["a", "accept", "let the change land, or the plan begin"],
  answer: ["a", "answer", "answer the agent's question"],
  reject: ["x", "reject", "send it back to its agents, with a reason"],
  retry: ["t", "retry", "begin the phase again"],
  skip: ["s", "skip", "leave the phase out, and what needs it"],
  pause: ["p", "pause", "let no turn and no phase begin for now"],
  continue: ["p", "continue", "end the pause"],
};

function askBindings(shown: Shown, { selected }: Ui): readonly Binding[] {
  if (shown.kind === "run") return [];
  return asksOf(shown.nebula, phaseOf(shown, selected)).map((ask) => {
    const [key, word, help] = VERB_KEYS[ask.verb];
    const label = `${key} ${word}${needsText(ask) ? "…" : ""}`;
    return { keys: [key], label, help, action: { type: "ask", ask } };
  });
}

/** To the most urgent of those that need a person, then from each to the next one. */
function needBindings(shown: Shown, { selected }: Ui): readonly Binding[] {
  if (shown.kind === "run") return [];
  const ids = shown.nebula.needs.map(({ phase }) => phase);
  const id = ids[(ids.indexOf(selected) + 1) % ids.length];
  if (id === undefined || id === selected) return [];
  const help = "the next phase that needs you";
  return [{ keys: ["n"], label: "n needs you", help, action: { type: "select", id } }];
}

const JUMPS: readonly (readonly [PanelName, key: string, word: string, help: string])[] = [
  ["diff", "d", "diff", "what has changed"],
  ["findings", "f", "findings", "what reviewers found, and what became of it"],
  ["events", "l", "log", "what has happened"],
];

function enterBinding(shown: Shown, { focus, selected }: Ui): readonly Binding[] {
  if (!hasTurns(shown, selected) && focus === "list") return [];
  const label = focus === "list" ? "enter turns" : "enter zoom";
  return [{ keys: ["enter"], label, help: "have it fill the screen", action: { type: "enter" } }];
}

/** Whether there is something to say of turns: of those on another machine it is said where they are. */
function hasTurns(shown: Shown, selected: string): boolean {
  return runOf(shown, selected) !== undefined || fleetOf(shown) !== undefined;
}

function jumpBindings(shown: Shown, { focus, isZoomed, selected }: Ui): readonly Binding[] {
  return JUMPS.filter(([panel]) => panel === "events" || hasTurns(shown, selected))
    .filter(([panel]) => !isZoomed || focus !== panel)
    .map(([panel, key, word, help]) => {
      return { keys: [key], label: `${key} ${word}`, help, action: { type: "zoom", panel } };
    });
}

function tabBindings({ isZoomed }: Ui, size: Size): readonly Binding[] {
  if (!isZoomed && !isWide(size)) return [];
  const help = "the next panel; with shift the one before";
  return [
    { keys: ["tab"], label: "tab panel", help, action: { type: "tab", by: 1 } },
    { keys: ["shift-tab"], label: "", help: "", action: { type: "tab", by: -1 } },
  ];
}

function moveBindings(): readonly Binding[] {
  return [
    { keys: ["down", "j"], label: "", help: "the next phase", action: { type: "move", by: 1 } },
    { keys: ["up", "k"], label: "", help: "the phase before", action: { type: "move", by: -1 } },
  ];
}

const PAGE = 10;

function scrollBindings(): readonly Binding[] {
  const by = (n: number): Action => ({ type: "scroll", by: n });
  return [
    { keys: ["down", "j"], label: "", help: "a line down", action: by(1) },
    { keys: ["up", "k"], label: "", help: "a line up", action: by(-1) },
    { keys: ["pagedown", " "], label: "", help: `${PAGE} lines down`, action: by(PAGE) },
    { keys: ["pageup", "b"], label: "", help: `${PAGE} lines up`, action: by(-PAGE) },
  ];
}
