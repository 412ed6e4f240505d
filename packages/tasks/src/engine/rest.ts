import { isTerminal } from "@quasar/hookfile";
import { outgoing } from "../outgoing.ts";
import type { Session } from "./session.ts";
import { type StopReason, stopReasonFor } from "./stop-reason.ts";

/** Tells everybody that the task waits for a person, or has ended. */
export async function reportIdle(session: Session): Promise<StopReason> {
  const { parts, ports, hook, task } = session;
  const { taskId, state, awaiting, currentStep, worktreePath, repoPath } = hook();
  if (isTerminal(state)) {
    session.tell({ type: "task_ended", state });
  } else {
    const { kind = "interrupted", reason = "" } = awaiting ?? {};
    if (kind === "review") await tellIgnored(session);
    session.tell({ type: "awaiting", step: currentStep?.stepName ?? "", kind, reason });
  }
  const stopReason = stopReasonFor(hook());
  const notice = {
    command: task().config.notify,
    worktree: isTerminal(state) ? repoPath : worktreePath,
    taskId,
    event: state,
    message: outgoing(ports, worktreePath)(stopReason.message),
  };
  const problem = await parts.notify(notice, ports);
  if (problem !== undefined) session.warn(problem);
  return stopReason;
}

/** What is reviewed may be more than what any commit will have. */
async function tellIgnored({ parts, hook, task, signal, warn }: Session): Promise<void> {
  const words = await parts.workTreeReader.ignored(hook().worktreePath, task(), signal);
  if (words !== "") warn(words);
}
