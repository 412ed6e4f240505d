import { type HookFile, type HookInput, nextStep, transition } from "@quasar/hookfile";
import { saveCheckpoint } from "@quasar/hookfile/checkpoints";
import { claimTask, detectAndRecover, lockTask, recoveryInput } from "@quasar/hookfile/recovery";
import { gitStep } from "../src/steps/git.ts";
import { type GitTask, openGitTask, settleGit, stepInput } from "./git-task.ts";

/** Between what a step does and what is recorded of it. */
export type Instant = "looked" | "started" | "done" | "recorded";

/**
 * Takes the git steps of a task as far as they go, as an engine does: finds out first whether the last
 * one was interrupted.
 *
 * @param at - Called at each instant of each step: what it throws is a crash.
 */
export async function driveGitSteps(
  of: Omit<GitTask, "gh">,
  at: (step: string, instant: Instant) => void = () => {},
): Promise<HookFile> {
  const { taskDir, store } = of;
  const lock = lockTask(taskDir);
  let claim: { readonly release: () => void } = lock;
  const put = (...inputs: readonly HookInput[]): HookFile =>
    store.update((hook) => transition(hook, inputs, { now: new Date() }));
  try {
    const inspect = async (hook: HookFile) => ({
      effect: await gitStep.probe(stepInput(of, hook.currentStep?.stepName ?? "")),
    });
    const detection = await detectAndRecover(taskDir, { lock, inspect });
    if (detection.kind === "crashed" && detection.hook.recovery !== undefined) {
      put(recoveryInput(detection.hook.recovery));
    }
    claim = claimTask({ store, lock, runId: `run-${process.pid}`, onError: () => {} });
    for (;;) {
      const hook = store.read();
      const next = hook && nextStep(hook);
      if (hook?.state !== "step_pending" || next?.type !== "git") return hook as HookFile;
      const { name } = next;
      const skip = await gitStep.look(stepInput(of, name));
      at(name, "looked");
      if (skip !== undefined) {
        put({ type: "skip_step", ...skip });
        continue;
      }
      put({ type: "start_step" });
      at(name, "started");
      const outcome = await gitStep.run(stepInput(of, name));
      at(name, "done");
      if (outcome.kind === "completed") {
        const git = { branch: "fix/it", commit: "", dirty: false };
        const { checkpoint } = outcome;
        if (checkpoint === undefined) put({ type: "step_complete" });
        else {
          const then = [{ type: "step_complete" }] as const;
          saveCheckpoint(store, { ...checkpoint, git, now: new Date(), then });
        }
      } else if (outcome.kind === "failed" && outcome.retryable) {
        put(
          { type: "human_required", kind: "git", reason: outcome.reason },
          { type: "retry_step" },
        );
      } else if (outcome.kind !== "stopped") {
        return put({ type: "human_required", kind: outcome.awaiting, reason: outcome.reason });
      }
      at(name, "recorded");
    }
  } finally {
    claim.release();
  }
}

const [, program, dir] = process.argv;
if (program === import.meta.filename && dir !== undefined) {
  settleGit(dir);
  process.env["ENGINE_PID"] = String(process.pid);
  await driveGitSteps(openGitTask(dir));
}
