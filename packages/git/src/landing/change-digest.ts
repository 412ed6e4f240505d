import { createHash } from "node:crypto";
import type { SignalOptions } from "../head.ts";
import { checkSha } from "../revision.ts";
import { folderOutput, type MergeFolder } from "./merge-folder.ts";

/** Full ids of two commits or trees. */
export interface Change {
  readonly from: string;
  readonly to: string;
}

const DIFF = [
  ...["diff-tree", "-r", "-p", "--full-index", "--no-renames", "--no-relative", "--no-color"],
  ...["--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/"],
  ...["--unified=3", "--diff-algorithm=myers", "--indent-heuristic"],
] as const;

/**
 * Tells one change from every other: the SHA-256, in hex, of the diff that it has in git. The same change has another
 * digest where a file that it changes is another one. A diff of any size is read piece by piece.
 *
 * @throws {GitError} `ERR_MISSING_OBJECT`, `ERR_BAD_REVISION`; `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function changeDigest(
  folder: MergeFolder,
  { from, to, signal }: Change & SignalOptions,
): Promise<string> {
  const args = [...DIFF, checkSha(from), checkSha(to), "--"];
  const hash = createHash("sha256");
  const onStdout = (chunk: Buffer): void => void hash.update(chunk);
  await folderOutput("read", folder, args, { signal, onStdout });
  return hash.digest("hex");
}
