import { type Checkpoint, CheckpointError, validateCheckpoint } from "@quasar/checkpoint";
import type { Commit } from "@quasar/git";
import { adopt } from "./adopt.ts";
import { namedChecks } from "../checks/checks-named.ts";
import { keptCommitStyle } from "../commit/commit-style.ts";
import { stateFromCheckpoint } from "../convert.ts";
import { describeResume } from "./describe-resume.ts";
import { stashedWork } from "../commit/left-aside.ts";
import { drive } from "../engine.ts";
import { EventResumed, type LoopEventData } from "../event.ts";
import { openingWarnings, warning } from "../opening.ts";
import type { TaskResult } from "../options.ts";
import { withLimits } from "./plan.ts";
import { isMarked, restart, workAgain } from "./resume.ts";
import { protect } from "../commit/protected.ts";
import { type Ports, Run } from "../run.ts";
import { newRunId } from "../run-id.ts";
import { MOST_CYCLES, type Settings } from "../settings.ts";
import { commitsOfRun, type Since } from "./since.ts";
import type { CycleState } from "../state.ts";
import { cycleToBegin, nextStep } from "../steps.ts";
import { isUnknown } from "../transitions.ts";
import { isWorkGone, WORK_GONE } from "../turn/gone-work.ts";
import { controlsWords, stopWords } from "../repository/controls.ts";
import { headAtResume } from "../repository/work-tree.ts";
import { foreignWork } from "../commit/untouchable.ts";

/** `runFromCheckpoint` on given ports. */
export async function continueRun(
  checkpoint: Checkpoint,
  settings: Settings,
  ports: Ports,
): Promise<TaskResult> {
  // What does not depend on HEAD comes first: a later version's fields are not to be read.
  validateCheckpoint(checkpoint, checkpoint.gitSha);
  if (checkpoint.cycle > MOST_CYCLES) {
    throw new CheckpointError("ERR_INVALID_CHECKPOINT", `no run has ${checkpoint.cycle} cycles`);
  }
  const { head, branch, isClean } = await headAtResume(settings, ports);
  const commits =
    head === checkpoint.gitSha ? [] : await ports.repository?.commitsSince(checkpoint.gitSha);
  const since = await commitsOf(checkpoint, commits ?? [], ports);
  const adopted = adopt(checkpoint, since, head, settings);
  const mismatch = headMismatch(adopted.checkpoint, head);
  if (mismatch !== undefined && !settings.acceptHead) throw mismatch;

  const stored = stateFromCheckpoint(adopted.checkpoint);
  const isOnOther = stored.branch !== "" && !settings.acceptBranch;
  const placed = { ...withOptions(stored, settings), branch: isOnOther ? stored.branch : branch };
  // Nothing of the repository's runs, and the run does not either, where what controls git has changed.
  const isHeld = stopWords((await ports.repository?.controls.changes()) ?? []) !== undefined;
  const known = restart(placed, head);
  // Of a turn whose end is not known it is learned first: what it has cost.
  const isGone = !isUnknown(known) && isWorkGone(known, ports);
  const restarted = isGone ? workAgain(known, head) : known;
  const state = isHeld ? restarted : await protect(restarted, ports.repository);
  const described = describeResume(state, {
    agents: settings,
    checks: namedChecks(settings),
    now: settings.now(),
    runKind: settings.runKind,
  });
  const opening: LoopEventData[] = [
    {
      type: EventResumed,
      cycle: resumedCycle(state, settings),
      message: "resumed from checkpoint",
      details: [...adopted.items, ...described].map(({ message }) => message),
    },
    ...adopted.committed,
    ...openingWarnings(settings, ports, state),
  ];
  if (isGone) opening.push(warning(state, WORK_GONE));
  const accepted = controlsWords(ports.repository?.controls.accepted ?? []);
  if (accepted !== "") opening.push(warning(state, `${accepted} Accepted.`));
  if (since.unmarked.length > 0) {
    const found = await foreignWork(state, ports.repository, checkpoint.gitSha, head);
    if (found !== undefined) opening.push(warning(state, found));
  }
  const aside = await stashedWork({ head, state }, ports.repository);
  opening.push(...aside.map((words) => warning(state, words)));
  if (mismatch !== undefined) {
    const message = head === "" ? "HEAD is on a branch without a commit" : mismatch.message;
    opening.push(warning(state, `${message}: accepted`));
  }
  return drive(new Run(settings, ports, { state, head, resumed: true, isClean }), opening);
}

/** The reflog is asked only where a commit does not say itself whose it is. */
async function commitsOf(
  checkpoint: Checkpoint,
  commits: readonly Commit[],
  { repository }: Ports,
): Promise<Since> {
  const isAsked = !commits.every((commit) => isMarked(commit, checkpoint));
  const actions = isAsked ? await repository?.reflogActions() : undefined;
  return commitsOfRun(checkpoint, commits, actions ?? new Map());
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
    ...withLimits(state, settings),
    runId: state.runId === "" ? (settings.runId ?? newRunId()) : state.runId,
    untouchablePaths: [...untouchable],
    commitStyle: keptCommitStyle(state.commitStyle, settings.commit),
  };
}

/** The cycle that will be worked at; that of the approval when there is nothing left to do. */
function resumedCycle(state: CycleState, { runKind }: Settings): number {
  const next = nextStep(state, { detectStruggle: false, runKind });
  if (!("step" in next)) return state.cycle;
  if (next.step === "begin") return cycleToBegin(state);
  return next.step === "resolve" ? state.cycle + 1 : state.cycle;
}
