import { lstatSync, readdirSync } from "node:fs";
import { isGone } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { TICK_MS } from "./newer.ts";
import { gitOutput } from "./run.ts";
import { isOwnPath } from "./snapshots.ts";

/**
 * Folders that came after a moment and hold no file, the outermost of each: no commit holds them. Ignored ones are
 * left out. Starts one git process.
 *
 * @param root - The top folder of the work tree.
 * @throws {GitError} `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function emptyFolders(
  root: string,
  since: Date,
  { signal }: SignalOptions = {},
): Promise<readonly string[]> {
  const args = ["ls-files", "--others", "--directory", "--exclude-standard", "-z", "--", ":/"];
  const listed = (await gitOutput("read", root, args, { signal })).split("\0");
  const folders = listed.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));
  return folders.filter((path) => !isOwnPath(path) && isNewAndEmpty(`${root}/${path}`, since));
}

function isNewAndEmpty(folder: string, since: Date): boolean {
  try {
    const { birthtimeMs, ctimeMs } = lstatSync(folder);
    // Some file systems do not keep when something was made.
    return (birthtimeMs || ctimeMs) > since.getTime() - TICK_MS && isEmpty(folder);
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

function isEmpty(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true }).every(
    (entry) => entry.isDirectory() && isEmpty(`${folder}/${entry.name}`),
  );
}
