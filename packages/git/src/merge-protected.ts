import { randomBytes } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { excluding } from "./commit.ts";
import type { Content } from "./content.ts";
import type { SignalOptions } from "./head.ts";
import type { Repository } from "./repository.ts";
import { git, gitFailed, gitOutput } from "./run.ts";
import { pathBytes } from "./tree-stream.ts";

/** A file that holds somebody's uncommitted content, and has changed since. */
export interface ProtectedChange {
  /** What it held; the blob is in the repository, as `storeContents` puts it there. */
  readonly base: Content;
  readonly now: Content;
}

export interface MergeOptions extends SignalOptions {
  /** Left out as they are: literal paths from the root. */
  readonly exclude: readonly string[];
  readonly changes: readonly ProtectedChange[];
}

/** Puts the bytes of files into the repository, so that a later change can be told from them. */
export async function storeContents(
  { root }: Pick<Repository, "root">,
  contents: readonly Content[],
  { signal }: SignalOptions = {},
): Promise<void> {
  const paths = contents.filter(isFile).map(({ path }) => path);
  for (let at = 0; at < paths.length; at += MOST_ARGUMENTS) {
    const some = paths.slice(at, at + MOST_ARGUMENTS);
    await gitOutput("keep", root, ["hash-object", "-w", "--no-filters", "--", ...some], { signal });
  }
}

const MOST_ARGUMENTS = 500;

/**
 * The tree that a commit has of everything but the excluded paths, and of the changed ones what has
 * changed alone: merged three ways, from what was there before into HEAD. Files, index and refs stay.
 *
 * @returns `conflicts`: paths of which the change cannot be told from what was there before.
 * @throws {GitError} `ERR_GIT_FAILED`, `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`; the signal's reason
 *   when aborted.
 * @see SPEC.md, "Changes of protected files"
 */
export async function treeOfChanges(
  { root, gitDir }: Pick<Repository, "root" | "gitDir">,
  { exclude, changes, signal }: MergeOptions,
): Promise<{ readonly tree: string } | { readonly conflicts: readonly string[] }> {
  const index = join(gitDir, `index.quasar-${randomBytes(8).toString("hex")}`);
  const run = { signal, env: { GIT_INDEX_FILE: index } };
  const folder = mkdtempSync(join(tmpdir(), "quasar-merge-"));
  try {
    await gitOutput("write", root, ["read-tree", "HEAD"], run);
    const paths = [":/", ...exclude.flatMap(excluding)];
    await gitOutput("write", root, ["add", "-A", "--", ...paths], run);
    const conflicts: string[] = [];
    for (const change of changes) {
      const merged = await mergedBlob(root, folder, change, signal);
      if (merged === undefined) conflicts.push(change.now.path);
      else {
        const entry = `${change.now.mode},${merged},${change.now.path}`;
        await gitOutput("write", root, ["update-index", "--add", "--cacheinfo", entry], run);
      }
    }
    if (conflicts.length > 0) return { conflicts };
    return { tree: (await gitOutput("write", root, ["write-tree"], run)).trim() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(index, { force: true });
    rmSync(`${index}.lock`, { force: true });
  }
}

function isFile({ mode }: Content): boolean {
  return mode === "100644" || mode === "100755";
}

async function mergedBlob(
  root: string,
  folder: string,
  { base, now }: ProtectedChange,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (!isFile(base) || !isFile(now)) return undefined;
  const [ours, before, theirs] = ["ours", "base", "theirs"].map((name) => join(folder, name));
  if (ours === undefined || before === undefined || theirs === undefined) return undefined;
  const path = Buffer.from(now.path).toString("latin1");
  for (const [file, blob] of [
    [ours, `HEAD:${now.path}`],
    [before, base.id],
  ] as const) {
    const args = ["cat-file", "blob", blob];
    const found = await git("read", root, args, { signal, encoding: "latin1" });
    if (found.exitCode !== 0) return undefined;
    writeFileSync(file, Buffer.from(found.stdout, "latin1"));
  }
  copyFileSync(pathBytes(root, path), theirs);
  const args = ["merge-file", "--quiet", ours, before, theirs];
  const merged = await git("read", root, args, { signal });
  if (merged.exitCode < 0) throw gitFailed(args, merged);
  if (merged.exitCode !== 0) return undefined;
  const hash = ["hash-object", "-w", "--no-filters", "--", ours];
  return (await gitOutput("keep", root, hash, { signal })).trim();
}
