import type { Repository } from "@quasar/git";
import { gitDirAt } from "@quasar/git/internal";

/** Whether a work tree is there as it was opened: a command may have removed it, or its git folder. */
export async function isWhole({
  root,
  gitDir,
}: Pick<Repository, "root" | "gitDir">): Promise<boolean> {
  return (await gitDirAt(root)) === gitDir;
}
