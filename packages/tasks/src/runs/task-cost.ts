import { codeOf, messageOf } from "../errors.ts";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Checkpoint, CheckpointLedgerEntry } from "@quasar/checkpoint";
import { openTurnUsd } from "@quasar/loop/internal";
import { runsFolder, runStores } from "./run-store.ts";

/** What agents have cost a task, in US dollars over all runs and crashes. */
export interface TaskCost {
  /** What is reserved only is included. */
  readonly spentUsd: number;
  /** How much of it is reserved only: it may have cost so much less. */
  readonly unknownUsd: number;
  /** In the order of their names. */
  readonly runs: readonly RunCost[];
  /** Runs that cannot be read, in words: what they cost is not counted. */
  readonly problems: readonly string[];
}

export interface RunCost {
  /** `implement-2` */
  readonly name: string;
  /** What is reserved only is included, for a turn whose end is not known yet too. */
  readonly spentUsd: number;
  readonly unknownUsd: number;
  /** How much of both is for a turn whose end is not known yet. */
  readonly openUsd: number;
  /** The turns that have ended, oldest first. */
  readonly turns: readonly CheckpointLedgerEntry[];
  /** Whether it came to its end. */
  readonly isFinished: boolean;
}

/** What a task has cost, turn by turn, as the checkpoints of its runs say. Changes nothing. */
export async function taskCost(taskDir: string): Promise<TaskCost> {
  const { runs, problems } = await readRuns(taskDir);
  const costs = runs.map(costOf);
  const sum = (pick: (cost: RunCost) => number): number =>
    costs.reduce((total, cost) => total + pick(cost), 0);
  return {
    spentUsd: sum(({ spentUsd }) => spentUsd),
    unknownUsd: sum(({ unknownUsd }) => unknownUsd),
    runs: costs,
    problems,
  };
}

/** A run of a task, as it is stored. */
export interface StoredRun {
  readonly name: string;
  readonly checkpoint: Checkpoint;
  readonly isFinished: boolean;
}

export interface StoredRuns {
  readonly runs: readonly StoredRun[];
  readonly problems: readonly string[];
}

/** All runs of a task that were ever saved, by name. */
export async function readRuns(taskDir: string): Promise<StoredRuns> {
  const runs: StoredRun[] = [];
  const problems: string[] = [];
  for (const name of namesIn(runsFolder(taskDir))) {
    try {
      const run = await readRun(taskDir, name);
      if (run !== undefined) runs.push(run);
    } catch (error) {
      problems.push(`run ${name}: ${messageOf(error)}`);
    }
  }
  return { runs, problems };
}

/** The archive goes first: a run that is in both has ended. */
async function readRun(taskDir: string, name: string): Promise<StoredRun | undefined> {
  const { current, archive } = runStores(join(runsFolder(taskDir), name), basename(taskDir));
  const ended = await archive.load();
  if (ended !== undefined) return { name, checkpoint: ended.checkpoint, isFinished: true };
  const left = await current.load();
  return left && { name, checkpoint: left.checkpoint, isFinished: false };
}

function namesIn(dir: string): readonly string[] {
  try {
    const entries = readdirSync(dir, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    return folders.toSorted();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** @returns What it has cost, what is under way included. */
export function costOf({ name, checkpoint, isFinished }: StoredRun): RunCost {
  const { totalCostUsd, unknownCostUsd, ledger } = checkpoint;
  const openUsd = openTurnUsd(checkpoint);
  return {
    name,
    spentUsd: totalCostUsd + openUsd,
    unknownUsd: unknownCostUsd + openUsd,
    openUsd,
    turns: ledger,
    isFinished,
  };
}
