import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  CheckpointError,
  type CheckpointErrorCode,
  type LoadedCheckpoint,
} from "@quasar/checkpoint";
import { RunsError, type RunsErrorCode } from "../errors.ts";
import { parseRunId } from "../run-id.ts";
import type { Workspace } from "../workspace.ts";
import { JOURNAL_FILE } from "../journal/journal.ts";
import { isQuarantined, runIds } from "./list.ts";
import { loadRun, type RunFiles, runStores } from "../store.ts";
import { damagedNext, QUARANTINED, quarantinedNext } from "./summary.ts";

/** A run that is read. */
export interface FoundRun {
  readonly id: string;
  /** Where its files are. */
  readonly dir: string;
  readonly loaded: LoadedCheckpoint;
  /** Whether nothing of it is to be resumed. */
  readonly ended: boolean;
}

/**
 * The run that is named, or the newest.
 *
 * @param sealKey - Without it a checkpoint's origin is not judged.
 * @throws {RunsError} `ERR_USAGE` when there is no such run; `ERR_NOTHING_TO_RESUME` when there is none;
 *   `ERR_CORRUPT` or `ERR_STATE` when it cannot be read.
 */
export async function findRun(
  workspace: Workspace,
  id: string | undefined,
  sealKey?: Uint8Array,
): Promise<FoundRun> {
  for (const each of findIds(workspace, id)) {
    const dir = join(workspace.runsDir, each);
    const { loaded, ended } = await load(workspace, each, sealKey);
    if (loaded !== undefined) return { id: each, dir, loaded, ended };
    if (isQuarantined(dir)) {
      throw new RunsError("ERR_CORRUPT", `run ${each}: ${QUARANTINED}`, {
        next: quarantinedNext(each),
      });
    }
  }
  if (id === undefined) throw noRuns();
  throw new RunsError("ERR_NOTHING_TO_RESUME", `run ${id} never got to its first save`, {
    next: [{ do: "list" }, { do: "start" }],
  });
}

/**
 * The run that is named, or the newest that has come to something: found without reading its state,
 * which may be damaged.
 *
 * @throws {RunsError} `ERR_USAGE` when there is no such run; `ERR_NOTHING_TO_RESUME` when there is none.
 */
export function locateRun(workspace: Workspace, id: string | undefined): Omit<FoundRun, Read> {
  const found = findIds(workspace, id)
    .map((each) => ({ id: each, dir: join(workspace.runsDir, each) }))
    .find(({ dir }) => id !== undefined || SIGNS.some((name) => existsSync(join(dir, name))));
  if (found === undefined) throw noRuns();
  return found;
}

type Read = "loaded" | "ended";

/** What a run has in its folder once it has begun. */
const SIGNS = [JOURNAL_FILE, "checkpoint.toml", "archive"];

/** The ids of the runs that are meant, newest first. */
function findIds(workspace: Workspace, id: string | undefined): readonly string[] {
  const ids = runIds(workspace);
  if (id === undefined && ids.length === 0) throw noRuns();
  if (id === undefined) return ids;
  const wanted = parseRunId(id);
  if (ids.includes(wanted)) return [wanted];
  throw new RunsError("ERR_USAGE", `there is no run ${wanted} in this work tree`, {
    next: [{ do: "list" }],
  });
}

function noRuns(): RunsError {
  return new RunsError("ERR_NOTHING_TO_RESUME", "no runs in this work tree yet", {
    next: [{ do: "start" }],
  });
}

async function load(
  workspace: Workspace,
  id: string,
  sealKey: Uint8Array | undefined,
): Promise<RunFiles> {
  try {
    return await loadRun(runStores(workspace, id, sealKey));
  } catch (cause) {
    if (!(cause instanceof CheckpointError)) throw cause;
    const next = damagedNext(id, cause);
    throw new RunsError(CODES[cause.code], `run ${id}: ${cause.message}`, { cause, next });
  }
}

/** What keeps a checkpoint from being read, for who looks at its run. */
const CODES: Readonly<Record<CheckpointErrorCode, RunsErrorCode>> = {
  ERR_DAMAGED: "ERR_CORRUPT",
  ERR_GIT_SHA_MISMATCH: "ERR_HEAD_MOVED",
  ERR_INCOMPATIBLE_VERSION: "ERR_STATE",
  ERR_INVALID_CHECKPOINT: "ERR_CORRUPT",
  ERR_NOT_DURABLE: "ERR_STATE",
  ERR_TOO_LARGE: "ERR_CORRUPT",
  ERR_UNREADABLE: "ERR_UNSAFE_PATH",
};
