import type { Checkpoint } from "@quasar/checkpoint";
import { endChecks, runCheck } from "./checks/check.ts";
import { continueRun } from "./resume/continue.ts";
import { type TurnKind, TURNS } from "./run-kind.ts";
import type { LoopOptions, Task, TaskResult, TurnOptions } from "./options.ts";
import { openLoopRepository } from "./repository/repository.ts";
import type { Ports } from "./run.ts";
import { type Settings, settingsOf } from "./settings.ts";
import { startRun } from "./start.ts";
import { waitUntil } from "./wait-until.ts";

/**
 * Runs a task from its beginning: a coder works, checks and a reviewer judge, until the reviewer
 * approves or something stops it.
 *
 * @returns How it ended, also when it failed or was interrupted.
 * @throws {LoopError} `ERR_INVALID_OPTIONS`, `ERR_INVALID_TASK`
 * @throws {GitError} when the work tree is in a repository that cannot be used.
 */
export async function runTask(task: Task, options: LoopOptions): Promise<TaskResult> {
  const settings = settingsOf(options);
  return startRun(task, settings, await openPorts(settings));
}

/**
 * Continues a run from its checkpoint. Finished turns are not run again, and commits that the run
 * made after the checkpoint are taken as its own.
 *
 * The caller's `maxCycles` and `maxBudgetUsd` take the place of the stored ones.
 *
 * @returns How it ended, as {@link runTask} does.
 * @throws {CheckpointError} what `validateCheckpoint` says of the checkpoint and HEAD; a HEAD that
 *   does not match passes with `acceptHead`.
 * @throws {LoopError} `ERR_INVALID_OPTIONS`
 * @throws {GitError} when the work tree is in a repository that cannot be used.
 * @see SPEC.md, "Resume"
 */
export async function runFromCheckpoint(
  checkpoint: Checkpoint,
  options: LoopOptions,
): Promise<TaskResult> {
  const settings = settingsOf(options);
  await endChecks(checkpoint.runId, settings.workTree);
  return continueRun(checkpoint, settings, await openPorts(settings));
}

/**
 * Has an agent take one turn by itself. It is reserved, saved, settled and recovered as one of a loop, and is a run of
 * its own: of one cycle, `approved` once it is done.
 *
 * @throws As {@link runTask} does.
 */
export async function runTurn(
  kind: TurnKind,
  task: Task,
  options: TurnOptions,
): Promise<TaskResult> {
  const settings = turnSettings(kind, options);
  return startRun(task, settings, await openPorts(settings));
}

/**
 * Continues such a run from its checkpoint, as {@link runFromCheckpoint} does.
 *
 * @param kind - The same as when it began.
 */
export async function resumeTurn(
  kind: TurnKind,
  checkpoint: Checkpoint,
  options: TurnOptions,
): Promise<TaskResult> {
  const settings = turnSettings(kind, options);
  return continueRun(checkpoint, settings, await openPorts(settings));
}

function turnSettings(kind: TurnKind, options: TurnOptions): Settings {
  return settingsOf({ ...options, maxCycles: 1 }, TURNS[kind]);
}

async function openPorts(settings: Settings): Promise<Ports> {
  const { workTree, repository } = settings;
  return {
    repository: await openLoopRepository(workTree, repository, settings),
    runCheck,
    waitUntil,
  };
}
