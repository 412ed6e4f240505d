import { clearGitLocks } from "@quasar/git";
import type { Session } from "./session.ts";
import { repositoryOf } from "../shared/workspace.ts";

/** `clearGitLocks`, told to the user. Not where another process drives. */
export async function freeGit({ workspace, reporter, hold }: Session): Promise<void> {
  if (!hold.isHeld()) return;
  for (const path of await clearGitLocks(repositoryOf(workspace))) {
    const message = `${path} was left by a git that is gone: it is set aside`;
    reporter.report({ type: "notice", message });
  }
}
