import type { Override, Refusal } from "./assess.ts";

/** What a person can do to have a run continue from a tree that it may not continue in, in this order. */
export interface WayBack {
  /** Commands that come before a resume. */
  readonly steps: readonly string[];
  /** What a resume has to accept then. */
  readonly accepts: readonly Override[];
  /** What a resume has to accept to continue from where HEAD is, without those commands; `undefined`: it cannot. */
  readonly asItIs: readonly Override[] | undefined;
}

/**
 * The way back from the first refusal. What stands behind an operation of git's, or on a branch that HEAD has left, is
 * judged anew when that is put right; on a branch that is made anew where HEAD is, it still stands.
 *
 * @param refusals - One at least, in their order.
 */
export function wayBack(refusals: readonly Refusal[], isBranchGone: boolean): WayBack {
  const [first, ...others] = refusals;
  const { check, advice, alternative } = first ?? {};
  const steps = [advice, alternative && `${alternative}   # instead`].filter(
    (step): step is string => step !== undefined && step !== "",
  );
  const overrides = refusals.map(({ override }) => override);
  const all = overrides.every((each) => each !== undefined) ? overrides : undefined;
  if (steps.length === 0) return { steps, accepts: all ?? [], asItIs: undefined };
  const stays = check === "branch" && isBranchGone ? others : [];
  return {
    steps,
    accepts: stays.flatMap(({ override }) => override ?? []),
    asItIs: all,
  };
}
