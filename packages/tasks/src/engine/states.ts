import type { HookFile, HookState } from "@quasar/hookfile";
import { isSetUp } from "@quasar/hookfile/internal";
import { recoveryInput } from "@quasar/hookfile/recovery";
import { beginStep } from "./begin-step.ts";
import { freeGit, type Session } from "./session.ts";
import { putGitHook, takeGitHook } from "./git-hook.ts";
import { reportIdle } from "./rest.ts";
import { type StopReason, stopReasonFor } from "./stop-reason.ts";
import type { HeldTree } from "./tree.ts";
import type { Watch } from "./watch.ts";
import { workStep } from "./work-step.ts";

/** What a drive has in its hands. */
export interface Drive {
  readonly session: Session;
  readonly watch: Watch;
  readonly tree: HeldTree;
}

/** What is done in a state; `undefined`: continue with the state that it has led to. */
type Act = (drive: Drive) => Promise<StopReason | undefined>;

const ACTS: Readonly<Record<HookState, Act>> = {
  async initializing(drive) {
    const { session } = drive;
    await setUp(drive);
    if (!session.fire([{ type: "setup_complete" }], isIn("initializing"))) return undefined;
    const { taskId, workspaceId, template, branch, worktreePath, steps } = session.hook();
    session.tell({
      type: "task_started",
      taskId,
      workspaceId,
      template,
      branch,
      worktree: worktreePath,
      steps: steps.length,
    });
    return undefined;
  },

  async step_pending(drive) {
    // After a crash in the middle of the set-up the state says no more that it is not done.
    if (!drive.tree.isHeld()) await setUp(drive);
    await beginStep(drive.session, drive.watch);
    return undefined;
  },

  step_running: work,
  step_validating: work,

  async recovering({ session }) {
    const { recovery, currentStep } = session.hook();
    const reason = "what was interrupted is not on record";
    const input = recovery
      ? recoveryInput(recovery)
      : ({ type: "manual_required", reason } as const);
    if (!session.fire([input], isIn("recovering"))) return undefined;
    session.tell({
      type: "recovered",
      step: currentStep?.stepName ?? "",
      lastState: recovery?.lastKnownState ?? "recovering",
      action: recovery?.recommendedAction ?? "manual",
      reason: recovery?.reason ?? reason,
    });
    return undefined;
  },

  awaiting_human: ({ session }) => reportIdle(session),

  completed: end,
  failed: end,
  abandoned: end,
};

/** Goes from state to state until the task waits, has ended or is to stand still. */
export async function goThroughStates(drive: Drive): Promise<StopReason> {
  const { session, watch } = drive;
  if (isSetUp(session.hook())) {
    await putGitHook(session);
    await watch.look(); // what came before a crash belongs to the step that it came in
  }
  for (;;) {
    if (session.signal.aborted && CAN_STOP[session.hook().state])
      return stopReasonFor(session.hook());
    const stopped = await ACTS[session.hook().state](drive);
    if (stopped !== undefined) return stopped;
  }
}

/** Whether a drive that is told to stop does so in this state; an attempt ends by its executor. */
const CAN_STOP: Readonly<Record<HookState, boolean>> = {
  initializing: true,
  step_pending: true,
  step_running: true,
  step_validating: true,
  recovering: true,
  awaiting_human: false,
  completed: false,
  failed: false,
  abandoned: false,
};

function isIn(state: HookState): (hook: HookFile) => boolean {
  return (hook) => hook.state === state;
}

async function setUp({ session, tree }: Drive): Promise<void> {
  const { parts, signal, hook, task } = session;
  await freeGit(session, hook().repoPath);
  await parts.setUp({ task: task(), signal });
  await tree.lock(hook().worktreePath);
  await putGitHook(session);
}

async function work({ session, watch }: Drive): Promise<StopReason | undefined> {
  const stop = await workStep(session, watch);
  if (stop === undefined) return undefined;
  const { kind: _kind, why: stopped, ...said } = stop;
  return { stopped, ...said };
}

async function end({ session }: Drive): Promise<StopReason> {
  await takeGitHook(session);
  return reportIdle(session);
}
