import { inspectRepository } from "@quasar/git";
import { changedFiles } from "@quasar/git/history";
import { readGitFacts } from "@quasar/hookfile/checkpoints";
import { lookForPushes } from "@quasar/hookfile/git-hook";
import { ignoredBeside } from "../ignored-work.ts";
import type { WorkTreeReader } from "./parts.ts";

/** Looks by git. */
export const gitWorkTreeReader: WorkTreeReader = {
  facts: readGitFacts,
  inspect: (worktree, since, { signal }) => inspectRepository(worktree, { since, signal }),
  pushes: lookForPushes,
  changedFiles,
  ignored: ignoredBeside,
};
