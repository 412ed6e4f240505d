import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  type Checkpoint,
  type CheckpointStore,
  createFileCheckpointStore,
  type FileCheckpointStore,
  type LoadedCheckpoint,
  type TomlValue,
} from "@quasar/checkpoint";
import { failureFlags, giveUpTurn, type TaskResult } from "@quasar/loop";
import { isRealFolder } from "../config/files.ts";
import { tomlLayer, toToml } from "../config/layers.ts";
import type { Settings } from "../config/settings.ts";
import type { Workspace } from "../workspace.ts";

/** Where the checkpoint of a run is kept: while it goes on, and after it was approved. */
export interface RunStores {
  readonly current: FileCheckpointStore;
  readonly archive: FileCheckpointStore;
}

/**
 * @param sealKey - Without it a checkpoint's origin is not judged.
 * @throws {CliError} `ERR_UNSAFE_PATH` when something else stands where the run's folder belongs.
 */
export function runStores(workspace: Workspace, runId: string, sealKey?: Uint8Array): RunStores {
  const dir = join(workspace.runsDir, runId);
  isRealFolder(dir);
  const { repositoryId } = workspace;
  return {
    current: createFileCheckpointStore({ dir, sealKey, repositoryId }),
    archive: createFileCheckpointStore({ dir: join(dir, "archive"), sealKey, repositoryId }),
  };
}

/** The command's own keys in a checkpoint: the run's settings, and how its last runner ended it. */
const [SETTINGS_KEY, OUTCOME_KEY] = ["settings", "outcome"];
const UNSAID_KEY = "unsaid_costs";

/** What the command notes in each checkpoint of a run, beside what the loop says. */
export interface RunNotes {
  readonly settings: Settings;
  /** Whether turns without a limit did not say what they cost. */
  hasUnsaidCosts: boolean;
}

function oursOf({ settings, hasUnsaidCosts }: RunNotes): Record<string, TomlValue> {
  const ours = { [SETTINGS_KEY]: toToml(settings) };
  return hasUnsaidCosts ? { ...ours, [UNSAID_KEY]: true } : ours;
}

/**
 * The store that the loop writes to. It adds the notes to each checkpoint, so that a resume has
 * the agents and the checks of the run, under the same seal; and what the loop removes when the
 * task is approved goes to the archive first.
 */
export function archivingStore({ current, archive }: RunStores, notes: RunNotes): CheckpointStore {
  return {
    save: (checkpoint) => current.save(withOurs(checkpoint, oursOf(notes))),
    load: (phaseId) => current.load(phaseId),
    loadAll: () => current.loadAll(),
    async remove(phaseId) {
      const loaded = await current.load(phaseId);
      if (loaded !== undefined) await archive.save(withOurs(loaded.checkpoint, oursOf(notes)));
      await current.remove(phaseId);
    },
  };
}

/** Adds the notes to what is saved, so that a resume from it has the agents and the checks of the run. */
export function notingStore(store: FileCheckpointStore, notes: RunNotes): FileCheckpointStore {
  return { ...store, save: (checkpoint) => store.save(withOurs(checkpoint, oursOf(notes))) };
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

/** Whether a resume would find the settings that the run has now; a run that was never saved has none to find. */
export async function areSettingsStored(
  { current }: RunStores,
  { settings }: Pick<RunNotes, "settings">,
): Promise<boolean> {
  const loaded = await current.load().catch(() => undefined);
  if (loaded === undefined) return true;
  return isDeepStrictEqual(storedSettings(loaded.checkpoint), settingsAsStored(settings));
}

/** As they are read back. */
function settingsAsStored(settings: Settings): Partial<Settings> {
  return tomlLayer("the settings of the run", toToml(settings)).values;
}

/** The outcome of a run that its user gave up. */
export const ABANDONED = "abandoned";

/** Gives a run up: it is kept, and nothing goes on with it any more. Call it under the lock. */
export async function abandonRun(
  workspace: Workspace,
  runId: string,
  sealKey: Uint8Array,
): Promise<void> {
  const { current } = runStores(workspace, runId, sealKey);
  const loaded = await current.load();
  if (loaded === undefined) return;
  const { seal } = loaded;
  const checkpoint = giveUpTurn(loaded.checkpoint, GIVEN_UP);
  // What this machine did not write does not become its own by being given up.
  const { archive } = runStores(workspace, runId, seal === "valid" ? sealKey : undefined);
  const outcome = { outcome: ABANDONED, message: GIVEN_UP };
  const extra = { ...checkpoint.extra, [OUTCOME_KEY]: outcome };
  const createdAt = new Date().toISOString();
  await archive.save({ ...checkpoint, createdAt, extra, revision: checkpoint.revision + 1 });
  await current.remove();
}

const GIVEN_UP = "its user gave it up";

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

/** The settings that a run was started with; none for a checkpoint that another program wrote. */
export function storedSettings({ extra }: Checkpoint): Partial<Settings> {
  const stored = asTable(extra[SETTINGS_KEY]);
  return stored === undefined ? {} : tomlLayer("the settings of the run", stored).values;
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
export function storedOutcome({ extra }: Checkpoint): StoredOutcome | undefined {
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
