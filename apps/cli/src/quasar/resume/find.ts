import { join } from "node:path";
import {
  checkpointPath,
  type FileCheckpointStore,
  type LoadedCheckpoint,
} from "@quasar/checkpoint";
import { FOLDER, isRealFolder } from "../../shared/config/files.ts";
import { CliError } from "../../shared/errors.ts";
import { readCommit, TRAILER } from "@quasar/git";
import { moment } from "../../shared/output/format.ts";
import { isRunId, newRunId } from "../run-id.ts";
import { openRunIds, runIds } from "../runs/list.ts";
import { type RunStores, runStores } from "../../shared/runs/store.ts";
import { seedStore } from "../work.ts";
import type { Workspace } from "../../shared/workspace.ts";

/** The run that a resume goes on with. */
export interface FoundCheckpoint {
  readonly runId: string;
  readonly loaded: LoadedCheckpoint;
  readonly path: string;
  /** What the run goes on to save to; where it is no run yet it was loaded from elsewhere. */
  readonly stores: RunStores;
}

/** How a folder is loaded from. */
export type Load = (store: FileCheckpointStore) => Promise<LoadedCheckpoint | undefined>;

/**
 * The run to go on with: the one that is named, else the newest unfinished one, else what another
 * program has left in `.quasar`.
 *
 * @throws {CliError} `ERR_NOTHING_TO_RESUME`, and what `load` throws.
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
    throw nothing(`run ${wanted} has ended: there is nothing to go on with`);

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
  if (!isKnown) throw nothing(`there is no run ${wanted} in this work tree`);
  const lost = await runOfHead(workspace, ids);
  if (lost !== undefined) throw lost;
  throw nothing("there is nothing to resume in this work tree");
}

/** Where HEAD is a commit of a run of which nothing else is there: what there is to say of it. */
async function runOfHead(
  { root }: Workspace,
  ids: readonly string[],
): Promise<CliError | undefined> {
  // Where HEAD cannot be read, or has no commit, it says nothing of a run.
  const head = await readCommit(root, "HEAD").catch(() => undefined);
  const [turn = ""] = head?.trailers.get(TRAILER.turn) ?? [];
  const id = turn.replace(/\.\d+$/u, "");
  if (head === undefined || !isRunId(id) || ids.includes(id)) return undefined;
  const message =
    `HEAD is a commit of run ${id}, of which nothing else is kept here: its folder was removed, or it ` +
    "worked in another clone; its task and settings are not known, so it cannot be resumed";
  return new CliError("ERR_NOTHING_TO_RESUME", message, {
    next: [`git show ${head.sha.slice(0, 10)}`, 'quasar run "…"   (builds on its commits)'],
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

function nothing(message: string): CliError {
  return new CliError("ERR_NOTHING_TO_RESUME", message, {
    next: ["quasar ls --all", 'quasar run "…"'],
  });
}

/**
 * Makes a folder ready and loads from it; a generation that is damaged is set aside.
 *
 * @throws {CliError} `ERR_CORRUPT` when no generation can be used.
 */
export async function recoverAndLoad(
  store: FileCheckpointStore,
): Promise<LoadedCheckpoint | undefined> {
  const { setAside } = await store.recover();
  const loaded = await store.load();
  const asides = setAside.join(", ");
  if (loaded === undefined && asides !== "") {
    throw new CliError("ERR_CORRUPT", `the checkpoint is damaged and was set aside as ${asides}`, {
      next: ["git log -5 && git status   (the work itself is there)", "quasar ls --all"],
    });
  }
  if (loaded === undefined || asides === "") return loaded;
  const problem = `a damaged checkpoint was set aside as ${asides}; the one before it is used`;
  return { ...loaded, problems: [...loaded.problems, problem] };
}
