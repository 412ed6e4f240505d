import type { AwaitedDecision } from "../store/hook-file.ts";
import { HOOK_MD_COMMANDS } from "./commands.ts";

/** What a person may decide, and the command that says so. */
export interface Decision {
  readonly meaning: string;
  readonly command: string;
}

/** Where a person has to decide. */
export interface Gate {
  /** After "a person has to". */
  readonly asked: string;
  readonly decisions: readonly Decision[];
}

const AGAIN_OR_SKIP: readonly Decision[] = [
  { meaning: "Try the step again", command: HOOK_MD_COMMANDS.retry },
  { meaning: "Continue without it: recorded as skipped", command: HOOK_MD_COMMANDS.skip },
];

/** Why a task waits: only a review is approved or rejected. */
export const GATES: Readonly<Record<AwaitedDecision["kind"], Gate>> = {
  review: {
    asked: "review the work",
    decisions: [
      { meaning: "Accept it and continue", command: HOOK_MD_COMMANDS.approve },
      { meaning: "Send it back", command: HOOK_MD_COMMANDS.reject },
      { meaning: "Refuse it for good", command: HOOK_MD_COMMANDS.rejectFinal },
    ],
  },
  validation: { asked: "look at a validation that failed", decisions: AGAIN_OR_SKIP },
  git: { asked: "look at a git operation that failed", decisions: AGAIN_OR_SKIP },
  ci: { asked: "look at a CI that failed", decisions: AGAIN_OR_SKIP },
  interrupted: {
    asked: "look at a step that was interrupted and may have had its effect",
    decisions: AGAIN_OR_SKIP,
  },
  attempts: { asked: "look at a step that has used up its attempts", decisions: AGAIN_OR_SKIP },
};

/** A recovery that nobody but a person can choose. */
export const MANUAL: Gate = {
  asked: "choose how to recover",
  decisions: [{ meaning: "See the choices and choose", command: HOOK_MD_COMMANDS.recover }],
};
