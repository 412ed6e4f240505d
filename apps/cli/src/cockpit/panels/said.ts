import { cleanLine, costWords, count, duration } from "@quasar/runs/text";
import type { RunFacts, TurnFacts } from "@quasar/runs/facts";
import { shortId, TURN_ENDS } from "@quasar/runs/words";
import type { Style } from "../../shared/output/text.ts";
import { type Line, line, span } from "../model/line.ts";
import { type Beside, type Said, turnOf } from "../model/shown.ts";
import { type Body, wrapped } from "./body.ts";

/** What the agents of a run said and did: a line for each turn, then all of the turn that one looks at. */
export function saidBody(run: RunFacts | undefined, { said }: Beside, columns: number): Body {
  const turn = turnOf(run);
  const turns = run?.turns ?? [];
  const heads = turns.filter((each) => each !== turn).map(turnLine);
  const events = said.get(turn?.turnId ?? "") ?? [];
  const own = turn === undefined ? [line("no agent has worked yet")] : [turnLine(turn)];
  const lines = [...heads, ...own, ...events.flatMap((event) => saidLines(event, columns))];
  return { count: lines.length, lineAt: (at) => lines[at] ?? [], startsAtEnd: true };
}

/** A turn in one line. */
export function turnLine(turn: TurnFacts): Line {
  const { turnId, role, cycle, status, costUsd, unknownUsd, durationMs, summary, denied } = turn;
  const isOpen = status === "open";
  const facts = [
    ...(durationMs === undefined ? [] : [duration(durationMs)]),
    ...(isOpen ? [] : [costWords({ spentUsd: costUsd, unknownUsd })]),
    ...(denied.length > 0 ? [`${count(denied.length, "tool")} denied`] : []),
  ];
  return [
    span(`turn ${shortId(turnId)} `, "bold"),
    span(`${role}, cycle ${cycle}, `),
    span(isOpen ? "at work" : TURN_ENDS[status], isOpen ? "cyan" : undefined),
    span(facts.length === 0 ? "" : `, ${facts.join(", ")}`),
    span(summary === "" ? "" : `  ${summary}`, "dim"),
  ];
}

const STYLES: Readonly<Record<Said["kind"], Style | undefined>> = {
  text: undefined,
  tool: "dim",
  denied: "yellow",
  retry: "yellow",
};

/** Of what an agent says no more lines than these: it may print a file. */
const MOST_LINES = 12;

function saidLines({ kind, text }: Said, columns: number): readonly Line[] {
  const style = STYLES[kind];
  const mark = kind === "tool" ? "> " : "";
  const words = kind === "denied" ? `denied: ${text}` : text;
  const parts = words
    .split("\n")
    .map(cleanLine)
    .filter((part) => part !== "");
  const lines = parts.flatMap((part) => wrapped(`${mark}${part}`, columns - 2, style, "  "));
  const shown =
    lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), line("…", style)] : lines;
  return shown.map((each) => [span("  "), ...each]);
}
