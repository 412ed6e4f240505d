import { isDotGit } from "../dot-git.ts";
import { missingObject } from "../landing/missing-object.ts";

/** A file or a folder of a tree. */
export interface TreeEntry {
  readonly kind: "file" | "folder";
  /** From the top; bytes, one a character (latin1). */
  readonly path: string;
  /** Of what it holds. */
  readonly id: string;
  /** In bytes. */
  readonly size: number;
}

const ENTRY = /^(\d+) ([a-z]+) ([0-9a-f]+) +(\d+|-|BAD)\t(.*)$/su;

/**
 * Parses what `git ls-tree -r -t -z --long` prints of a tree that may be hostile.
 *
 * @throws {GitError} `ERR_MISSING_OBJECT`; {Error} saying why not all of it can be written into a folder.
 */
export function parseFolderTree(output: string): readonly TreeEntry[] {
  return output.split("\0").slice(0, -1).map(parseEntry);
}

function parseEntry(text: string): TreeEntry {
  const [, mode, type, id = "", size = "", path = ""] = ENTRY.exec(text) ?? [];
  const name = Buffer.from(path, "latin1").toString();
  if (!path.split("/").every(isPlain)) throw new Error(`${JSON.stringify(name)} is no plain path`);
  if (mode === "040000" && type === "tree") return { kind: "folder", path, id, size: 0 };
  if (size === "BAD") throw missingObject(`${id}, of ${JSON.stringify(name)}`);
  if (mode === "100644" && type === "blob" && size !== "-") {
    return { kind: "file", path, id, size: Number(size) };
  }
  throw new Error(`${JSON.stringify(name)} is neither a plain file nor a folder`);
}

function isPlain(part: string): boolean {
  return !/^\.{0,2}$/u.test(part) && !isDotGit(Buffer.from(part, "latin1").toString());
}
