import type { CommitRefusal } from "./commit-refusal.ts";
import { stripVTControlCharacters } from "node:util";
import type { GitResult } from "./run.ts";
import { cleanLines } from "./text.ts";

/** Where a commit failed. */
export interface FailedCommit extends Pick<GitResult, "exitCode" | "stdout" | "stderr"> {
  readonly command: "add" | "commit";
  /** Whether git had written the message for its hooks, which it does after the `pre-commit` one. */
  readonly isMessageWritten: boolean;
  /** Whether there is a hook that could have refused the commit. */
  readonly hasHook: boolean;
}

export function refusalOf(failed: FailedCommit): CommitRefusal {
  const output = excerpt(failed.stderr) || excerpt(failed.stdout);
  return { by: refusedBy(failed), output };
}

function refusedBy(failed: FailedCommit): CommitRefusal["by"] {
  const { command, exitCode, stdout, stderr, isMessageWritten, hasHook } = failed;
  // A message that git could not write whole; ours is never empty.
  if (NO_MESSAGE.test(stderr)) return "git";
  // Git says `fatal` with 128; what a hook says, whatever its code is, ends in 1. So does a git that can
  // write neither its files nor why.
  const isSilent = stdout === "" && stderr === "";
  if (command === "commit" && exitCode === 1 && isSilent && !hasHook) return "git";
  if (command === "commit" && exitCode === 1) return isMessageWritten ? "commit-msg" : "pre-commit";
  if (OF_THE_MACHINE.test(stderr)) return "git";
  if (command === "commit" && SIGNING.test(stderr)) return "signing";
  // A commit of named paths stages them itself.
  return OF_FILES.test(stderr) ? "stage" : "git";
}

const NO_MESSAGE = /^Aborting commit due to empty commit message/m;

/** Failures that say nothing of the files, also where git names one after them. */
const OF_THE_MACHINE =
  /\.lock'?: |No space left|Disk quota|Read-only file system|Input\/output error|Too many open files|Cannot allocate memory|out of memory|insufficient permission for adding an object|unable to write/i;

/** What git says of a file that it does not take as it is. */
const OF_FILES =
  /does not have a commit checked out|would be replaced by|sparse-checkout|\bfilter\b|failed to encode|invalid path|appears as both a file and as a directory|^error: open\(|unable to (?:index|stat|add)\b|File ?name too long/im;

const SIGNING =
  /^(?:error|fatal): .*(?:sign|secret key|public key|write commit object)|^fatal: either user\.signingkey/im;

const KEPT = 16 * 1024;

/**
 * Whole lines, so that no secret is cut in two before somebody takes it out. What is in the middle of a flood is not
 * read at all: what strips escapes takes a time that grows with the square of a hostile text.
 */
function excerpt(output: string): string {
  const ends = [
    output.slice(0, 2 * KEPT),
    output.slice(Math.max(2 * KEPT, output.length - 2 * KEPT)),
  ];
  const text = cleanLines(ends.map(stripVTControlCharacters).join(""));
  if (text.length <= 2 * KEPT) return text;
  const head = text.slice(0, text.lastIndexOf("\n", KEPT) + 1);
  const tail = text.slice(text.indexOf("\n", text.length - KEPT) + 1);
  return `${head}[…]\n${tail.length <= KEPT ? tail : ""}`;
}
