import type { Checkpoint } from "@quasar/checkpoint";

/**
 * What a loop knows between two steps: a {@link Checkpoint} without what belongs to the file.
 *
 * It is never changed in place, so a reference to one is a snapshot. The original's transient
 * `lastCycleSHA` is not needed: a commit is put under its cycle the moment it is made.
 */
export type CycleState = Omit<
  Checkpoint,
  "version" | "phaseId" | "nebulaName" | "createdAt" | "gitSha"
>;

/** When the first turn began; `undefined` before. */
export function beginOfTurns({ ledger, turn }: CycleState): Date | undefined {
  const began = ledger[0]?.startedAt ?? turn?.startedAt ?? "";
  return began === "" ? undefined : new Date(began);
}
