/**
 * The stages of a cycle, in the order of the integers that the file stores: `phase = 7` is
 * `PHASES[7]`, `"review_complete"`. The order is part of the format and never changes.
 *
 * @see SPEC.md, "Phases"
 */
export const PHASES = [
  "idle",
  "bead_created",
  "coding",
  "code_complete",
  "linting",
  "filtering",
  "reviewing",
  "review_complete",
  "resolving_issues",
  "approved",
  "error",
] as const;

/** The stage of a cycle. Not to be mixed up with a nebula's phase, which is a `phaseId`. */
export type Phase = (typeof PHASES)[number];
