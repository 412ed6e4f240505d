import { lockWorkspace } from "../driving/lock.ts";
import { messageOf, RunsError } from "../errors.ts";
import type { User } from "../user/user.ts";
import type { Workspace } from "../workspace.ts";
import { CHECK_NAMES, type CheckName, CHECKS } from "./checks.ts";
import type { Place, Problem } from "./problem.ts";

export interface CheckOptions {
  /** Whether what can be fixed is, under the lock of the work tree. @default false */
  readonly fix?: boolean | undefined;
}

/** A problem, and what was done about it. */
export interface CheckedProblem extends Omit<Problem, "fix"> {
  readonly check: CheckName;
  /** What fixing does, without losing anything; `undefined` where that takes a person. */
  readonly fix: string | undefined;
  readonly fixed: boolean;
  /** Why it could not be read (`UNCHECKED`), or not be fixed. @default nothing failed */
  readonly failure?: unknown;
}

/**
 * Looks for what crashes, other programs and people have left of the runs of a work tree; fixes it where that is asked
 * for. What cannot be read is a problem too, and keeps no other check from running.
 *
 * @throws {RunsError} `ERR_LOCKED`, where something is to be fixed.
 */
export async function* checkRuns(
  workspace: Workspace,
  user: Pick<User, "folders" | "existingSealKey">,
  { fix = false }: CheckOptions = {},
): AsyncGenerator<CheckedProblem, undefined> {
  // Nothing is fixed under the hands of a runner.
  const lock = fix ? await lockWorkspace(workspace) : undefined;
  try {
    for (const check of CHECK_NAMES) {
      for await (const problem of found(check, { workspace, user })) {
        const isToFix = fix && problem.fix !== undefined;
        yield isToFix ? await fixed(problem) : { ...problem, fix: problem.fix?.does, fixed: false };
      }
    }
  } finally {
    lock?.release();
  }
}

/** A problem of a check. */
type Found = Problem & Pick<CheckedProblem, "check" | "failure">;

async function* found(check: CheckName, place: Place): AsyncGenerator<Found, undefined> {
  try {
    for await (const problem of CHECKS[check](place)) yield { ...problem, check };
  } catch (failure) {
    const next = failure instanceof RunsError ? failure.next : [];
    yield { code: "UNCHECKED", check, message: messageOf(failure), next, failure };
  }
}

async function fixed(problem: Found): Promise<CheckedProblem> {
  const fix = problem.fix?.does;
  try {
    await problem.fix?.run();
    return { ...problem, fix, fixed: true };
  } catch (failure) {
    return { ...problem, fix, fixed: false, failure };
  }
}
