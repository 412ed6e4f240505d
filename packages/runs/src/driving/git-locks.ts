import { repositoryOf } from "../workspace.ts";
import { freeGitLocks } from "../tree/git-locks.ts";
import type { Session } from "./session.ts";

/** Sets aside the locks of a git that is gone, and says so. Not where another process drives. */
export async function freeGit({ workspace, tell, hold }: Session): Promise<void> {
  if (!hold.isHeld()) return;
  for (const message of await freeGitLocks(repositoryOf(workspace))) {
    tell({ type: "notice", message });
  }
}
