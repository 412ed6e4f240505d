import type { SignalOptions } from "../head.ts";
import { checkSha } from "../revision.ts";
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

/**
 * The paths in which something is left that only the merge has put there: a line of a conflict marker, wherever its file
 * was moved to, or the name `<path>~<id of a side>` that a file has where both sides need its path. Lines that look like
 * a marker, and were in the files before, are none.
 *
 * @throws {GitError} `ERR_MISSING_OBJECT`, `ERR_BAD_REVISION`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 * @see SPEC.md, "Landing"
 */
export async function conflictMarkersLeft(
  folder: MergeFolder,
  { conflictCommit, tree, paths, signal }: ConflictMarkersOptions,
): Promise<readonly string[]> {
  const options = { signal };
  const parents = await parentsOf(folder, conflictCommit, options);
  const before = await filesAt(folder, conflictCommit, new Set(paths), options);
  const changed = await pathsChanged(folder, conflictCommit, tree, options);
  const after = await filesAt(folder, tree, new Set([...paths, ...changed]), options);
  const outer = outerMarkersOf(parents);
  return [...after.keys()].filter((path) => {
    const text = after.get(path) ?? "";
    const was = before.get(path);
    if (was !== undefined)
      return isRenamedByMerge(path, parents) || hasMarkersOf(was, text, parents);
    return linesIn(text).some((line) => outer.test(line));
  });
}

/** Whether a path has the name that a merge gives to what has to give way. */
function isRenamedByMerge(path: string, sides: readonly string[]): boolean {
  return sides.some((side) => path.includes(`~${side}`));
}

function outerMarkersOf(sides: readonly string[]): RegExp {
  return new RegExp(`^(?:<{7,}|>{7,}) (?:${sides.join("|")})(?::|$)`, "u");
}

/**
 * Whether a text has a marker of those that a merge has written into another one. The outer two name their side; a
 * separator looks like the underline of a title, so those are counted.
 */
export function hasMarkersOf(conflict: string, text: string, sides: readonly string[]): boolean {
  const before = linesIn(conflict);
  const after = linesIn(text);
  const outer = outerMarkersOf(sides);
  const starts = before.filter((line) => line.startsWith("<") && outer.test(line));
  if (starts.length === 0) return false;
  if (after.some((line) => outer.test(line))) return true;
  const widths = starts.map((line) => line.indexOf(" "));
  return widths.some((width) => {
    const count = (lines: readonly string[]): number =>
      lines.filter((line) => line === "=".repeat(width)).length;
    const written = widths.filter((each) => each === width).length;
    return count(after) > count(before) - written;
  });
}

function linesIn(text: string): readonly string[] {
  return text.split("\n").map((line) => line.replace(/\r$/u, ""));
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

/** The texts of those paths that are files, one character a byte. */
async function filesAt(
  folder: MergeFolder,
  tree: string,
  wanted: ReadonlySet<string>,
  { signal }: SignalOptions,
): Promise<ReadonlyMap<string, string>> {
  const listing = ["ls-tree", "-r", "-z", "--full-tree", checkSha(tree)];
  const entries = (await folderOutput("read", folder, listing, { signal })).split("\0");
  const files = entries.flatMap((entry) => {
    const [, id, path = ""] = FILE.exec(entry) ?? [];
    return id !== undefined && wanted.has(path) ? [{ id, path }] : [];
  });
  const input = files.map(({ id }) => `${id}\n`).join("");
  const args = ["cat-file", "--batch"];
  const output = await folderOutput("read", folder, args, { signal, input, encoding: "latin1" });
  const texts = new Map<string, string>();
  let at = 0;
  for (const { id, path } of files) {
    const end = output.indexOf("\n", at);
    const [, size] = /^[0-9a-f]+ blob (\d+)$/u.exec(output.slice(at, end)) ?? [];
    if (size === undefined) throw missingObject(`blob ${id}`);
    texts.set(path, output.slice(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return texts;
}

const FILE = /^100\d{3} blob ([0-9a-f]+)\t([^]+)$/u;
