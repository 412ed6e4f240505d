import { join } from "node:path";
import type {
  Checkpoint,
  CheckpointLedgerEntry,
  FileCheckpointStore,
  LoadedCheckpoint,
  LoadedSummary,
} from "@quasar/checkpoint";
import type { TaskResult } from "@quasar/loop";
import { failureOptions } from "@quasar/loop/internal";
import type { NextOptions } from "./next-step.ts";
import { isRealFolder } from "./real-folder.ts";
import { type RunStores, storesIn } from "./tree/stores.ts";
import type { Workspace } from "./workspace.ts";

/**
 * @param sealKey - Without it a checkpoint's origin is not judged.
 * @throws {RunsError} `ERR_UNSAFE_PATH` when something else stands where the run's folder belongs.
 */
export function runStores(workspace: Workspace, runId: string, sealKey?: Uint8Array): RunStores {
  const dir = join(workspace.runsDir, runId);
  isRealFolder(dir);
  return storesIn(dir, { sealKey, repositoryId: workspace.repositoryId });
}

/** What a program keeps with its runs, to have it again at a resume. */
export type KeptSettings = NonNullable<Checkpoint["settings"]>;

/** What is noted in each checkpoint of a run, beside what the loop says. */
export interface RunNotes {
  readonly settings: KeptSettings;
  /** Whether the cost of turns without a limit was not reported. */
  hasUnreportedCosts: boolean;
}

/**
 * What is stored of a checkpoint while a runner drives the run: the notes too, so that a resume has the agents and
 * the checks of the run, under the same seal.
 */
export function withNotes(notes: RunNotes): (checkpoint: Checkpoint) => Checkpoint {
  return (checkpoint) => ({ ...checkpoint, ...notes, outcome: undefined });
}

/** Adds the notes to what is saved, so that a resume from it has the agents and the checks of the run. */
export function notingStore(store: FileCheckpointStore, notes: RunNotes): FileCheckpointStore {
  const noted = withNotes(notes);
  return { ...store, save: (checkpoint) => store.save(noted(checkpoint)) };
}

/** A store that can save again what was saved last. */
export interface RememberingStore extends FileCheckpointStore {
  /** Saves what was saved last, if that has not been removed since. */
  saveAgain(): Promise<void>;
}

/** @param left - What is in the store. */
export function rememberingStore(
  store: FileCheckpointStore,
  left: Checkpoint | undefined,
): RememberingStore {
  let last = left;
  return {
    ...store,
    async save(checkpoint) {
      last = checkpoint;
      await store.save(checkpoint);
    },
    async remove(phaseId) {
      await store.remove(phaseId);
      last = undefined;
    },
    async saveAgain() {
      if (last !== undefined) await store.save(last);
    },
  };
}

/** Notes how a runner ended a run that is not approved: a run without a note was killed. */
export async function noteOutcome(
  { current }: RunStores,
  notes: RunNotes,
  { outcome, message, agentFailure }: TaskResult,
): Promise<void> {
  const checkpoint = (await current.load())?.checkpoint;
  if (checkpoint === undefined) return;
  const { denials = [], requests = 0 } = agentFailure ?? {};
  const allow = denials.flatMap((denial) => denial.allow);
  const noted = { ...checkpoint, ...notes, outcome: { outcome, message, allow, requests } };
  await current.save({ ...noted, revision: checkpoint.revision + 1 });
}

/** The outcome of a run that its user gave up. */
export const ABANDONED = "abandoned";

/** Keeps a run as given up: nothing continues it any more. Call it under the lock. */
export async function archiveGivenUp(
  { current, archive }: RunStores,
  checkpoint: Checkpoint,
  message: string,
): Promise<void> {
  const outcome = { outcome: ABANDONED, message, allow: [], requests: 0 };
  const createdAt = new Date().toISOString();
  await archive.save({ ...checkpoint, createdAt, outcome, revision: checkpoint.revision + 1 });
  await current.remove();
}

/** What is kept with a run that has not ended; `undefined` where there is none, or it cannot be read. */
export async function loadKeptSettings(
  workspace: Workspace,
  runId: string,
): Promise<KeptSettings | undefined> {
  const { current } = runStores(workspace, runId);
  const loaded = await current.load().catch(() => undefined);
  return loaded && (loaded.checkpoint.settings ?? {});
}

/** What tells whether costs were reported. */
type Reported = Pick<
  Checkpoint,
  "hasUnreportedCosts" | "turn" | "failure" | "maxBudgetUsd" | "ledger"
>;

/** Whether the cost of turns without a limit was not reported, those that failed and the one that was cut off included. */
export function storedUnreportedCosts(checkpoint: Reported): boolean {
  const { hasUnreportedCosts, turn, failure, maxBudgetUsd, ledger } = checkpoint;
  const isOpen = turn?.status === "started" && failure === "";
  return hasUnreportedCosts || (isOpen && maxBudgetUsd === 0) || ledger.some(isUncovered);
}

/** Whether the cost of a turn is unknown, and nothing counts for it. */
function isUncovered({ source, costUsd, reservedUsd }: CheckpointLedgerEntry): boolean {
  return source === "unknown" && costUsd === 0 && reservedUsd === 0;
}

/** How a runner ended a run. */
export interface StoredOutcome {
  readonly outcome: string;
  readonly message: string;
  /** What a resume takes beside higher limits: what an agent was denied, or more requests. */
  readonly more: NextOptions;
}

/** How the last runner ended a run; `undefined` when it could not say so any more. */
export function storedOutcome({
  outcome: stored,
}: Pick<Checkpoint, "outcome">): StoredOutcome | undefined {
  if (stored === undefined) return undefined;
  const { outcome, message, allow, requests } = stored;
  const denials = [{ what: "", allow }];
  return { outcome, message, more: failureOptions({ denials, requests: requests || undefined }) };
}

/** A run as its files say; `loaded` is what was archived where `ended`. */
export interface RunFiles {
  readonly loaded: LoadedCheckpoint | undefined;
  readonly ended: boolean;
}

/** @throws {CheckpointError} When the files cannot be read. */
export async function loadRun({ current, archive }: RunStores): Promise<RunFiles> {
  const loaded = await current.load();
  if (loaded !== undefined) return { loaded, ended: false };
  return { loaded: await archive.load(), ended: true };
}

/** {@link RunFiles}, of what a list shows. */
export interface RunSummaryFiles {
  readonly loaded: LoadedSummary | undefined;
  readonly ended: boolean;
}

/** @throws {CheckpointError} When the files cannot be read. */
export async function loadRunSummary({ current, archive }: RunStores): Promise<RunSummaryFiles> {
  const loaded = await current.loadSummary();
  if (loaded !== undefined) return { loaded, ended: false };
  return { loaded: await archive.loadSummary(), ended: true };
}
