import type { LandingFacts } from "@quasar/nebula/facts";

/** What is known of a landing's tree. */
export interface LandingWords {
  readonly isGood: boolean;
  readonly words: string;
}

const OUTCOMES: Readonly<Record<LandingFacts["verifications"][number]["outcome"], string>> = {
  passed: "passed",
  failed: "failed",
  flaky: "passed at a repetition",
  known: "passed before, by its receipt",
  accepted: "failed as before, accepted by a person",
};

/** Whether the tree that was verified is the one that landed. */
export function landingWords({
  tree,
  isVerified,
  isVerifiedTree,
  verifications,
}: LandingFacts): LandingWords {
  if (isVerifiedTree === undefined) return { isGood: false, words: "nothing was verified" };
  if (!isVerifiedTree) {
    return { isGood: false, words: "another tree was verified than the one that landed" };
  }
  const own = verifications.findLast((each) => each.tree === tree);
  const how = own === undefined ? "" : ` (${OUTCOMES[own.outcome]})`;
  return { isGood: isVerified, words: `validated tree = delivered tree${how}` };
}
