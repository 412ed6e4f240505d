import { currentHead } from "@quasar/git";
import { commitSettings, gitVersion, isShallow, unmergedPaths } from "@quasar/git/setup";
import { repositoryOf, type Workspace } from "@quasar/runs";
import { findProgram } from "../find-program.ts";
import type { GitFacts, TreeFacts } from "./git.ts";
import { lookAtSigning } from "./look-at-signing.ts";

/** What git says of itself and of a work tree. Starts nothing that a repository names. */
export async function lookAtGit(cwd: string, tree: Workspace | undefined): Promise<GitFacts> {
  const [version, facts] = await Promise.all([
    gitVersion(cwd),
    tree === undefined ? undefined : lookAtTree(tree),
  ]);
  return { version, tree: facts };
}

async function lookAtTree(tree: Workspace): Promise<TreeFacts> {
  const { root } = tree;
  const { env } = process;
  const repository = repositoryOf(tree);
  const [{ head, branch }, shallow, unmerged, settings] = await Promise.all([
    currentHead(root),
    isShallow(repository),
    unmergedPaths(root),
    commitSettings(repository),
  ]);
  const signing = settings.signing && (await lookAtSigning(settings.signing, root, env));
  const hasLfs = findProgram("git-lfs", env["PATH"] ?? "") !== undefined;
  return { root, head, branch, isShallow: shallow, unmerged, settings, signing, hasLfs };
}
