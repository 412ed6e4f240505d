import { approvedLast, reviewCommitAgain } from "./approved.ts";
import { lackOfValidation } from "./commit-validated.ts";
import type { StepInput, StepOutcome } from "./step.ts";

/**
 * What a person is asked before a commit leaves the machine that is not what was approved, or not what was
 * validated; `undefined` where it may. One that was HEAD when it was accepted as lacking something may.
 *
 * @see SPEC.md, "Git steps"
 */
export async function askBeforePublishing(
  input: StepInput,
  commit: string,
  signal: AbortSignal,
): Promise<StepOutcome | undefined> {
  const asked = await reviewCommitAgain(input, commit, signal);
  if (asked !== undefined) return asked;
  const approved = approvedLast(input);
  if (approved?.head === commit && approved.accepted.includes("uncommitted")) return undefined;
  const lack = await lackOfValidation(input, commit, signal);
  if (lack === undefined) return undefined;
  const reason = `${lack}; have it validated (atlas validate) and see all of it: atlas approve, or atlas reject --feedback "…"`;
  return { kind: "awaiting", awaiting: "review", reason };
}
