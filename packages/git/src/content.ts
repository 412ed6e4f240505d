import { lstatSync } from "node:fs";
import { type Algorithm, blobAt } from "./blob.ts";
import { GitError, isGone, messageOf } from "./errors.ts";
import { quoted } from "./text.ts";
import { pathBytes } from "./tree-stream.ts";

/** What a path of a work tree holds, byte by byte: no filter, no conversion of line endings. */
export interface Content {
  /** From the root of the work tree, `/` between parts. */
  readonly path: string;
  /** Git's mode; `000000` where nothing is, `160000` for a folder, which is not looked into. */
  readonly mode: "100644" | "100755" | "120000" | "160000" | "000000";
  /** Id of the blob; `""` where the mode has none. */
  readonly id: string;
}

/**
 * What paths hold now. Starts no process; follows no link, a path behind one holds nothing.
 *
 * @param root - The top folder of the work tree.
 * @throws {GitError} `ERR_SNAPSHOT_FAILED` where one cannot be read.
 */
export function readContents(
  root: string,
  paths: readonly string[],
  algorithm: Algorithm,
): readonly Content[] {
  return paths.map((path) => contentAt(root, path, algorithm));
}

function contentAt(root: string, path: string, algorithm: Algorithm): Content {
  const file = pathBytes(root, Buffer.from(path.replace(/\/$/u, "")).toString("latin1"));
  try {
    if (isBehindLink(root, path)) return { path, mode: "000000", id: "" };
    const blob = blobAt(file, algorithm);
    if (blob === "folder") return { path, mode: "160000", id: "" };
    return { path, mode: blob?.mode ?? "000000", id: blob?.id ?? "" };
  } catch (error) {
    if (isGone(error)) return { path, mode: "000000", id: "" };
    const message = `${quoted(path)} could not be read: ${messageOf(error)}`;
    throw new GitError("ERR_SNAPSHOT_FAILED", message, { cause: error });
  }
}

function isBehindLink(root: string, path: string): boolean {
  const parts = path.split("/").slice(0, -1);
  return parts.some((_, at) => {
    const folder = Buffer.from(parts.slice(0, at + 1).join("/")).toString("latin1");
    return lstatSync(pathBytes(root, folder)).isSymbolicLink();
  });
}
