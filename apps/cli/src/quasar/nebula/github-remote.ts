import { GitError } from "@quasar/git";
import { pushPlace } from "@quasar/git/internal";
import { pushTarget, remoteUrl } from "@quasar/git/remotes";
import { isUnfinished, type NebulaState } from "@quasar/nebula";

const GITHUB = /^(?:[a-z+]+:\/\/)?(?:[^/@]*@)?(?:ssh\.)?github\.com(?::\d+)?[:/]/iu;

/**
 * The remote that the branch of a nebula which has ended would be pushed to, where that is GitHub. It is for an advice:
 * only git's configuration is asked. A URL comes without its login.
 */
export async function githubRemote(root: string, state: NebulaState): Promise<string | undefined> {
  if (isUnfinished(state)) return undefined;
  try {
    const { remote } = await pushTarget(root, state.branch);
    if (remote === undefined) return undefined;
    if (!GITHUB.test(await remoteUrl(root, remote))) return undefined;
    return (await pushPlace(root, remote)).remote;
  } catch (error) {
    // A remote that git does not understand gets none.
    if (error instanceof GitError) return undefined;
    throw error;
  }
}
