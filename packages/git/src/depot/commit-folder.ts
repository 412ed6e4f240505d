import { algorithmOf, NEUTRAL, readConfig } from "../config.ts";
import { GitError } from "../errors.ts";
import { importCommit } from "../fast-import.ts";
import type { SignalOptions } from "../head.ts";
import { commitBegin, commitEnd } from "../import-stream.ts";
import { type OpenedRepository, rootOf } from "../repository.ts";
import { type Leaves, filesIn, fileStream } from "./folder-files.ts";

export interface FolderToCommit extends SignalOptions {
  readonly dir: string;
  /** Whether a path, from the folder on and with `/`, is left out; of a folder with all in it. @default none is */
  readonly leaves?: Leaves | undefined;
  /** The date of the commit, since 1970. */
  readonly atSeconds: number;
}

const MESSAGE = "A folder\n";

/**
 * Makes a commit of a folder's files, byte by byte as they are on disk: no attribute, filter or mode of theirs counts. Links,
 * devices, `.git` and empty folders are left out, and what goes away meanwhile. It has no past, and the same files at the same
 * date give the same id. No ref names it. Starts one git process.
 *
 * @throws {GitError} `ERR_SNAPSHOT_FAILED` where a file cannot be read or gets shorter while it is; `ERR_INVALID_ARGUMENT` for
 *   a date that is no whole number; `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when
 *   aborted.
 * @see SPEC.md, "Depots"
 */
export async function commitFolder(
  repository: string | OpenedRepository,
  { dir, leaves = () => false, atSeconds, signal }: FolderToCommit,
): Promise<string> {
  if (!Number.isSafeInteger(atSeconds) || atSeconds < 0) {
    const message = `${atSeconds} is no whole number of seconds since 1970`;
    throw new GitError("ERR_INVALID_ARGUMENT", message);
  }
  const root = rootOf(repository);
  const digits = algorithmOf(await readConfig(root, { signal })) === "sha256" ? 64 : 40;
  async function* stream(): AsyncGenerator<Buffer> {
    yield commitBegin(`${NEUTRAL.name} <${NEUTRAL.email}> ${atSeconds} +0000`, MESSAGE);
    for (const path of filesIn(dir, leaves)) yield* fileStream(dir, path);
    yield commitEnd("0".repeat(digits));
  }
  return importCommit(root, stream(), { signal });
}
