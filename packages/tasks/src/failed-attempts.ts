import type { HookFile } from "@quasar/hookfile";

/** Events by which a person has looked at the step and sends it on. */
const BY_A_PERSON = ["retry_step", "human_reject", "human_approve"];

/**
 * How often a step failed and was tried again, since a person last sent it on: over all crashes
 * and stops, which count for nothing, as far as the newest events tell.
 */
export function failedAttempts({ history }: Pick<HookFile, "history">, stepName: string): number {
  const last = history.findLastIndex(
    ({ trigger, fromState }) => fromState === "awaiting_human" && BY_A_PERSON.includes(trigger),
  );
  return history
    .slice(last + 1)
    .filter((event) => event.trigger === "attempt_failed" && event.stepName === stepName).length;
}
