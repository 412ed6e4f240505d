import { clearGitLocks, type Repository } from "@quasar/git";
import type { Session } from "./session.ts";
import type { Workspace } from "./workspace.ts";

/** A work tree's repository, as git's own functions take it. */
export function repositoryOf({ root, gitDir, repositoryId: commonDir }: Workspace): Repository {
  return { root, gitDir, commonDir };
}

/** `clearGitLocks`, told to the user. */
export async function freeGit({ workspace, reporter }: Session): Promise<void> {
  for (const path of await clearGitLocks(repositoryOf(workspace))) {
    const message = `${path} was left by a git that is gone: it is set aside`;
    reporter.report({ type: "notice", message });
  }
}
