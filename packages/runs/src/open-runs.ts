import type { CheckpointFinding } from "@quasar/checkpoint";
import { type Abandoned, type AbandonOptions, abandonRun } from "./abandon.ts";
import { type CheckedProblem, type CheckOptions, checkRuns } from "./check/check.ts";
import type { DriveOptions } from "./driving/session.ts";
import { RunsError } from "./errors.ts";
import type { RunEnd } from "./events.ts";
import { followRun } from "./follow.ts";
import type { FollowOptions } from "./follow-items.ts";
import { type Forked, forkRun, type ForkRunOptions } from "./fork-run.ts";
import type { Fact } from "./journal/fact.ts";
import { readFacts } from "./journal/journal.ts";
import { keptRuns, type KeptRuns } from "./kept.ts";
import { findRun } from "./look/find.ts";
import { runIds, summarize } from "./look/list.ts";
import { removedRun } from "./look/removed.ts";
import type { RunSummary } from "./look/summary.ts";
import { allTurns, type TurnSummary } from "./look/turns.ts";
import { type Pruned, type PruneOptions, pruneRuns } from "./prune.ts";
import { findCheckpoint } from "./resume/find.ts";
import type { Override } from "./resume/judge.ts";
import { makePlan, type Plan } from "./resume/plan.ts";
import { type ResumedWith, resumeRun } from "./resume/resume.ts";
import { parseRunId } from "./run-id.ts";
import type { RunOptions } from "./run-options.ts";
import { type RunSnapshots, runSnapshots } from "./snapshots/list.ts";
import {
  type RestoredRunSnapshot,
  type RestoreOptions,
  restoreRunSnapshot,
} from "./snapshots/restore.ts";
import { type StartOptions, startRun } from "./start.ts";
import { openUser } from "./user/user.ts";
import { type OpenOptions, openWorkspace, type Workspace } from "./workspace.ts";

/** What a run is resumed with: its agents, and what is to be as it was. */
export interface ResumeOptions extends ResumedWith, DriveOptions {
  /** @default the newest unfinished run */
  readonly runId?: string | undefined;
  /** What is accepted that stands against it. @default nothing */
  readonly accepts?: ReadonlySet<Override> | undefined;
  /** Whether an agent is asked although its usage limit is not lifted yet. @default false */
  readonly now?: boolean | undefined;
}

/** A run as its files tell it. */
export interface RunDetails extends RunSummary {
  /** The commit that it was at when it was saved last: of an approved run, what was approved. */
  readonly headSha: string;
  /** All findings of its reviews, as they stand. */
  readonly allFindings: readonly CheckpointFinding[];
  /** What its caller kept with it. */
  readonly settings: NonNullable<RunOptions["settings"]>;
  /** Its agents' turns, oldest first. */
  readonly turns: readonly TurnSummary[];
  /** What its journal holds, oldest first. */
  readonly facts: readonly Fact[];
}

/** The runs of a work tree. */
export interface Runs {
  readonly workspace: Workspace;
  /** Works on a task. @throws {RunsError} */
  start(options: StartOptions): Promise<RunEnd>;
  /** Continues a run exactly where it was cut off. @throws {RunsError} */
  resume(options: ResumeOptions): Promise<RunEnd>;
  /** What {@link Runs.resume} would do. Takes no lock and writes nothing. @throws {RunsError} */
  plan(options: ResumeOptions): Promise<Plan>;
  /** Newest first; before them one whose folder was removed, if there is one. */
  list(): Promise<readonly RunSummary[]>;
  /** One run, with all that its files tell. @param id - @default the newest. @throws {RunsError} */
  show(id?: string): Promise<RunDetails>;
  /** Gives a run up: its files, commits and snapshots stay. @throws {RunsError} */
  abandon(id: string, options?: AbandonOptions): Promise<Abandoned>;
  /** Makes a new run that continues from a state of another one, in a work tree of its own. @throws {RunsError} */
  fork(id: string, options?: ForkRunOptions): Promise<Forked>;
  /** Removes what is kept of runs that have ended: files and snapshots, never commits. @throws {RunsError} */
  prune(options: PruneOptions): Promise<Pruned>;
  /** Uncommitted work of a run that was kept before something replaced it, and what is wrong with it. @throws {RunsError} */
  snapshots(id: string): Promise<RunSnapshots>;
  /** Makes the files of the work tree what a snapshot holds; what they were is kept; see {@link restoreRunSnapshot}. */
  restore(id: string, n: number, options?: RestoreOptions): Promise<RestoredRunSnapshot>;
  /** What crashes, other programs and people have left, one after the other; see {@link checkRuns}. @throws {RunsError} */
  check(options?: CheckOptions): AsyncGenerator<CheckedProblem, undefined>;
  /** How many runs are kept that nobody works on, and what they take. */
  kept(): Promise<KeptRuns>;
  /** What a run goes through, as its journal has it; see {@link followRun}. @throws {RunsError} */
  watch(id: string, options?: FollowOptions): AsyncGenerator<Fact, string | undefined>;
}

/**
 * The runs of the work tree that a folder is in. They are those of the command `quasar` too.
 *
 * @throws {GitError} When it is in none. @throws {RunsError} `ERR_UNSAFE_PATH`
 */
export async function openRuns(folder: string, options?: OpenOptions): Promise<Runs> {
  const workspace = await openWorkspace(folder, options);
  const user = openUser();
  const named = (runId: string | undefined): string | undefined =>
    runId === undefined ? undefined : parseRunId(runId);
  return {
    workspace,
    start: async (options) => startRun(workspace, user, options),
    async resume({ runId, accepts, now, onEvent, signal, onDriving, ...given }) {
      const drive = { onEvent, signal, onDriving };
      const asked = { runId: named(runId), accepts, now, choose: () => given };
      return resumeRun(workspace, user, { ...drive, ...asked });
    },
    async plan({ runId, accepts = new Set(), now = false, ...options }) {
      const key = user.existingSealKey();
      const found = await findCheckpoint(workspace, named(runId), key, (store) => store.load());
      return makePlan(workspace, found, { options, accepts, now });
    },
    async list() {
      const removed = await removedRun(workspace);
      const runs = await summarize(workspace, runIds(workspace));
      return removed === undefined ? runs : [removed, ...runs];
    },
    async show(id) {
      const found = await findRun(workspace, id);
      const [summary] = await summarize(workspace, [found.id]);
      if (summary === undefined) {
        throw new RunsError("ERR_STATE", `run ${found.id} was removed meanwhile`);
      }
      const { checkpoint } = found.loaded;
      const { allFindings, settings = {}, gitSha: headSha } = checkpoint;
      const facts = readFacts(found.dir);
      const turns = allTurns(checkpoint, facts, found.dir);
      return { ...summary, headSha, allFindings, settings, turns, facts };
    },
    abandon: async (id, options) => abandonRun(workspace, user, parseRunId(id), options),
    fork: async (id, options) => forkRun(workspace, user, parseRunId(id), options),
    prune: async (options) =>
      pruneRuns(workspace, user, { ...options, runId: named(options.runId) }),
    snapshots: async (id) => runSnapshots(workspace, parseRunId(id)),
    restore: async (id, n, options) => restoreRunSnapshot(workspace, parseRunId(id), n, options),
    check: (options) => checkRuns(workspace, user, options),
    kept: async () => keptRuns(workspace, user),
    watch: (id, options) => followRun(workspace, parseRunId(id), options),
  };
}
