import type { SignalOptions } from "./head.ts";
import { checkSha } from "./revision.ts";
import { git, gitFailed, gitOutput } from "./run.ts";

/** A file as a commit has it. */
export interface CommittedFile {
  readonly path: string;
  /** Of its blob. */
  readonly id: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * Which of some paths are plain files in a commit, by path: no links, no programs, no folders. Nothing of the
 * work tree is checked.
 *
 * @param commit - A full commit id.
 * @throws {GitError} `ERR_BAD_REVISION` unless it is one; `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`,
 *   `ERR_GIT_FAILED`, also for a commit that is missing; the signal's reason when aborted.
 */
export async function filesAt(
  workTree: string,
  commit: string,
  paths: readonly string[],
  options: SignalOptions = {},
): Promise<ReadonlyMap<string, CommittedFile>> {
  const id = checkSha(commit);
  if (paths.length === 0) return new Map();
  const args = ["ls-tree", "-z", "-l", "--full-tree", id, "--", ...paths];
  const entries = (await gitOutput("read", workTree, args, options)).split("\0").slice(0, -1);
  const files = entries.flatMap((entry): CommittedFile[] => {
    const [, mode, blob = "", size, path = ""] = ENTRY.exec(entry) ?? [];
    return mode === PLAIN ? [{ path, id: blob, size: Number(size) }] : [];
  });
  return new Map(files.map((file) => [file.path, file]));
}

const ENTRY = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t([^]*)$/;
const PLAIN = "100644";

/**
 * The text of a blob; `undefined` for one that is no UTF-8.
 *
 * @throws as {@link filesAt}
 */
export async function readBlob(
  workTree: string,
  id: string,
  options: SignalOptions = {},
): Promise<string | undefined> {
  const args = ["cat-file", "blob", checkSha(id)];
  const result = await git("read", workTree, args, { ...options, encoding: "latin1" });
  if (result.exitCode !== 0) throw gitFailed(args, result);
  try {
    return UTF8.decode(Buffer.from(result.stdout, "latin1"));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });
