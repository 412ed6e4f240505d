import { cleanLine, wrap } from "@quasar/runs/text";
import { type Body, bodyOf } from "../panels/body.ts";
import { changeWords, fileLines } from "../panels/diff.ts";
import { graphBody } from "../panels/graph.ts";
import type { Panel } from "../panels/panel.ts";
import type { Ask, Verb } from "./ask.ts";
import type { Item } from "./items.ts";
import type { Binding } from "./keys.ts";
import { cell, type Line, line, span } from "./line.ts";
import { phaseOf, type Shown } from "./shown.ts";
import type { Overlay, Ui } from "./ui.ts";

/** What lies over the detail. @param under - The keys of the screen under it. */
export function overlayPanel(
  overlay: Overlay,
  shown: Shown,
  { items, under, columns, ownsWork }: OverlayOptions,
): Panel {
  switch (overlay.kind) {
    case "help":
      return { title: "Keys", body: helpBody(under, ownsWork) };
    case "graph":
      return {
        title: "Phases by waves",
        body: shown.kind === "nebula" ? graphBody(shown.nebula, items) : bodyOf([]),
      };
    case "confirm":
      return { title: titleOf(overlay.ask), body: confirmBody(overlay, shown, columns) };
    case "input":
      return { title: titleOf(overlay.ask), body: inputBody(overlay, shown, columns) };
  }
}

interface OverlayOptions {
  readonly items: readonly Item[];
  readonly under: readonly Binding[];
  readonly columns: number;
  /** Whether the process that shows it also works: it stops when the terminal closes. */
  readonly ownsWork: boolean;
}

/** Whether it leaves the list above it in sight. */
export function isLow({ overlay }: Ui): boolean {
  return overlay?.kind === "confirm" || overlay?.kind === "input";
}

/** What becomes of the work when the screen, or its terminal, goes. */
const AFTER = {
  own: {
    ctrlC: "stop the work, and save it",
    words: [
      "This command works itself: closing the terminal stops it, with all saved.",
      "For the night start it in tmux. After q it works on, and prints lines.",
    ],
  },
  watched: {
    ctrlC: "leave the screen, too; the work continues",
    words: ["What works continues whether this screen is open or not."],
  },
} as const;

function helpBody(under: readonly Binding[], ownsWork: boolean): Body {
  const { ctrlC, words } = ownsWork ? AFTER.own : AFTER.watched;
  const keys = under.filter(({ help }) => help !== "");
  return bodyOf([
    ...keys.map(({ keys: names, help }) => keyLine(names.join(" "), help)),
    keyLine("ctrl-c", ctrlC),
    [],
    ...words.map((each) => line(each)),
    line("If the screen is ever left in disorder, type: reset"),
  ]);
}

function keyLine(names: string, help: string): Line {
  return [cell(names, 14, "bold"), span(help)];
}

const TITLES: Readonly<Record<Verb, string>> = {
  approve: "accept",
  reject: "reject",
  retry: "retry",
  skip: "skip",
  answer: "answer",
  pause: "pause",
  continue: "continue",
};

function titleOf({ verb, phase }: Ask): string {
  const ofAll = verb === "pause" || verb === "continue" ? "the nebula" : "the plan";
  return `${TITLES[verb]} ${phase === "" ? ofAll : phase}`;
}

const MEANINGS: Readonly<Record<Verb, string>> = {
  approve: "It lands on the branch when its turn comes.",
  reject: "It goes back to its agents, who read your reason.",
  retry: "It begins again, on what has landed by now.",
  skip: "It is left out, and so is all that needs it.",
  answer: "Its agent reads your answer with its next prompt.",
  pause: "No turn and no phase begins. Turns in flight end, and what is approved lands.",
  continue: "Turns and phases begin again.",
};

const PLAN_MEANINGS: Partial<Readonly<Record<Verb, string>>> = {
  approve: "Its phases begin when the nebula is resumed.",
  reject: "No phase begins before the nebula's files are changed.",
};

/** What a decision concerns: the very change that was read, by its digest. */
function subjectLines(ask: Ask, shown: Shown, columns: number): readonly Line[] {
  const { verb, phase, digest, questionId } = ask;
  const isOfPlan = phase === "" && (verb === "approve" || verb === "reject");
  const meaning = (isOfPlan ? PLAN_MEANINGS[verb] : undefined) ?? MEANINGS[verb];
  const isOfChange = digest !== "" && (verb === "approve" || verb === "reject");
  const title = phaseOf(shown, phase)?.title ?? "";
  const asked =
    questionId === "" || shown.kind === "run"
      ? ""
      : (shown.nebula.needs.find((need) => need.questionId === questionId)?.text ?? "");
  return [
    ...(title === "" ? [] : [line(title, "bold")]),
    ...(asked === "" ? [] : textLines(asked, columns)),
    line(meaning),
    ...(isOfChange ? changeLines(shown, digest) : []),
  ];
}

function changeLines({ change }: Shown, digest: string): readonly Line[] {
  const about = `change ${digest.slice(0, 12)}`;
  if (change === undefined) return [line(about)];
  const shown = fileLines(change).slice(0, 6);
  const more = change.files.length - shown.length;
  return [
    line(`${about}: ${changeWords(change)}`),
    ...shown,
    ...(more > 0 ? [line(`and ${more} more; esc d reads the diff`, "dim")] : []),
  ];
}

function confirmBody(
  { ask, text }: { readonly ask: Ask; readonly text: string },
  shown: Shown,
  columns: number,
): Body {
  return bodyOf([
    ...(text === "" ? [] : textLines(`"${text}"`, columns)),
    ...subjectLines(ask, shown, columns),
    [],
    [span("Sure?", "bold"), span("  y yes   n no")],
  ]);
}

function inputBody(
  { ask, text }: { readonly ask: Ask; readonly text: string },
  shown: Shown,
  columns: number,
): Body {
  const asked = ask.verb === "answer" ? "Your answer:" : "What is wrong, for its agents:";
  return bodyOf([
    line(asked, "bold"),
    ...textLines(`${text}_`, columns),
    [],
    ...subjectLines(ask, shown, columns),
  ]);
}

function textLines(text: string, columns: number): readonly Line[] {
  return wrap(cleanLine(text), columns).map((part) => line(part, "cyan"));
}
