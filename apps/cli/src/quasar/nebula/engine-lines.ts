import type { Told } from "@quasar/nebula";
import { eventWords, type EventLine } from "@quasar/nebula/facts";
import type { RunEvent } from "@quasar/runs";
import { cleanLine, count, fit, shellWord } from "@quasar/runs/text";
import { doneWords, momentAfter, RECOVERIES } from "@quasar/runs/words";
import type { Presenter } from "../../shared/output/reporter.ts";
import { isCommand, labelled, nextLines, type View } from "../../shared/output/text.ts";
import { engineFacts, type NebulaResult } from "../facts/nebula-apply.ts";
import { headline } from "./headline.ts";
import { stateLines } from "./state-lines.ts";

/** What `quasar nebula apply` reports. */
export type EngineRecord =
  | Told
  | { readonly type: "notice"; readonly message: string }
  | NebulaResult;

/** Lines alone: many phases work at once, and each line says whose it is. */
export const ENGINE: Presenter<EngineRecord, { readonly working: number }> = {
  facts: engineFacts,
  idle: { working: 0 },
  advance: (before) => before,
  lines: (record, _progress, view) => engineLines(record, view),
  block: () => [],
  still: () => [],
  isDiagnostic: ({ type }) => type === "warning" || type === "notice",
  isAwaited: () => false,
  ended: (progress) => progress,
};

/** The lines that tell a record to a person. @param fleet - The URL of the fleet that works on it. @default none does */
export function engineLines(record: EngineRecord, view: View, fleet?: string): string[] {
  switch (record.type) {
    case "notice":
      return wordLines({ about: "", text: record.message }, view);
    case "run_event":
      return runEventWords(record.event).flatMap((text) =>
        wordLines({ about: record.phase, text }, view),
      );
    case "nebula":
      return [...stateLines(record, view), ...nextLines(record.next, view)];
    default: {
      const lines = eventWords(record, momentAfter).flatMap((line) => wordLines(line, view));
      if (record.type !== "question_asked") return lines;
      const where = fleet === undefined ? "" : ` --fleet ${shellWord(fleet)}`;
      const text = `quasar nebula answer ${record.id} "your answer"${where}`;
      return [...lines, ...wordLines({ about: "", text }, view)];
    }
  }
}

const STYLES = { good: "green", warning: "yellow", bad: "red" } as const;

/** Of a reason of any length a part: `show` has it in full. */
function wordLines({ about, text, why, tone }: EventLine, view: View): string[] {
  const label = fit(cleanLine(about), 16);
  const words =
    why === undefined ? text : `${text}${headline(why, view, `${label.slice(8)}${text}`)}`;
  const whole = isCommand(words) ? { ...view, columns: undefined } : view;
  return labelled(whole, label, fit(cleanLine(words), 400), tone && STYLES[tone]);
}

/** What of a phase's run is worth a line among many. */
function runEventWords(event: RunEvent): readonly string[] {
  switch (event.type) {
    case "agent_done":
      return [`cycle ${event.cycle}: ${event.role} ${doneWords(event)}`];
    case "review_complete":
      return event.approved
        ? []
        : [`cycle ${event.cycle}: ${count(event.findings.length, "issue")} found`];
    case "check_done":
      return event.passed ? [] : [`cycle ${event.cycle}: ${event.name} failed`];
    case "turn_recovered":
      return [`the ${event.role} ${RECOVERIES[event.how]}`];
    case "turn_retry":
      return [`the ${event.role}'s turn failed; retry ${event.retry} of ${event.most}`];
    case "refactored":
      return [`cycle ${event.cycle}: has taken its new text`];
    case "waiting":
      return [`waits for a usage limit: ${event.message}`];
    case "warning":
    case "notice":
      return [event.message];
    default:
      return [];
  }
}
