import type { NextStep } from "@quasar/runs";
import { limitSteps } from "@quasar/runs/internal";
import { inWords, type Vocabulary } from "../shared/next-steps.ts";

/** The commands of `atlas` by the calls of `@quasar/runs`; those that it lacks are of runs by name, and a task's have none. */
const COMMANDS: Readonly<Partial<Record<NonNullable<NextStep["do"]>, string>>> = {
  start: "atlas start",
  resume: "atlas resume",
  list: "atlas list",
  show: "atlas status",
  check: "atlas doctor",
};

const ATLAS: Vocabulary = {
  command: (call, runId) => (runId === undefined ? COMMANDS[call] : undefined),
  options: new Set(["maxBudgetUsd", "allowedTools", "maxRequests", "waitLimitMs", "now"]),
};

/** Steps as a person of `atlas` types them, or does them, but for those that are no command of `atlas`. */
export function stepsInWords(steps: readonly NextStep[]): readonly string[] {
  return inWords(steps, ATLAS);
}

/**
 * What a person types where a usage limit has stopped a task.
 *
 * @param named - What names the task behind the command, as `naming` has it.
 */
export function stepsAtLimit(retryAt: string | undefined, named: string): readonly string[] {
  const steps = limitSteps(retryAt, { do: "resume" });
  return inWords(steps, { ...ATLAS, command: () => `atlas resume${named}` });
}
