import { join } from "node:path";
import type {
  Checkpoint,
  FileCheckpointStore,
  LoadedCheckpoint,
  LoadedSummary,
  TomlValue,
} from "@quasar/checkpoint";
import { failureFlags, type TaskResult } from "@quasar/loop";
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
export type KeptSettings = Readonly<Record<string, TomlValue>>;

/** This package's own keys in a checkpoint: what the caller keeps, and how the last runner ended the run. */
const [SETTINGS_KEY, OUTCOME_KEY] = ["settings", "outcome"] as const;
const UNSAID_KEY = "unsaid_costs";

/** What is noted in each checkpoint of a run, beside what the loop says. */
export interface RunNotes {
  readonly settings: KeptSettings;
  /** Whether turns without a limit did not say what they cost. */
  hasUnsaidCosts: boolean;
}

function oursOf({ settings, hasUnsaidCosts }: RunNotes): Record<string, TomlValue> {
  const ours = { [SETTINGS_KEY]: settings };
  return hasUnsaidCosts ? { ...ours, [UNSAID_KEY]: true } : ours;
}

/**
 * What is stored of a checkpoint: the notes too, so that a resume has the agents and the checks of the run, under the
 * same seal.
 */
export function withNotes(notes: RunNotes): (checkpoint: Checkpoint) => Checkpoint {
  return (checkpoint) => withOurs(checkpoint, oursOf(notes));
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
  const { denials = [], requests } = agentFailure ?? {};
  const allow = denials.flatMap((denial) => denial.allow);
  const needs = { ...(allow.length > 0 && { allow }), ...(requests && { requests }) };
  const ours = { ...oursOf(notes), [OUTCOME_KEY]: { outcome, message, ...needs } };
  await current.save({ ...withOurs(checkpoint, ours), revision: checkpoint.revision + 1 });
}

/** The outcome of a run that its user gave up. */
export const ABANDONED = "abandoned";

/** Keeps a run as given up: nothing continues it any more. Call it under the lock. */
export async function archiveGivenUp(
  { current, archive }: RunStores,
  checkpoint: Checkpoint,
  message: string,
): Promise<void> {
  const extra = { ...checkpoint.extra, [OUTCOME_KEY]: { outcome: ABANDONED, message } };
  const createdAt = new Date().toISOString();
  await archive.save({ ...checkpoint, createdAt, extra, revision: checkpoint.revision + 1 });
  await current.remove();
}

const OUR_KEYS: ReadonlySet<string> = new Set([SETTINGS_KEY, OUTCOME_KEY, UNSAID_KEY]);

function withOurs(checkpoint: Checkpoint, ours: Record<string, TomlValue>): Checkpoint {
  const notOurs = ([key]: readonly [string, TomlValue]): boolean => !OUR_KEYS.has(key);
  const others = Object.fromEntries(Object.entries(checkpoint.extra).filter(notOurs));
  return { ...checkpoint, extra: { ...others, ...ours } };
}

/**
 * What a run that was forked notes: the settings of the other one.
 *
 * @param isOurs - Whether this machine wrote the checkpoint: settings name programs to be run.
 */
export function forkNotes({ extra }: Checkpoint, isOurs: boolean): Record<string, TomlValue> {
  const { [OUTCOME_KEY]: _outcome, [UNSAID_KEY]: _unsaid, ...others } = extra;
  const { [SETTINGS_KEY]: _settings, ...rest } = others;
  return isOurs ? others : rest;
}

/** What was kept with a run; nothing for a checkpoint that another program wrote. */
export function keptSettings(checkpoint: Pick<Checkpoint, "extra">): KeptSettings {
  return settingsOf(checkpoint) ?? {};
}

/** What is kept with a run that has not ended; `undefined` where there is none, or it cannot be read. */
export async function loadKeptSettings(
  workspace: Workspace,
  runId: string,
): Promise<KeptSettings | undefined> {
  const { current } = runStores(workspace, runId);
  const loaded = await current.load().catch(() => undefined);
  return loaded && keptSettings(loaded.checkpoint);
}

/** Whether a checkpoint is of a run as this library keeps them, with settings or without. */
export function isOfRun(checkpoint: Pick<Checkpoint, "extra">): boolean {
  return settingsOf(checkpoint) !== undefined;
}

function settingsOf({ extra }: Pick<Checkpoint, "extra">): KeptSettings | undefined {
  return asTable(extra[SETTINGS_KEY]);
}

/** Whether turns without a limit did not say what they cost, the one that was cut off included. */
export function storedUnsaidCosts(checkpoint: Checkpoint): boolean {
  const { extra, turn, failure, maxBudgetUsd } = checkpoint;
  const isOpen = turn?.status === "started" && failure === "";
  return extra[UNSAID_KEY] === true || (isOpen && maxBudgetUsd === 0);
}

/** How a runner ended a run. */
export interface StoredOutcome {
  readonly outcome: string;
  readonly message: string;
  /** Flags that a resume takes beside its own, for a shell: what an agent was denied, or more requests. */
  readonly flags: string;
}

/** How the last runner ended a run; `undefined` when it could not say so any more. */
export function storedOutcome({ extra }: Pick<Checkpoint, "extra">): StoredOutcome | undefined {
  const { outcome, message, allow, requests } = asTable(extra[OUTCOME_KEY]) ?? {};
  if (typeof outcome !== "string" || typeof message !== "string") return undefined;
  const rules = Array.isArray(allow) ? allow.filter((rule) => typeof rule === "string") : [];
  const denials = [{ what: "", allow: rules }];
  const flags = failureFlags({
    denials,
    requests: typeof requests === "number" ? requests : undefined,
  });
  return { outcome, message, flags };
}

function asTable(value: TomlValue | undefined): Readonly<Record<string, TomlValue>> | undefined {
  const isTable = typeof value === "object" && !Array.isArray(value) && !(value instanceof Date);
  return isTable ? (value as Readonly<Record<string, TomlValue>>) : undefined;
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
  const options = { keys: [OUTCOME_KEY] };
  const loaded = await current.loadSummary(options);
  if (loaded !== undefined) return { loaded, ended: false };
  return { loaded: await archive.loadSummary(options), ended: true };
}
