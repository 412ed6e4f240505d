import { type HookFile, type HookInput, nextStep } from "@quasar/hookfile";
import { notAwaited } from "./awaited.ts";

// What follows from a person's word, as events; nothing here has an effect.

/** An approval counts for the content that was shown, which is recorded with it. */
export function approval(hook: HookFile, shown: Readonly<Record<string, string>>): HookInput[] {
  requireReview(hook, "there is nothing to approve");
  return [{ type: "human_approve", details: shown }];
}

export function rejection(hook: HookFile, feedback: string): HookInput[] {
  requireReview(hook, "there is nothing to reject");
  return [{ type: "human_reject", feedback }];
}

/** The work is refused for good. */
export function finalRejection(hook: HookFile, feedback: string): HookInput[] {
  requireReview(hook, "there is nothing to reject");
  const reason = feedback === "" ? "rejected for good" : `rejected for good: ${feedback}`;
  return [{ type: "fail", reason, details: { kind: "rejected" } }];
}

/** The step is tried again. A review is approved or rejected, not tried again. */
export function anotherTry(hook: HookFile): HookInput[] {
  if (hook.state === "recovering") return [{ type: "retry_step" }];
  requirePerson(hook, "there is nothing to try again");
  return [{ type: "retry_step" }];
}

/** The step is left out. A review is not: what nobody has looked at is not accepted. */
export function leavingOut(hook: HookFile, reason: string): HookInput[] {
  const skip: HookInput = { type: "skip_step", reason, details: { by: "person" } };
  if (hook.state === "step_pending" && nextStep(hook)?.type === "human") {
    throw notAwaited(hook, "the next step is a review, which cannot be skipped");
  }
  if (hook.state === "step_pending" || hook.state === "recovering") return [skip];
  requirePerson(hook, "there is nothing to skip");
  return [{ type: "retry_step" }, skip];
}

function requireReview(hook: HookFile, what: string): void {
  if (hook.awaiting?.kind !== "review") throw notAwaited(hook, what);
}

function requirePerson(hook: HookFile, what: string): void {
  if (hook.awaiting === undefined || hook.awaiting.kind === "review") throw notAwaited(hook, what);
}
