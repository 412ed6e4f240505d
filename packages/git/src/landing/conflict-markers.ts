import type { SignalOptions } from "../head.ts";
import { checkSha } from "../revision.ts";
import { BlobBatch } from "./blob-batch.ts";
import { linesLeft, type Marks, MarkScanner } from "./marks.ts";
import { folderOutput, type MergeFolder } from "./merge-folder.ts";
import { missingObject } from "./missing-object.ts";

export interface ConflictMarkersOptions extends SignalOptions {
  /** Full id of a commit whose tree is what `mergeTrees` gave for its two parents. */
  readonly conflictCommit: string;
  /** Full id of the tree, or the commit, in which the conflicts should be resolved. */
  readonly tree: string;
  /** Those of its conflicts. */
  readonly paths: readonly string[];
}

/** A file in which something of a merge is left. */
export interface MarkersLeft {
  readonly path: string;
  /**
   * Numbers of its lines that are left, from 1: the first 20 of the outer ones, or of what may be separators where there
   * are no others. Empty: it has nothing but the name that the merge gave it.
   */
  readonly lines: readonly number[];
}

/**
 * The files in which something is left that only the merge has put there: a line of a conflict marker, wherever its file
 * was moved to, or the name `<path>~<id of a side>` that a file has where both sides need its path. Lines that look like
 * a marker, and were in the files before, are none.
 *
 * @throws {GitError} `ERR_MISSING_OBJECT`, `ERR_BAD_REVISION`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 * @see SPEC.md, "Landing"
 */
export async function conflictMarkersLeft(
  folder: MergeFolder,
  { conflictCommit, tree, paths, signal }: ConflictMarkersOptions,
): Promise<readonly MarkersLeft[]> {
  const options = { signal };
  const parents = await parentsOf(folder, conflictCommit, options);
  const before = await marksAt(folder, conflictCommit, new Set(paths), { parents, signal });
  const changed = await pathsChanged(folder, conflictCommit, tree, options);
  const after = await marksAt(folder, tree, new Set([...paths, ...changed]), { parents, signal });
  return [...after].flatMap(([path, now]) => {
    const was = before.get(path);
    const lines = was === undefined ? now.outer : linesLeft(was, now);
    const isNamedByMerge = was !== undefined && isRenamedByMerge(path, parents);
    return lines.length > 0 || isNamedByMerge ? [{ path, lines }] : [];
  });
}

/** Whether a path has the name that a merge gives to what has to give way. */
function isRenamedByMerge(path: string, sides: readonly string[]): boolean {
  return sides.some((side) => path.includes(`~${side}`));
}

async function parentsOf(
  folder: MergeFolder,
  commit: string,
  options: SignalOptions,
): Promise<readonly string[]> {
  const args = ["rev-list", "--no-walk", "--parents", checkSha(commit), "--"];
  const [, ...parents] = (await folderOutput("read", folder, args, options)).trim().split(" ");
  return parents;
}

async function pathsChanged(
  folder: MergeFolder,
  from: string,
  to: string,
  options: SignalOptions,
): Promise<readonly string[]> {
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, checkSha(to)];
  return (await folderOutput("read", folder, args, options)).split("\0").slice(0, -1);
}

/** What those paths have of marks that are files, of any size: they are read piece by piece. */
async function marksAt(
  folder: MergeFolder,
  tree: string,
  wanted: ReadonlySet<string>,
  { parents, signal }: SignalOptions & { readonly parents: readonly string[] },
): Promise<ReadonlyMap<string, Marks>> {
  const listing = ["ls-tree", "-r", "-z", "--full-tree", checkSha(tree)];
  const entries = (await folderOutput("read", folder, listing, { signal })).split("\0");
  const files = entries.flatMap((entry) => {
    const [, id, path = ""] = FILE.exec(entry) ?? [];
    return id !== undefined && wanted.has(path) ? [{ id, path }] : [];
  });
  const found: Marks[] = [];
  let scanner = new MarkScanner(parents);
  const batch = new BlobBatch({
    write: (chunk) => scanner.write(chunk),
    end() {
      found.push(scanner.end());
      scanner = new MarkScanner(parents);
    },
  });
  await folderOutput("read", folder, ["cat-file", "--batch"], {
    input: files.map(({ id }) => `${id}\n`).join(""),
    onStdout: (chunk) => batch.write(chunk),
    signal,
  });
  return new Map(
    files.map(({ id, path }, at) => {
      const marks = found[at];
      if (marks === undefined) throw missingObject(`blob ${id}`);
      return [path, marks];
    }),
  );
}

const FILE = /^100\d{3} blob ([0-9a-f]+)\t([^]+)$/u;
