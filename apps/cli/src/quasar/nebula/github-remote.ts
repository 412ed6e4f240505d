import { pushTarget, remoteUrl } from "@quasar/git/remotes";
import { GitError } from "@quasar/git";

const GITHUB = /^(?:[a-z+]+:\/\/)?(?:[^/@]*@)?(?:ssh\.)?github\.com(?::\d+)?[:/]/iu;

/** The remote that a branch would be pushed to, where that is GitHub; asks only the configuration. */
export async function githubRemote(root: string, branch: string): Promise<string | undefined> {
  try {
    const { remote } = await pushTarget(root, branch);
    if (remote === undefined) return undefined;
    return GITHUB.test(await remoteUrl(root, remote)) ? remote : undefined;
  } catch (error) {
    // It is for an advice only: a remote that git does not understand gets none.
    if (error instanceof GitError) return undefined;
    throw error;
  }
}
