import type { Runs } from "./open-runs.ts";
import type { Override } from "./resume/judge.ts";
import { clean } from "./text/clean.ts";

/**
 * What helps, as data, for each program to word in its own way. It has one of `shell`, `do` and `note` at least; where it has
 * both of the first, `shell` comes first. A step that has a note alone is something that a person does.
 */
export interface NextStep {
  /** A command line for a POSIX shell, in the work tree. */
  readonly shell?: string | undefined;
  /** The call of {@link Runs} that helps. */
  readonly do?: RunsCall | undefined;
  /** The run that the call is about. @default none is named */
  readonly runId?: string | undefined;
  /** What the call takes, beside what its caller gives it anyway. @default nothing */
  readonly options?: NextOptions | undefined;
  /** The top folder of another work tree, where it is to be done. @default the one at hand */
  readonly workTree?: string | undefined;
  /** What it does, or when it helps. */
  readonly note?: string | undefined;
}

/** A call that a step may name; `show` without a run: the newest, and who works on it. */
export type RunsCall = Exclude<keyof Runs, "workspace" | "restore" | "kept">;

/** By the names of the options of the calls and, for an agent, of `@quasar/agents`. */
export interface NextOptions {
  readonly inWorktree?: true | undefined;
  readonly acceptDirty?: true | undefined;
  readonly isNew?: true | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly maxTurnBudgetUsd?: number | undefined;
  readonly maxCycles?: number | undefined;
  /** Whose agent is to ask another model, which costs less. */
  readonly cheaper?: "coder" | "reviewer" | undefined;
  readonly allowedTools?: readonly string[] | undefined;
  readonly maxRequests?: number | undefined;
  readonly waitLimitMs?: number | undefined;
  readonly now?: true | undefined;
  readonly accepts?: readonly Override[] | undefined;
  readonly at?: number | undefined;
  readonly trust?: true | undefined;
  /** That the agent may be ended. */
  readonly mayEnd?: true | undefined;
  readonly stopped?: true | undefined;
  readonly follow?: true | undefined;
  readonly fix?: true | undefined;
}

/** When a checkpoint of unknown origin is to be trusted. */
export const IS_A_PROMPT = "only if you know where it comes from: it is an agent's prompt";

/** The same, with its texts safe to print. */
export function cleanStep({ shell, note, workTree, ...step }: NextStep): NextStep {
  return {
    ...(shell !== undefined && { shell: clean(shell) }),
    ...step,
    ...(workTree !== undefined && { workTree: clean(workTree) }),
    ...(note !== undefined && { note: clean(note) }),
  };
}
