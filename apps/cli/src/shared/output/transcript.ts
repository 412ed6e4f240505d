import type { AgentEvent } from "@quasar/agents";
import type { TurnSummary } from "@quasar/runs";
import { parseReview, renderReview } from "@quasar/loop/review";
import {
  clean,
  cleanLine,
  count,
  duration,
  jsonLine,
  money,
  moment,
  wrap,
} from "@quasar/runs/text";
import { FINDING_STATUSES, shortId, TURN_ENDS } from "@quasar/runs/words";
import { structuredIn } from "./answer.ts";
import { viewOf, write } from "./reporter.ts";
import { labelled, reportLines, type Style, type View } from "./text.ts";

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
  /** The file of all that its agent printed. @default nobody is told */
  readonly file?: string | undefined;
  /** Makes the line of `--json`. @default for a person, as it is read */
  readonly toJson: ((said: Transcript<Turn>) => object) | undefined;
}

/** Writes what an agent said and did in a turn, in full. */
export async function writeTranscript<Turn extends TurnSummary>(
  turn: Turn,
  watch: Watch,
  { file, toJson }: TranscriptOptions<Turn>,
): Promise<void> {
  const { stdout } = process;
  const events: AgentEvent[] = [];
  const isKept = await watch({ onEvent: (event) => events.push(event) });
  if (toJson !== undefined) {
    stdout.write(jsonLine(toJson({ turn, isKept, events })));
    return;
  }
  const view = viewOf(stdout);
  const denied = events.flatMap((event) => (event.type === "denied" ? [event.what] : []));
  const where = isKept ? file : "what its agent printed is not kept";
  write(stdout, headLines(turn, view));
  for (const event of events) write(stdout, eventLines(event, view, denied));
  if (where !== undefined) write(stdout, labelled(view, "printed", cleanLine(where)));
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

function eventLines(event: AgentEvent, view: View, denied: readonly string[]): string[] {
  switch (event.type) {
    case "text": {
      const answer = structuredIn(event.text);
      if (answer !== undefined) return [...answerLines(answer, view), ""];
      const text = clean(event.text).replaceAll(/^(?:\s*\n)+|\s+$/gu, "");
      return text === "" ? [] : [...broken(text, view), ""];
    }
    case "tool": {
      const call = cleanLine(`${event.name} ${event.detail}`);
      const isDenied = denied.includes(event.name === "Bash" ? cleanLine(event.detail) : call);
      const said = isDenied ? `> ${call} (denied)` : `> ${call}`;
      return [...inLines(said, isDenied ? "yellow" : "dim", view), ""];
    }
    case "retry":
      return [...inLines(`tries again: ${cleanLine(event.message)}`, "yellow", view), ""];
    case "denied":
    case "session":
    case "usage":
    case "unpriced":
      return [];
  }
}

/** A review in words; an answer of another form as it is. */
function answerLines(answer: object, view: View): string[] {
  const rendered = renderReview(answer);
  if (rendered === undefined) return broken(clean(JSON.stringify(answer, undefined, 2)), view);
  const { verdict, findings, verifications, report } = parseReview(rendered);
  const said = findings.map(({ severity, description }) => `${severity}: ${description}`);
  const known = verifications.map(({ findingId, status, comment }) =>
    [`${findingId}: ${FINDING_STATUSES[status]}`, ...(comment === "" ? [] : [comment])].join("; "),
  );
  const verdictText = verdict === "approved" ? "approved" : count(findings.length, "finding");
  return [
    ...said.flatMap((text) => labelled(view, "finding", cleanLine(text))),
    ...known.flatMap((text) => labelled(view, "earlier", cleanLine(text))),
    ...labelled(view, "review", verdictText),
    ...(report === undefined ? [] : reportLines(report, view)),
  ];
}

function inLines(text: string, style: Style, view: View): string[] {
  return broken(text, view).map((line) => view.paint(style, line));
}

/** Lines as they are; what is too wide for the terminal is wrapped. */
function broken(text: string, { columns }: View): string[] {
  return columns === undefined ? text.split("\n") : wrap(text, columns);
}
