import { TRAILER } from "@quasar/git";
import type { CommitWords } from "@quasar/loop";
import { outgoing } from "../outgoing.ts";
import { receiptsTrailer } from "../steps/receipts-trailer.ts";
import type { RunningStep } from "../steps/step.ts";
import { taskSubject } from "../steps/task-subject.ts";

/** How the commits of a step's agents are called, and what they carry of the task. */
export function commitWords(input: RunningStep): CommitWords {
  const { task, step, attempt, ports, worktree } = input;
  const ofStep = { [TRAILER.step]: step.name, [TRAILER.attempt]: String(attempt) };
  return {
    style: "auto",
    subject: taskSubject(task, outgoing(ports, worktree)),
    trailers: { ...ofStep, ...receiptsTrailer(input) },
  };
}
