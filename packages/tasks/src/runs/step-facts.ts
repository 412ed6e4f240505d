import { join } from "node:path";
import type { HookFile } from "@quasar/hookfile";
import { type Fact, RunsError } from "@quasar/runs";
import { readFactsIn, type RunFacts } from "@quasar/runs/facts";
import { type LoggedEvent, readTaskLog } from "../task-log.ts";
import { runsFolder } from "./run-store.ts";
import { runName } from "./step-runs.ts";

/** The facts of the present runs of a task's steps, by the steps' names. One whose folder is none has none. Changes nothing. */
export async function stepFacts(
  { taskDir, taskId }: Record<"taskDir" | "taskId", string>,
  hook: HookFile,
): Promise<ReadonlyMap<string, RunFacts>> {
  const log = readTaskLog(taskDir);
  const runs = new Map<string, RunFacts>();
  for (const { name: step } of hook.steps) {
    const name = runName(hook, step);
    const facts = factsOf(log, step, `${taskId}-${name}.`);
    const dir = join(runsFolder(taskDir), name);
    const found = await readFactsIn(dir, { facts }).catch(unlessUnsafe);
    if (found !== undefined) runs.set(step, found);
  }
  return runs;
}

function unlessUnsafe(error: unknown): undefined {
  if (!(error instanceof RunsError)) throw error;
}

/** What a task's log tells of a step's run: from its first turn on. */
function factsOf(log: readonly LoggedEvent[], step: string, turnPrefix: string): readonly Fact[] {
  const ofStep = log.filter((line) => "step" in line && line.step === step);
  const from = ofStep.findIndex((line) => isOfTurn(line, turnPrefix));
  return from < 0 ? [] : ofStep.slice(from).flatMap(factIn);
}

/** A log may hold anything. */
function isOfTurn(line: LoggedEvent, turnPrefix: string): boolean {
  if (line.type !== "loop") return false;
  const { turnId }: Fact = line.event;
  return typeof turnId === "string" && turnId.startsWith(turnPrefix);
}

function factIn(line: LoggedEvent): readonly Fact[] {
  const { at: time } = line;
  switch (line.type) {
    case "loop":
      return [{ ...line.event, time }];
    case "waiting": {
      const { type, until, waitMs, isKnown, message } = line;
      return [{ type, until, waitMs, isKnown, message, time }];
    }
    case "stopped":
      return [{ type: "result", outcome: line.why, message: line.message, time }];
    case "step_failed":
      return [{ type: "result", outcome: "agent", message: line.reason, time }];
    case "awaiting":
      return [{ type: "result", outcome: "interrupted", message: line.reason, time }];
    case "step_done":
      return [{ type: "result", outcome: "approved", message: line.summary, time }];
    default:
      return [];
  }
}
