import type { NextStep } from "@quasar/runs";
import { inWords, OPTIONS, type Vocabulary } from "../shared/next-steps.ts";

/** The commands of `quasar` by the calls of `@quasar/runs`. */
const COMMANDS = {
  start: "run",
  resume: "resume",
  plan: "resume",
  list: "list --all",
  show: "show",
  watch: "log",
  fork: "fork",
  abandon: "abandon",
  prune: "prune",
  snapshots: "snapshots",
  check: "doctor",
} as const satisfies Record<NonNullable<NextStep["do"]>, string>;

const QUASAR: Vocabulary = {
  command(call, runId) {
    if (call === "show" && runId === undefined) return "quasar status";
    const run = runId === undefined ? "" : ` ${runId}`;
    return `quasar ${COMMANDS[call]}${run}${call === "plan" ? " --plan" : ""}`;
  },
  options: OPTIONS,
};

/** Steps as a person of `quasar` types them, or does them. */
export function stepsInWords(steps: readonly NextStep[]): readonly string[] {
  return inWords(steps, QUASAR);
}

/** One of them. */
export function stepInWords(step: NextStep): string {
  return stepsInWords([step]).join("");
}
