import type { HookFile, StepCheckpoint } from "@quasar/hookfile";
import type { ValidationReceipt, Verdict } from "@quasar/receipts";
import { cleanLine, fit } from "@quasar/runs/text";
import { labelled, type Style, type View } from "../../shared/output/text.ts";

/** `step_running (implement, attempt 2)` */
export function stateText({ state, currentStep, awaiting }: HookFile): string {
  const { stepName, attempt } = currentStep ?? {};
  const parts = [
    stepName === undefined ? "" : cleanLine(stepName),
    stepName === undefined ? "" : `attempt ${attempt}`,
    awaiting === undefined ? "" : `for ${awaiting.kind}`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? state : `${state} (${parts.join(", ")})`;
}

/** The starts of a step, and how many of those that it may have failed. */
export interface Attempts {
  /** Counts its starts, from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly failed: number;
}

/** `attempt 2 of 3`. A start after a crash, a stop or a person's word is none of these: `attempt 1 of 3, start 2`. */
export function attemptText({ attempt, maxAttempts, failed }: Attempts): string {
  // As a log of another version may have it.
  if (failed >= maxAttempts) return `attempt ${attempt}`;
  const text = `attempt ${failed + 1} of ${maxAttempts}`;
  return attempt === failed + 1 ? text : `${text}, start ${attempt}`;
}

type RecoveryAction = NonNullable<HookFile["recovery"]>["recommendedAction"];

const ACTIONS: Readonly<Record<RecoveryAction, string>> = {
  retry_step: "repeats the step",
  retry_validation: "runs the validation again",
  skip_step: "continues after the step",
  manual: "waits for you",
  await_human: "waits for you",
};

/** What a resume does about an interruption, and why, in words. */
export function recoveryText(action: string, reason: string): string {
  const words = Object.hasOwn(ACTIONS, action) ? ACTIONS[action as RecoveryAction] : action;
  const why = reason.replace(/^\S+ may be repeated(?:, )?/u, "");
  return cleanLine(why === "" ? words : `${words}: ${why}`);
}

/** `ckpt-a1b2c3d4 (2 min ago)` */
export function lastCheckpointText({ checkpoints }: HookFile, now: number): string {
  const last = checkpoints.at(-1);
  return last === undefined
    ? "none"
    : `${cleanLine(last.checkpointId)} (${ago(last.createdAt, now)})`;
}

/** The two lines that the seed gives to `atlas status`, word for word. */
export function hookLines(hook: HookFile, now: number): string[] {
  return [`Hook State: ${stateText(hook)}`, `Last Checkpoint: ${lastCheckpointText(hook, now)}`];
}

export function checkpointText({ trigger, description }: StepCheckpoint): string {
  return `${trigger}: ${fit(cleanLine(description), 200)}`;
}

/** A labelled text of several lines, none of which begins a line of the output. */
export function labelledText(view: View, label: string, text: string, style?: Style): string[] {
  const lines = text
    .split("\n")
    .map(cleanLine)
    .filter((line) => line !== "");
  return lines.flatMap((line, n) => labelled(view, n === 0 ? label : "", line, style));
}

const SECOND = 1000;
/** From the longest on: what is of a unit, and its name. */
const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400 * SECOND, "d"],
  [3600 * SECOND, "h"],
  [60 * SECOND, "min"],
  [SECOND, "s"],
];

/** `2 min ago`, of RFC 3339; what is not past is `now`. */
export function ago(at: string, now: number): string {
  const ms = now - Date.parse(at);
  const [unit, name] = UNITS.find(([length]) => ms >= length) ?? [];
  return unit === undefined ? "now" : `${Math.floor(ms / unit)} ${name} ago`;
}

/** What a receipt is worth, for a person, and whether it is worth it. */
export function verdictText(
  receipt: ValidationReceipt,
  verdict: Verdict | undefined,
): { readonly text: string; readonly style: "green" | "red" | "yellow" } {
  switch (verdict?.kind) {
    case undefined:
      return { text: "not verified here", style: "yellow" };
    case "invalid":
      return { text: `INVALID ✗ (${cleanLine(verdict.reason)})`, style: "red" };
    case "unverifiable":
      return { text: `UNVERIFIABLE (${cleanLine(verdict.reason)})`, style: "yellow" };
    case "valid": {
      if (verdict.output === "modified") return { text: "OUTPUT MODIFIED ✗", style: "red" };
      const part = verdict.coverage === "partial" ? ", in part" : "";
      const failed = receipt.exitCode === 0 ? "" : `, exit code ${receipt.exitCode}`;
      return {
        text: `VALID ✓${part}${failed}`,
        style: receipt.exitCode === 0 ? "green" : "yellow",
      };
    }
  }
}
