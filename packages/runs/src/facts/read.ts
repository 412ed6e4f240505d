import { basename, join } from "node:path";
import { agentOfTurn } from "@quasar/agents/internal";
import { type Checkpoint, CheckpointError, checkpointPath } from "@quasar/checkpoint";
import type { Fact } from "../journal/fact.ts";
import { isFact, JOURNAL_FILE } from "../journal/journal.ts";
import type { Holder } from "../driving/lock.ts";
import { RunsError } from "../errors.ts";
import { locateRun } from "../look/find.ts";
import { isQuarantined, runnersIn, storedSummary } from "../look/list.ts";
import { damagedSummary, quarantinedSummary } from "../look/summary.ts";
import { type TurnSummary, turnsOf } from "../look/turns.ts";
import { isRealFolder } from "../real-folder.ts";
import { loadRun, type RunFiles } from "../store.ts";
import { storesIn } from "../tree/stores.ts";
import { turnsFolder } from "../tree/turns-folder.ts";
import type { Workspace } from "../workspace.ts";
import { fileMark } from "./file-mark.ts";
import { type FactSources, runFacts } from "./make.ts";
import { type JournalRead, journalReader } from "./journal-reader.ts";
import type { RunFacts } from "./run-facts.ts";
import { continueStory, NO_STORY, type Story } from "./story.ts";

/** What is known of a run beside its files. */
export interface FactsOptions {
  /** Who works on it now, asked at each look. @default nobody */
  readonly runner?: (() => Holder | undefined) | undefined;
  /** What happened, oldest first, where that is not in the run's folder. @default its journal */
  readonly facts?: readonly Fact[] | undefined;
}

/** Reads a run again and again, while it works or after. Takes no lock and writes nothing. */
export interface RunFactsReader {
  /**
   * The facts as they are now: the very same object where nothing has changed. A look costs what was added to the
   * journal since the last one, however long it is.
   *
   * @returns `undefined`: the run never got to its first save.
   * @throws {RunsError} `ERR_UNSAFE_PATH`
   */
  look(): Promise<RunFacts | undefined>;
}

/** @param dir - The folder of any run: of a work tree's own, one of a nebula's phase, or of a task's step. */
export function openFactsIn(dir: string, options: FactsOptions = {}): RunFactsReader {
  const { runner = () => undefined, facts: given } = options;
  const journalNow = given === undefined ? readerOf(dir) : telling(given);
  let run: StoredFiles | undefined;
  let last: { readonly key: readonly unknown[]; readonly facts: RunFacts } | undefined;
  return {
    async look() {
      const holder = runner();
      const mark = markOf(dir);
      // In this order: the journal has what the checkpoint says.
      if (run?.mark !== mark) run = { mark, ...(await load(dir)) };
      const journal = journalNow();
      const key = [mark, journal, holder?.pid];
      if (last !== undefined && key.every((part, n) => part === last?.key[n])) return last.facts;
      const sources = sourcesOf(dir, run, journal, holder);
      if (sources === undefined) return undefined;
      last = { key, facts: runFacts(sources) };
      return last.facts;
    },
  };
}

function readerOf(dir: string): () => JournalRead<Story> {
  return journalReader(join(dir, JOURNAL_FILE), NO_STORY, (story, data) =>
    continueStory(story, data.filter(isFact)),
  );
}

/** In place of a journal: what somebody else has on record. */
function telling(facts: readonly Fact[]): () => JournalRead<Story> {
  const told = { value: continueStory(NO_STORY, facts), end: undefined, problems: [] };
  return () => told;
}

/** The facts of a run by its folder; see {@link RunFactsReader.look}. */
export async function readFactsIn(
  dir: string,
  options?: FactsOptions,
): Promise<RunFacts | undefined> {
  return openFactsIn(dir, options).look();
}

/** {@link openFactsIn}, of a run of a work tree. */
export function openRunFacts(workspace: Workspace, runId: string): RunFactsReader {
  return openFactsIn(join(workspace.runsDir, runId), {
    runner: () => runnersIn(workspace)(runId),
  });
}

/**
 * The facts of the run that is named, or of the newest.
 *
 * @throws {RunsError} `ERR_USAGE` when there is no such run; `ERR_NOTHING_TO_RESUME` when there is none, or it never got
 *   to its first save; `ERR_UNSAFE_PATH`.
 */
export async function readRunFacts(workspace: Workspace, id?: string): Promise<RunFacts> {
  const { id: runId } = locateRun(workspace, id);
  const facts = await openRunFacts(workspace, runId).look();
  if (facts !== undefined) return facts;
  throw new RunsError("ERR_NOTHING_TO_RESUME", `run ${runId} never got to its first save`, {
    next: [{ do: "list" }, { do: "start" }],
  });
}

interface StoredFiles {
  /** What the files were when they were read. */
  readonly mark: string;
  readonly files: RunFiles | undefined;
  /** Why they cannot be read. */
  readonly error: CheckpointError | undefined;
}

/** Changes with each save. */
function markOf(dir: string): string {
  return [dir, join(dir, "archive")].map((each) => fileMark(checkpointPath(each))).join("; ");
}

async function load(dir: string): Promise<Omit<StoredFiles, "mark">> {
  isRealFolder(dir);
  try {
    return { files: await loadRun(storesIn(dir, {})), error: undefined };
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    return { files: undefined, error };
  }
}

function sourcesOf(
  dir: string,
  { files, error }: StoredFiles,
  { value: story, problems: damage }: JournalRead<Story>,
  holder: Holder | undefined,
): FactSources | undefined {
  const id = basename(dir);
  const nothing = { coder: "", reviewer: "", turns: [], checkpoint: undefined, story };
  if (error !== undefined) {
    return { ...nothing, summary: damagedSummary(id, error), problems: damage };
  }
  const { loaded, ended = false } = files ?? {};
  if (loaded === undefined) {
    if (!isQuarantined(dir)) return undefined;
    return { ...nothing, summary: quarantinedSummary(id), problems: damage };
  }
  const { checkpoint, problems } = loaded;
  const runId = checkpoint.runId || id;
  const turns = turnsOf(checkpoint, (turnId) => story.turns.get(turnId)?.durationMs, dir);
  return {
    summary: storedSummary(runId, { checkpoint, ended, holder }),
    checkpoint,
    coder: agentOf("coder", checkpoint, turns, dir),
    reviewer: agentOf("reviewer", checkpoint, turns, dir),
    turns,
    story,
    problems: [...new Set([...problems, ...damage])],
  };
}

/** By the last turn of the role of which that is known. */
function agentOf(
  role: TurnSummary["role"],
  { runId }: Checkpoint,
  turns: readonly TurnSummary[],
  dir: string,
): string {
  const own = turns.filter((turn) => turn.role === role && turn.turnId.startsWith(`${runId}.`));
  const last = own.at(-1);
  if (last === undefined) return "";
  return agentOfTurn({ runId, turnId: last.turnId, turnsDir: turnsFolder(dir) }) ?? "";
}
