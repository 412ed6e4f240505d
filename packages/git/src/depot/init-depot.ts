import { isAbsolute, dirname } from "node:path";
import { hasErrno } from "@quasar/process/files";
import { GitError, messageOf } from "../errors.ts";
import type { SignalOptions } from "../head.ts";
import { newFolder } from "../new-folder.ts";
import { entryAt } from "../plain-file.ts";
import { git, gitOutput } from "../run.ts";
import { quoted } from "../text.ts";

/** What is flushed and checked as it arrives, and nothing removed behind the back of those who share it. */
const SETTINGS = {
  "core.fsync": "all",
  "receive.fsckObjects": "true",
  "receive.autogc": "false",
  "gc.auto": "0",
} as const;

/**
 * Makes a bare repository over which workers exchange commits: durable, without git hooks, and the folders above it where
 * they are missing. A bare repository that is there is taken as it is: `known`.
 *
 * @param path - Absolute, of this machine: a depot behind a URL is made where it is to be.
 * @throws {GitError} `ERR_NAME_TAKEN` where anything else is there, which is left as it is; `ERR_INVALID_ARGUMENT` for a
 *   relative path or a URL; `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 * @see SPEC.md, "Depots"
 */
export async function initDepot(
  path: string,
  { signal }: SignalOptions = {},
): Promise<"made" | "known"> {
  if (!isAbsolute(path) || path.includes("\0")) {
    const message = `${quoted(path)} is no absolute path of this machine: make a depot where it is to be`;
    throw new GitError("ERR_INVALID_ARGUMENT", message);
  }
  if (isThere(path)) return requireBare(path, signal);
  try {
    await newFolder(path, 0o777, (folder) => fill(folder, signal));
    return "made";
  } catch (error) {
    if (hasErrno(error, "ENOTEMPTY", "EEXIST", "ENOTDIR") && isThere(path)) {
      return requireBare(path, signal);
    }
    if (error instanceof GitError || signal?.aborted === true) throw error;
    const message = `${quoted(path)} could not be made: ${messageOf(error)}`;
    throw new GitError("ERR_GIT_FAILED", message, { cause: error, path });
  }
}

function isThere(path: string): boolean {
  return entryAt(path) !== undefined;
}

async function requireBare(path: string, signal: AbortSignal | undefined): Promise<"known"> {
  if (await isBare(path, signal)) return "known";
  const message = `${quoted(path)} is there already, and is no bare repository`;
  throw new GitError("ERR_NAME_TAKEN", message, { path });
}

async function isBare(path: string, signal: AbortSignal | undefined): Promise<boolean> {
  const args = ["rev-parse", "--is-bare-repository"];
  try {
    const asked = await git("read", dirname(path), args, { signal, env: { GIT_DIR: path } });
    return asked.exitCode === 0 && asked.stdout === "true\n";
  } catch (error) {
    const code = error instanceof GitError ? error.code : undefined;
    // The second is said where a repository is around the folder.
    if (code === "ERR_NOT_A_REPOSITORY" || code === "ERR_UNREADABLE_REPOSITORY") return false;
    throw error;
  }
}

async function fill(folder: string, signal: AbortSignal | undefined): Promise<void> {
  // Without a template there are no git hooks, whatever the user has set.
  await gitOutput("keep", dirname(folder), ["init", "--quiet", "--bare", "--template=", folder], {
    signal,
  });
  const env = { GIT_DIR: folder };
  for (const [name, value] of Object.entries(SETTINGS)) {
    await gitOutput("keep", folder, ["config", name, value], { signal, env });
  }
}
