import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { endRunProcesses } from "@quasar/agents/turns";
import { nodeFileSystem, readWholeFile } from "@quasar/durable";
import type { Repository } from "@quasar/git";

/** Git's reason for the lock that a work tree has until all of it is there. */
const BEING_MADE = "initializing";

/**
 * Takes away a work tree that git was killed in the middle of making, and what git had on record of it;
 * nobody has worked in it. Ends the git that may still be at it first.
 *
 * @param path - Of the work tree: absolute, without links.
 * @param runId - What that git has in its environment.
 */
export async function clearHalfMade(
  repository: Repository,
  path: string,
  runId: string,
): Promise<void> {
  const isThere = nodeFileSystem.lstat(path) !== undefined;
  if (isThere && halfMadeAt(repository, path) === undefined) return;
  await endRunProcesses(runId, { graceMs: 500 });
  const record = halfMadeAt(repository, path); // it may have come to its end
  if (record === undefined) return;
  rmSync(path, { recursive: true, force: true });
  rmSync(record, { recursive: true, force: true });
}

/** The folder in which git keeps its record of the work tree; `undefined` unless it is half made. */
function halfMadeAt({ commonDir }: Repository, path: string): string | undefined {
  const records = join(commonDir, "worktrees");
  if (nodeFileSystem.lstat(records)?.kind !== "directory") return undefined;
  return readdirSync(records)
    .map((name) => join(records, name))
    .find((record) => {
      if (nodeFileSystem.lstat(record)?.kind !== "directory") return false;
      return read(record, "locked") === BEING_MADE && read(record, "gitdir") === join(path, ".git");
    });
}

function read(record: string, name: string): string | undefined {
  const bytes = readWholeFile(join(record, name), { maxBytes: 64 * 1024 });
  return bytes && Buffer.from(bytes).toString().trimEnd();
}
