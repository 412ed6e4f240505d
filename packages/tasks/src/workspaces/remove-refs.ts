import { join } from "node:path";
import { nodeFileSystem, syncFiles } from "@quasar/durable";
import { deleteBranch, notInPast, verifyBundle, writeBundle } from "@quasar/git/internal";
import { listRefs, removeRefs } from "@quasar/git/snapshots";
import { taskFoldersOf } from "@quasar/hookfile/internal";
import { messageOf } from "../errors.ts";
import type { Ending } from "./ending.ts";
import { numbered } from "./names.ts";

type Ref = Awaited<ReturnType<typeof listRefs>>[number];

/** What is kept of a workspace's refs, now that they are gone. */
export interface KeptRefs {
  /** The file that has those that were merged nowhere; `undefined` where there were none. */
  readonly bundle: string | undefined;
  /** The name of the branch in it. */
  readonly keptBranch: string | undefined;
}

/**
 * Removes the branch and all that git keeps for the workspace and its tasks. What is merged nowhere is in a bundle
 * before, in the workspace's folder: durable, and read back.
 */
export async function removeWorkspaceRefs(ending: Ending): Promise<KeptRefs> {
  const { workspace, repository, options, warnings } = ending;
  const { signal } = options;
  const { branch, metadata } = workspace;
  if (repository === undefined) return NOTHING;
  const { root } = repository;
  try {
    const all = await listRefs(root, "refs/", { signal });
    const ofBranch = metadata.isHere
      ? undefined
      : all.find(({ ref }) => ref === `refs/heads/${branch}`);
    const ours = all.filter(isOf(ending));
    const bases = basesIn(all, metadata.baseBranch);
    const gone = ofBranch ? [ofBranch, ...ours] : ours;
    const commits = { shas: gone.map(({ sha }) => sha), tips: bases };
    const lost = await notInPast(root, commits, { signal });
    const unmerged = gone.filter(({ sha }) => lost.has(sha));
    const bundle = unmerged.length === 0 ? undefined : await bundled(ending, root, unmerged, bases);
    await removeRefs(root, ours, { signal });
    if (ofBranch !== undefined) await deleteBranch(root, branch, { signal });
    const isKept = ofBranch !== undefined && unmerged.includes(ofBranch);
    return { bundle, keptBranch: isKept ? ofBranch.ref : undefined };
  } catch (error) {
    signal?.throwIfAborted();
    warnings.push(`the branch ${branch} and refs in refs/quasar stay: ${messageOf(error)}`);
    return NOTHING;
  }
}

const NOTHING: KeptRefs = { bundle: undefined, keptBranch: undefined };

/** The workspace's own, those of its tasks, and those of the tasks' runs. */
function isOf({ dir, options }: Ending): (ref: Ref) => boolean {
  const ids = taskFoldersOf(dir).map(({ taskId }) => taskId);
  return ({ ref }) => {
    const [, owner = ""] = /^refs\/quasar\/([^/]+)\//.exec(ref) ?? [];
    return owner === options.name || ids.some((id) => owner === id || owner.startsWith(`${id}-`));
  };
}

/** Commits of the base, here and in any remote. */
function basesIn(refs: readonly Ref[], base: string): readonly string[] {
  const of = refs.filter(({ ref }) => {
    const [, name] = /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/.exec(ref) ?? [];
    return base !== "" && name === base;
  });
  return of.map(({ sha }) => sha);
}

/** From the merge base on. @returns The file. */
async function bundled(
  { dir, options: { signal } }: Ending,
  root: string,
  refs: readonly Ref[],
  bases: readonly string[],
): Promise<string> {
  for (const stem of numbered("kept")) {
    const file = join(dir, `${stem}.bundle`);
    if (nodeFileSystem.lstat(file) !== undefined) continue;
    await writeBundle(root, { file, refs, without: bases }, { signal });
    syncFiles(dir, [`${stem}.bundle`]);
    await verifyBundle(root, { file, refs }, { signal });
    return file;
  }
  throw new Error("there is no end to the names");
}
