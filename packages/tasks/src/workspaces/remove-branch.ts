import { messageOf } from "../errors.ts";
import { deleteBranch, isAncestor, listRefs, refSha } from "@quasar/git";
import type { Ending } from "./ending.ts";
import { keepCommit } from "./keep-commit.ts";

/** @returns The ref that keeps the branch, where it was merged nowhere. */
export async function removeBranch(ending: Ending): Promise<string | undefined> {
  const { workspace, repository, options, warnings } = ending;
  const { signal, name } = options;
  const { branch, metadata } = workspace;
  if (repository === undefined || metadata.isHere) return undefined;
  const { root } = repository;
  try {
    const sha = await refSha(root, `refs/heads/${branch}`, { signal });
    if (sha === undefined) return undefined;
    const isMerged = await isMergedInto(root, sha, { base: metadata.baseBranch, signal });
    const prefix = `refs/quasar/${name}/branch`;
    const kept = isMerged ? undefined : await keepCommit(root, { prefix, sha }, signal);
    await deleteBranch(root, branch, { signal });
    return kept;
  } catch (error) {
    signal?.throwIfAborted();
    warnings.push(`the branch ${branch} stays: ${messageOf(error)}`);
    return undefined;
  }
}

/** Whether the base has a commit, here or in any remote. */
async function isMergedInto(
  root: string,
  sha: string,
  { base, signal }: { readonly base: string; readonly signal: AbortSignal | undefined },
): Promise<boolean> {
  const refs = await listRefs(root, "refs/", { signal });
  const bases = refs.filter(({ ref }) => {
    const [, name] = /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/.exec(ref) ?? [];
    return base !== "" && name === base;
  });
  for (const { sha: at } of bases) {
    if ((await isAncestor(root, sha, at, { signal })) === true) return true;
  }
  return false;
}
