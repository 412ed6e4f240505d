import { type HookFile, isTerminal } from "@quasar/hookfile";
import { cleanLine, jsonLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../shared/exit-codes.ts";
import { result } from "../shared/output/json.ts";
import { viewOf, write } from "../shared/output/reporter.ts";
import { labelled, nextLines } from "../shared/output/text.ts";
import type { Given } from "./command.ts";
import { nextOf } from "./next.ts";
import { stateText } from "./output/hook-lines.ts";
import type { ApproveLine, DecidedLine } from "./schemas/decisions.ts";

/** What was decided about a task, and where it stands by that. */
export interface Decided {
  /** For `--json`: `approve`. */
  readonly type: DecidedLine["type"];
  /** For a person: `approved`. */
  readonly said: string;
  readonly hook: HookFile;
  /** The task as it was named, where it was. */
  readonly id: string | undefined;
  /** More for `--json`. */
  readonly facts?: Pick<ApproveLine, "reviewed" | "pullRequest"> | undefined;
}

/** Tells a decision, and what is next. */
export function tellDecided(decided: Decided, { json }: Pick<Given, "json">): ExitCode {
  const { type, said, hook, id, facts } = decided;
  const next = nextOf(hook, id);
  const { taskId, state, awaiting, steps } = hook;
  if (json === true) {
    const line = result(type, { taskId, state, awaiting, ...facts }, EXIT.ok, next);
    process.stdout.write(jsonLine(line satisfies DecidedLine));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const due = isTerminal(state)
    ? undefined
    : steps.find(({ status }) => status !== "completed" && status !== "skipped");
  write(process.stdout, [
    view.paint("green", cleanLine(said)),
    ...labelled(view, "state", stateText(hook)),
    ...(due === undefined ? [] : labelled(view, "step", cleanLine(`${due.name} is due`))),
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}
