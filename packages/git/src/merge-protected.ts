import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blobBytes, storeCleaned, storeCleanedBlob } from "./cleaned.ts";
import { excluding } from "./stage.ts";
import type { Content } from "./content.ts";
import type { SignalOptions } from "./head.ts";
import type { Repository } from "./repository.ts";
import { git, gitFailed, gitOutput, type RunOptions } from "./run.ts";
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

export type MergedTree =
  /** Id of the tree. */
  | { readonly kind: "merged"; readonly tree: string }
  /** Paths of which the change cannot be told from what was there before. */
  | { readonly kind: "conflicts"; readonly paths: readonly string[] };

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
 * @throws {GitError} `ERR_GIT_FAILED`, `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`; the signal's reason
 *   when aborted.
 * @see SPEC.md, "Changes of protected files"
 */
export async function treeOfChanges(
  { root, gitDir }: Pick<Repository, "root" | "gitDir">,
  { exclude, changes, signal }: MergeOptions,
): Promise<MergedTree> {
  const index = join(gitDir, `index.quasar-${randomBytes(8).toString("hex")}`);
  const run = { signal, env: { GIT_INDEX_FILE: index } };
  const folder = mkdtempSync(join(tmpdir(), "quasar-merge-"));
  try {
    await gitOutput("write", root, ["read-tree", "HEAD"], run);
    const paths = [":/", ...exclude.flatMap(excluding)];
    await gitOutput("write", root, ["add", "-A", "--", ...paths], run);
    const conflicts: string[] = [];
    for (const change of changes) {
      const merged = await mergedFile({ root, folder, run }, change);
      if (merged === undefined) conflicts.push(change.now.path);
      else {
        const entry = `${merged.mode},${merged.id},${change.now.path}`;
        await gitOutput("write", root, ["update-index", "--add", "--cacheinfo", entry], run);
      }
    }
    if (conflicts.length > 0) return { kind: "conflicts", paths: conflicts };
    const tree = (await gitOutput("write", root, ["write-tree"], run)).trim();
    return { kind: "merged", tree };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(index, { force: true });
    rmSync(`${index}.lock`, { force: true });
  }
}

function isFile({ mode }: Content): boolean {
  return mode === "100644" || mode === "100755";
}

interface Place {
  readonly root: string;
  /** An empty folder outside of the work tree. */
  readonly folder: string;
  /** How git is run: on the index of HEAD. */
  readonly run: RunOptions;
}

/** Merged as a commit has them: through the user's filters, with line endings converted. */
async function mergedFile(
  place: Place,
  { base, now }: ProtectedChange,
): Promise<Pick<Content, "mode" | "id"> | undefined> {
  if (!isFile(base) || !isFile(now)) return undefined;
  const { root, folder, run } = place;
  const { path } = now;
  const head = await entryOf(place, path);
  if (head === undefined) return undefined;
  const options = { signal: run.signal };
  const disk = readFileSync(pathBytes(root, Buffer.from(path).toString("latin1")));
  const versions = [
    head.id,
    await storeCleanedBlob(root, path, base.id, options),
    await storeCleaned(root, path, disk, options),
  ];
  const files = ["ours", "base", "theirs"].map((name) => join(folder, name));
  for (const [at, file] of files.entries()) {
    const id = versions[at];
    const bytes = id && (await blobBytes(root, id, options));
    if (bytes === undefined) return undefined;
    writeFileSync(file, bytes);
  }
  const args = ["merge-file", "--quiet", ...files];
  const merged = await git("read", root, args, options);
  if (merged.exitCode < 0) throw gitFailed(args, merged);
  if (merged.exitCode !== 0) return undefined;
  const hash = ["hash-object", "-w", "--no-filters", "--", join(folder, "ours")];
  const id = (await gitOutput("keep", root, hash, options)).trim();
  // A mode that was there before the run is not the run's to commit.
  return { mode: now.mode === base.mode ? head.mode : now.mode, id };
}

/** A file as HEAD has it. */
async function entryOf(
  { root, run }: Place,
  path: string,
): Promise<Pick<Content, "mode" | "id"> | undefined> {
  const args = ["ls-tree", "-z", "--full-tree", "HEAD", "--", path];
  const options = { signal: run.signal, env: { GIT_LITERAL_PATHSPECS: "1" } };
  const [, mode, id = ""] = ENTRY.exec(await gitOutput("read", root, args, options)) ?? [];
  return mode === "100644" || mode === "100755" ? { mode, id } : undefined;
}

const ENTRY = /^(\d+) blob ([0-9a-f]+)\t/u;
