import { GitError, openRepository } from "@quasar/git";

/** The root of the work tree that a folder is in; `undefined` where it is in none. */
export async function rootOf(cwd: string): Promise<string | undefined> {
  try {
    return (await openRepository(cwd)).root;
  } catch (error) {
    if (error instanceof GitError && error.isNoWorkTree) return undefined;
    throw error;
  }
}
