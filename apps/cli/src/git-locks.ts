import { clearGitLocks } from "@quasar/git";
import type { Session } from "./session.ts";
import { repositoryOf } from "./workspace.ts";

/** `clearGitLocks`, told to the user. */
export async function freeGit({ workspace, reporter }: Session): Promise<void> {
  for (const path of await clearGitLocks(repositoryOf(workspace))) {
    const message = `${path} was left by a git that is gone: it is set aside`;
    reporter.report({ type: "notice", message });
  }
}
