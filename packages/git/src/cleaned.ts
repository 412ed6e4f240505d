import { Readable } from "node:stream";
import type { SignalOptions } from "./head.ts";
import { git, gitOutput } from "./run.ts";

/**
 * The id of the blob that a commit has of a file with these bytes, which is stored: the user's filters run, line
 * endings and encoding are converted.
 *
 * @param path - Of the file, from the root: attributes are by it.
 * @throws {GitError} `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function storeCleaned(
  root: string,
  path: string,
  bytes: Buffer,
  { signal }: SignalOptions = {},
): Promise<string> {
  const input = Readable.from([bytes], { objectMode: false });
  const args = ["hash-object", "-w", "--stdin", `--path=${path}`];
  return (await gitOutput("write", root, args, { signal, input })).trim();
}

/**
 * The same of a blob that holds a file as it was on disk; `undefined`: the repository has lost it.
 *
 * @throws as {@link storeCleaned}
 */
export async function storeCleanedBlob(
  root: string,
  path: string,
  id: string,
  options: SignalOptions = {},
): Promise<string | undefined> {
  const bytes = await blobBytes(root, id, options);
  return bytes && storeCleaned(root, path, bytes, options);
}

/** What a blob holds; `undefined`: the repository has lost it. */
export async function blobBytes(
  root: string,
  id: string,
  { signal }: SignalOptions = {},
): Promise<Buffer | undefined> {
  const args = ["cat-file", "blob", id];
  const found = await git("read", root, args, { signal, encoding: "latin1" });
  return found.exitCode === 0 ? Buffer.from(found.stdout, "latin1") : undefined;
}
