import { inspectRepository } from "@quasar/git";
import { changedFiles } from "@quasar/git/history";
import { lookForPushes, readGitFacts } from "@quasar/hookfile";
import { ignoredBeside } from "../ignored-work.ts";
import type { Eyes } from "./parts.ts";

/** Looks by git. */
export const gitEyes: Eyes = {
  facts: readGitFacts,
  inspect: (worktree, since, { signal }) => inspectRepository(worktree, { since, signal }),
  pushes: lookForPushes,
  changedFiles,
  ignored: ignoredBeside,
};
