import { gitOutput, type RunOptions } from "./run.ts";

/** What a tree has at a path. */
export interface TreeEntry {
  /** As git writes it: `100644`, `100755`, `120000` (a link), `160000` (another repository's commit). */
  readonly mode: string;
  readonly id: string;
}

/** A path in which a tree differs from another one. */
export interface TreeChange {
  /** From the root: bytes, one a character. */
  readonly path: string;
  /** `undefined`: there was none. */
  readonly base: TreeEntry | undefined;
  /** `undefined`: there is none. */
  readonly kept: TreeEntry | undefined;
}

/** @param from - `""`: a tree without files. */
export async function treeChanges(
  root: string,
  from: string,
  to: string,
  run: RunOptions,
): Promise<readonly TreeChange[]> {
  const what = from === "" ? ["--root", to] : [from, to];
  const args = [
    ...["diff-tree", "-r", "-z", "--raw", "--no-commit-id", "--no-abbrev", "--no-renames"],
    ...["--no-relative", ...what, "--"],
  ];
  const output = await gitOutput("read", root, args, { ...run, encoding: "latin1" });
  const fields = output.split("\0");
  const changes: TreeChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [info = "", path = ""] = fields.slice(at, at + 2);
    const [baseMode = "", mode = "", baseId = "", id = ""] = info.replace(/^:/, "").split(" ");
    changes.push({ path, base: entryOf(baseMode, baseId), kept: entryOf(mode, id) });
  }
  return changes;
}

function entryOf(mode: string, id: string): TreeEntry | undefined {
  return mode === "000000" ? undefined : { mode, id };
}
