import { join } from "node:path";
import {
  CheckpointError,
  checkpointPath,
  type FileCheckpointStore,
  type LoadedCheckpoint,
} from "@quasar/checkpoint";
import { TRAILER } from "@quasar/git";
import { readCommit } from "@quasar/git/history";
import { FOLDER, isRealFolder } from "../real-folder.ts";
import { RunsError } from "../errors.ts";
import { cleanLine } from "../text/clean.ts";
import { moment } from "../text/format.ts";
import { isRunId, newRunId } from "../run-id.ts";
import { type RunElsewhere, runsElsewhere } from "../look/elsewhere.ts";
import { openRunIds, runIds } from "../look/list.ts";
import { runStores } from "../store.ts";
import { recoverAndLoad, type RunStores } from "../tree/stores.ts";
import { seedStore } from "../compatibility.ts";
import type { Workspace } from "../workspace.ts";

/** The run that a resume continues with. */
export interface FoundCheckpoint {
  readonly runId: string;
  readonly loaded: LoadedCheckpoint;
  readonly path: string;
  /** What the run continues to save to; where it is no run yet it was loaded from elsewhere. */
  readonly stores: RunStores;
}

/** How a folder is loaded from. */
export type Load = (store: FileCheckpointStore) => Promise<LoadedCheckpoint | undefined>;

/**
 * The run to resume: the one that is named, else the newest unfinished one, else what another
 * program has left in `.quasar`.
 *
 * @throws {RunsError} `ERR_NOTHING_TO_RESUME`, and what `load` throws.
 */
export async function findCheckpoint(
  workspace: Workspace,
  wanted: string | undefined,
  sealKey: Uint8Array | undefined,
  load: Load,
): Promise<FoundCheckpoint> {
  const ids = runIds(workspace);
  const isKnown = wanted === undefined || ids.includes(wanted);
  for (const runId of wanted === undefined
    ? openRunIds(workspace)
    : ids.filter((id) => id === wanted)) {
    const dir = join(workspace.runsDir, runId);
    const stores = runStores(workspace, runId, sealKey);
    const loaded = await load(stores.current);
    if (loaded !== undefined) return { runId, loaded, path: checkpointPath(dir), stores };
  }
  if (wanted !== undefined && isKnown)
    throw nothing(`run ${wanted} has ended: there is nothing to resume`);

  const dir = join(workspace.root, FOLDER);
  if (isRealFolder(dir)) {
    const loaded = await load(seedStore(workspace, sealKey));
    const id = loaded?.checkpoint.runId ?? "";
    const isOwn = loaded?.seal === "valid" && isRunId(id);
    if (loaded !== undefined && !ids.includes(id) && (isKnown || (isOwn && id === wanted))) {
      const runId = isOwn ? id : newRunId(new Date());
      const stores = runStores(workspace, runId, sealKey);
      const found = { runId, path: checkpointPath(dir), stores };
      if (!isOwn) return { ...found, loaded };
      return {
        ...found,
        loaded: { ...loaded, problems: [...loaded.problems, removedRun(loaded)] },
      };
    }
  }
  const elsewhere = await runsElsewhere(workspace);
  if (!isKnown) {
    const there = elsewhere.filter(({ id }) => id === wanted);
    throw nothing(`there is no run ${wanted} in this work tree`, there);
  }
  const lost = await runOfHead(workspace, ids);
  if (lost !== undefined) throw lost;
  throw nothing("there is nothing to resume in this work tree", elsewhere);
}

/** Where HEAD is a commit of a run of which nothing else is there: what there is to say of it. */
async function runOfHead(
  { root }: Workspace,
  ids: readonly string[],
): Promise<RunsError | undefined> {
  // Where HEAD cannot be read, or has no commit, it says nothing of a run.
  const head = await readCommit(root, "HEAD").catch(() => undefined);
  const [turn = ""] = head?.trailers.get(TRAILER.turn) ?? [];
  const id = turn.replace(/\.\d+$/u, "");
  if (head === undefined || !isRunId(id) || ids.includes(id)) return undefined;
  const message =
    `HEAD is a commit of run ${id}, of which nothing else is kept here: its folder was removed, or it ` +
    "worked in another clone; its task and settings are not known, so it cannot be resumed";
  return new RunsError("ERR_NOTHING_TO_RESUME", message, {
    next: [
      { shell: `git show ${head.sha.slice(0, 10)}` },
      { do: "start", note: "builds on its commits" },
    ],
  });
}

/** What a resume of a run whose folder has gone has to do without. */
function removedRun({ checkpoint: { runId, cycle, createdAt } }: LoadedCheckpoint): string {
  return (
    `the folder of run ${runId} was removed; its compatibility checkpoint of cycle ${cycle} ` +
    `(${moment(createdAt)}) and its commits are used. Not recovered: its event log, and what turns ` +
    "after that said and cost; those that made commits count with all that they were allowed to spend, or else a reservation"
  );
}

function nothing(message: string, elsewhere: readonly RunElsewhere[] = []): RunsError {
  const where = elsewhere.map(({ id, root }) => `; run ${id} is unfinished in ${cleanLine(root)}`);
  return new RunsError("ERR_NOTHING_TO_RESUME", message + where.join(""), {
    next: [...elsewhere.map(({ next }) => next), { do: "list" }, { do: "start" }],
  });
}

/**
 * Makes a folder ready and loads from it; a generation that is damaged is quarantined.
 *
 * @throws {RunsError} `ERR_CORRUPT` when no generation can be used.
 */
export async function recoverRun(
  store: FileCheckpointStore,
): Promise<LoadedCheckpoint | undefined> {
  try {
    return await recoverAndLoad(store);
  } catch (error) {
    if (!(error instanceof CheckpointError) || error.code !== "ERR_DAMAGED") throw error;
    throw new RunsError("ERR_CORRUPT", error.message, {
      cause: error,
      next: [
        { shell: "git log -5 && git status", note: "the work itself is there" },
        { do: "list" },
      ],
    });
  }
}
