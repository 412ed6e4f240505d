import { randomBytes } from "node:crypto";
import {
  type Checkpoint,
  CheckpointError,
  createCheckpoint,
  validateCheckpoint,
} from "@quasar/checkpoint";
import type { Commit } from "@quasar/git";
import { stateFromCheckpoint } from "./convert.ts";
import { messageOf } from "./emitter.ts";
import { drive } from "./engine.ts";
import { LoopError } from "./errors.ts";
import { EventResumed, type LoopEventData } from "./event.ts";
import type { LoopOptions, Task, TaskResult } from "./options.ts";
import { openLoopRepository } from "./repository.ts";
import { describeResume } from "./describe-resume.ts";
import { adoptCommit, isLine, isOwn, restart } from "./resume.ts";
import { Run } from "./run.ts";
import {
  DEFAULT_MAX_BUDGET_USD,
  DEFAULT_MAX_CYCLES,
  type Settings,
  settingsOf,
} from "./settings.ts";
import type { CycleState } from "./state.ts";
import { cycleToBegin, nextStep } from "./steps.ts";
import { oneLine, trimSpace } from "./text.ts";

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
  const title = task.title.toWellFormed();
  if (trimSpace(title) === "") throw new LoopError("ERR_INVALID_TASK", "the task says nothing");
  const repository = await openLoopRepository(settings.workDir, settings.signal);
  const head = (await repository?.head()) ?? "";
  const runId = settings.runId ?? newRunId();
  const { id, problem } = await nameTask(task, title, runId, settings);
  const state = stateFromCheckpoint(
    createCheckpoint({
      taskBeadId: id,
      taskTitle: title,
      runId,
      phase: "bead_created",
      cycle: 1,
      maxCycles: settings.maxCycles ?? DEFAULT_MAX_CYCLES,
      maxBudgetUsd: settings.maxBudgetUsd ?? DEFAULT_MAX_BUDGET_USD,
      baseCommitSha: head,
      untouchablePaths: settings.untouchablePaths,
    }),
  );
  const run = new Run(settings, { state, head, repository });
  const opening = [...withoutRepository(run)];
  if (problem !== undefined) opening.push(warning(state, problem));
  return drive(run, opening);
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
  // What does not depend on HEAD comes first: a later version's fields are not to be read.
  validateCheckpoint(checkpoint, checkpoint.gitSha);
  const repository = await openLoopRepository(settings.workDir, settings.signal);
  const head = (await repository?.head()) ?? "";
  const commits =
    head === checkpoint.gitSha ? [] : await repository?.commitsSince(checkpoint.gitSha);
  const adopted = adopt(checkpoint, commits ?? [], head);
  const mismatch = headMismatch(adopted.checkpoint, head);
  if (mismatch !== undefined && !settings.acceptHead) throw mismatch;

  const stored = stateFromCheckpoint(adopted.checkpoint);
  const state = restart(withOptions(stored, settings), head);
  const run = new Run(settings, { state, head, repository });
  const opening: LoopEventData[] = [
    {
      type: EventResumed,
      cycle: resumedCycle(state),
      message: "resumed from checkpoint",
      details: [...adopted.details, ...describeResume(state)],
    },
    ...withoutRepository(run),
  ];
  if (mismatch !== undefined) opening.push(warning(state, `${mismatch.message}: accepted`));
  return drive(run, opening);
}

interface Adopted {
  readonly checkpoint: Checkpoint;
  readonly details: readonly string[];
}

/** The checkpoint with the run's own commits taken in; at HEAD if there are no others. */
function adopt(checkpoint: Checkpoint, commits: readonly Commit[], head: string): Adopted {
  const own = commits.filter((commit) => isOwn(commit, checkpoint));
  if (own.length === 0) return { checkpoint, details: [] };
  const state = own.reduce(
    (before, commit) => adoptCommit(before, commit, checkpoint.createdAt),
    stateFromCheckpoint(checkpoint),
  );
  const whole = own.length === commits.length && isLine(checkpoint.gitSha, commits);
  const gitSha = whole ? head : checkpoint.gitSha;
  const details = own.map(({ sha, subject }) => `commit ${sha.slice(0, 12)} is kept: ${subject}`);
  return { checkpoint: { ...checkpoint, ...state, gitSha }, details };
}

function headMismatch(checkpoint: Checkpoint, head: string): CheckpointError | undefined {
  try {
    validateCheckpoint(checkpoint, head);
    return undefined;
  } catch (error) {
    if (error instanceof CheckpointError && error.code === "ERR_GIT_SHA_MISMATCH") return error;
    throw error;
  }
}

/** What the caller says now goes before what was said when the run began. */
function withOptions(state: CycleState, settings: Settings): CycleState {
  const untouchable = new Set([...state.untouchablePaths, ...settings.untouchablePaths]);
  return {
    ...state,
    maxCycles: settings.maxCycles ?? Math.max(1, state.maxCycles),
    maxBudgetUsd: settings.maxBudgetUsd ?? state.maxBudgetUsd,
    runId: state.runId === "" ? (settings.runId ?? newRunId()) : state.runId,
    untouchablePaths: [...untouchable],
  };
}

/** The cycle that will be worked at; that of the approval when there is nothing left to do. */
function resumedCycle(state: CycleState): number {
  const next = nextStep(state, { detectStruggle: false });
  if (!("step" in next)) return state.cycle;
  if (next.step === "begin") return cycleToBegin(state);
  return next.step === "resolve" ? state.cycle + 1 : state.cycle;
}

/** Names the task, by the first listener that can. */
async function nameTask(
  task: Task,
  title: string,
  runId: string,
  { hooks }: Settings,
): Promise<{ id: string; problem?: string }> {
  if (task.id !== undefined) return { id: oneLine(task.id) };
  const namer = hooks.find((hook) => hook.createTask !== undefined);
  try {
    const id = oneLine((await namer?.createTask?.(title)) ?? "");
    if (id !== "") return { id };
  } catch (error) {
    return { id: `task-${runId}`, problem: `the task could not be recorded: ${messageOf(error)}` };
  }
  return { id: `task-${runId}` };
}

function withoutRepository({ repository, state }: Run): readonly LoopEventData[] {
  if (repository !== undefined) return [];
  return [warning(state, "not in a git repository: nothing is committed, and no change is undone")];
}

function warning({ cycle }: CycleState, message: string): LoopEventData {
  return { type: "warning", cycle, message };
}

function newRunId(): string {
  return randomBytes(6).toString("hex");
}
