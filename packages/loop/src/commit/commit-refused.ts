import { GitError } from "@quasar/git";
import type { CommitMessage } from "./commit-message.ts";
import { messageOf } from "../emitter.ts";
import type { Ending } from "../ending.ts";
import { failedBy } from "../full-disk.ts";
import type { Run } from "../run.ts";
import type { CycleState } from "../state.ts";
import { refuseCommit } from "../transitions.ts";

/** What a refused commit takes of the coder; of what is not named here a person has to take care. */
const FIXES: Readonly<
  Partial<Record<NonNullable<GitError["refusal"]>["by"], Exclude<CycleState["commitRefused"], "">>>
> = {
  stage: "work",
  "pre-commit": "work",
  "commit-msg": "message",
};

/** What git and the user's git hooks have said: those print what they like, as checks do. */
function redacted({ settings: { redact } }: Run, said: string): string {
  try {
    return redact?.(said) ?? said;
  } catch (failure) {
    return `what git said cannot be shown: ${messageOf(failure)}`;
  }
}

/**
 * Gives a commit that was refused for what the coder did back to it, at most as often as lint; ends the
 * run where nothing of it is the coder's to fix.
 */
export async function refused(
  run: Run,
  error: unknown,
  { subject }: CommitMessage,
): Promise<Ending | undefined> {
  const { state, settings } = run;
  const refusal = error instanceof GitError ? error.refusal : undefined;
  const fix = refusal === undefined ? undefined : FIXES[refusal.by];
  const message = redacted(run, messageOf(error));
  if (refusal === undefined || fix === undefined) {
    return failedBy(error, {
      outcome: "git",
      message: `the work could not be committed: ${message}`,
    });
  }
  const { commitFixes } = state;
  const most = settings.maxLintRetries;
  if (commitFixes >= most) return exhausted(message, commitFixes, most);
  const { what } = parts(message);
  await run.warn(`${what}: the coder ${ASKED[fix]} (${commitFixes + 1} of ${most})`);
  run.state = refuseCommit(state, fix, { output: redacted(run, refusal.output), subject });
  return undefined;
}

/** A commit of what checks or git hooks changed was refused: the coder gets this like a lint report. */
export interface RefusedLeftover {
  readonly report: string;
}

/**
 * The same for a commit of what checks or git hooks changed, which is the coder's to fix as lint is; a message
 * that is refused, too, for a fix is committed with the coder's own.
 */
export function refusedLeftover(run: Run, error: unknown, who: string): RefusedLeftover | Ending {
  const refusal = error instanceof GitError ? error.refusal : undefined;
  const message = redacted(run, messageOf(error));
  const what = `what ${who} changed could not be committed`;
  if (refusal === undefined || FIXES[refusal.by] === undefined) {
    return failedBy(error, { outcome: "git", message: `${what}: ${message}` });
  }
  const [fixes, most] = [run.state.lintFixes, run.settings.maxLintRetries];
  if (fixes >= most) return exhausted(`${what}: ${message}`, fixes, most);
  return { report: `${what}: ${parts(message).what}:\n${redacted(run, refusal.output)}` };
}

/** The end of a run whose coder has tried as often as it may. */
function exhausted(message: string, fixes: number, most: number): Ending {
  const { what, printed } = parts(message);
  const tries = `the coder has tried to fix it ${fixes} of ${most} times`;
  return { outcome: "git", message: [`${what}; ${tries}:`, ...printed, COMMIT_ADVICE].join("\n") };
}

/** Who refused a commit, and the lines that were printed. */
function parts(message: string): { readonly what: string; readonly printed: readonly string[] } {
  const [first = "", ...printed] = message.split("\n");
  return { what: first.replace(/:$/u, ""), printed };
}

const ASKED: Readonly<Record<"work" | "message", string>> = {
  work: "fixes what was printed",
  message: "is asked for another subject",
};

/** What a person does about a run on its own: the last line of its message. */
export const COMMIT_ADVICE =
  "Fix the files or the hook, do not commit: the run then continues with the commit.";
