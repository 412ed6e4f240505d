import { join } from "node:path";
import { watchTurn, type WatchTurnOptions } from "@quasar/agents/turns";
import type { Checkpoint } from "@quasar/checkpoint";
import type { TurnSummary } from "@quasar/runs";
import { allTurns, storedTurn } from "@quasar/runs/internal";
import { readTaskLog } from "../task-log.ts";
import { readTask } from "../task-store.ts";
import { runsFolder } from "./run-store.ts";
import { readRuns } from "./task-cost.ts";

/** A run of agents in a task, and its turns. */
export interface TaskRun {
  /** `implement-2` */
  readonly name: string;
  /** As it was saved last. */
  readonly checkpoint: Checkpoint;
  /** Whether it came to its end. */
  readonly isFinished: boolean;
  /** Oldest first; with the one whose end is not known. */
  readonly turns: readonly TurnSummary[];
}

export interface TaskRuns {
  /** In the order in which they began. */
  readonly runs: readonly TaskRun[];
  /** Runs that cannot be read, in words. */
  readonly problems: readonly string[];
}

/** What agents did in a task, run by run. Changes nothing. */
export async function taskRuns(taskDir: string): Promise<TaskRuns> {
  const { runs, problems } = await readRuns(taskDir);
  const facts = readTaskLog(taskDir).flatMap((line) => (line.type === "loop" ? [line.event] : []));
  const found = runs.map((run) => ({
    ...run,
    turns: allTurns(run.checkpoint, facts, join(runsFolder(taskDir), run.name)),
  }));
  return { runs: found.toSorted(byBeginning), problems };
}

/** One that has not begun comes last. */
function byBeginning(one: TaskRun, other: TaskRun): number {
  return begunAt(one) < begunAt(other) ? -1 : 1;
}

function begunAt({ turns }: TaskRun): string {
  return turns.find(({ startedAt }) => startedAt !== "")?.startedAt ?? "~";
}

/**
 * Tells what the agent of a turn said and did. Takes no lock and writes nothing.
 *
 * @returns Whether the run knows the turn, and its files are still there.
 */
export async function watchTaskTurn(
  taskDir: string,
  { name, checkpoint }: Pick<TaskRun, "name" | "checkpoint">,
  turnId: string,
  options: WatchTurnOptions,
): Promise<boolean> {
  const workTree = readTask(taskDir).metadata.worktreeDir;
  const turn = storedTurn({ workTree, dir: join(runsFolder(taskDir), name) }, checkpoint, turnId);
  return turn !== undefined && watchTurn(turn, options);
}
