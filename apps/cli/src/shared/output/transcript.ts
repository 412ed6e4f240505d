import type { AgentEvent } from "@quasar/agents";
import type { TurnSummary } from "@quasar/runs";
import {
  clean,
  cleanLine,
  duration,
  jsonLine,
  money,
  moment,
  widthOf,
  wrap,
} from "@quasar/runs/text";
import { viewOf, write } from "./reporter.ts";
import { labelled, type Style, type View } from "./text.ts";
import { shortId, TURN_ENDS } from "./turn-cells.ts";

/** What an agent said and did in a turn. */
export interface Transcript<Turn extends TurnSummary> {
  readonly turn: Turn;
  /** Whether what its agent printed is still there. */
  readonly isKept: boolean;
  readonly events: readonly AgentEvent[];
}

/** Tells what was said and done in a turn; whether that is still there. */
type Watch = (options: { readonly onEvent: (event: AgentEvent) => void }) => Promise<boolean>;

export interface TranscriptOptions<Turn extends TurnSummary> {
  /** Makes the line of `--json`. @default for a person, as it is read */
  readonly toJson: ((said: Transcript<Turn>) => object) | undefined;
}

/** Writes what an agent said and did in a turn, in full. */
export async function writeTranscript<Turn extends TurnSummary>(
  turn: Turn,
  watch: Watch,
  { toJson }: TranscriptOptions<Turn>,
): Promise<void> {
  const { stdout } = process;
  if (toJson !== undefined) {
    const events: AgentEvent[] = [];
    const isKept = await watch({ onEvent: (event) => events.push(event) });
    stdout.write(jsonLine(toJson({ turn, isKept, events })));
    return;
  }
  const view = viewOf(stdout);
  write(stdout, headLines(turn, view));
  const isKept = await watch({ onEvent: (event) => write(stdout, eventLines(event, view)) });
  if (!isKept) write(stdout, labelled(view, "files", "what its agent printed is not kept"));
}

function headLines(turn: TurnSummary, view: View): string[] {
  const { turnId, role, cycle, attempt, status, durationMs, costUsd, startedAt } = turn;
  const facts = [
    `${role}, cycle ${cycle}`,
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    TURN_ENDS[status],
    ...(durationMs === undefined ? [] : [duration(durationMs)]),
    ...(status === "open" ? [] : [money(costUsd)]),
  ];
  return [
    view.paint("bold", `turn ${shortId(turnId)}: ${facts.join(", ")}`),
    ...(startedAt === "" ? [] : labelled(view, "began", cleanLine(moment(startedAt)))),
    "",
  ];
}

function eventLines(event: AgentEvent, view: View): string[] {
  switch (event.type) {
    case "text": {
      const text = clean(event.text).replaceAll(/^(?:\s*\n)+|\s+$/gu, "");
      if (text === "") return [];
      return [...broken(text, view), ""];
    }
    case "tool":
      return [...inLines(`> ${cleanLine(`${event.name} ${event.detail}`)}`, "dim", view), ""];
    case "retry":
      return [...inLines(`tries again: ${cleanLine(event.message)}`, "yellow", view), ""];
    case "session":
    case "usage":
    case "unpriced":
      return [];
  }
}

function inLines(text: string, style: Style, view: View): string[] {
  return broken(text, view).map((line) => view.paint(style, line));
}

/** Lines as they are; what is too wide for the terminal is wrapped. */
function broken(text: string, { columns }: View): string[] {
  return columns === undefined ? text.split("\n") : wrap(text, columns);
}
