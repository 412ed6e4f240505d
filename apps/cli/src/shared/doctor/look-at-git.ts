import { currentHead } from "@quasar/git";
import { gitVersion } from "@quasar/git/internal";
import { inspectCommitSetup } from "@quasar/git/setup";
import type { Workspace } from "@quasar/runs";
import { repositoryOf } from "@quasar/runs/internal";
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
  const [{ head, branch }, setup] = await Promise.all([
    currentHead(root),
    inspectCommitSetup(repositoryOf(tree)),
  ]);
  const signing = setup.signing && (await lookAtSigning(setup.signing, root, env));
  const hasLfs = findProgram("git-lfs", env["PATH"] ?? "") !== undefined;
  return { root, head, branch, setup, signing, hasLfs };
}
