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
 * The paths in which a line is left that the merge wrote as a conflict marker. Lines that look like one, and were in
 * the files before, are none.
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
  const [before, after] = [
    await filesAt(folder, conflictCommit, paths, options),
    await filesAt(folder, tree, paths, options),
  ];
  return [...new Set(paths)].filter((path) =>
    hasMarkersOf(before.get(path) ?? "", after.get(path) ?? "", parents),
  );
}

/**
 * Whether a text has a marker of those that a merge has written into another one. The outer two name their side; a
 * separator looks like the underline of a title, so those are counted.
 */
export function hasMarkersOf(conflict: string, text: string, sides: readonly string[]): boolean {
  const before = linesIn(conflict);
  const after = linesIn(text);
  const outer = new RegExp(`^(?:<{7,}|>{7,}) (?:${sides.join("|")})(?::|$)`, "u");
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

/** The texts of those paths that are files, one character a byte. */
async function filesAt(
  folder: MergeFolder,
  tree: string,
  paths: readonly string[],
  { signal }: SignalOptions,
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set(paths);
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
