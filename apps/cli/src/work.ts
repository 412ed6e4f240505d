import { join, relative } from "node:path";
import { createFileCheckpointStore, type FileCheckpointStore } from "@quasar/checkpoint";
import {
  createCheckpointHook,
  type LoopEvent,
  type LoopOptions,
  type TaskResult,
} from "@quasar/loop";
import type { Agents } from "./agents.ts";
import { FOLDER } from "./config/files.ts";
import type { Settings } from "./config/settings.ts";
import type { ExitCode } from "./exit-codes.ts";
import { exitOf, resultRecord } from "./outcome.ts";
import type { Spending } from "./output/format.ts";
import type { EventRecord } from "./output/record.ts";
import type { Reporter } from "./output/reporter.ts";
import { archivingStore, noteOutcome, type RunNotes, type RunStores } from "./runs/store.ts";
import type { Session } from "./session.ts";
import { translate } from "./translate.ts";
import { ignoreOwnFolder } from "./work-tree.ts";
import type { Workspace } from "./workspace.ts";

/** One piece of work of the loop, new or taken up again. */
export interface Work {
  readonly runId: string;
  readonly task: string;
  /** `undefined` where HEAD is on none. */
  readonly branch: string | undefined;
  readonly settings: Settings;
  readonly agents: Agents;
  readonly stores: RunStores;
  readonly sealKey: Uint8Array;
  readonly spending: Spending;
  readonly untouchablePaths: readonly string[];
  readonly acceptHead?: boolean | undefined;
}

/** Has the loop work, reports what it does, and says with which code to leave. */
export async function work(
  session: Session,
  work: Work,
  start: (options: LoopOptions) => Promise<TaskResult>,
): Promise<ExitCode> {
  const { workspace, reporter, interrupts } = session;
  const { runId, task, settings, branch, spending, stores } = work;
  const { root } = workspace;
  const { maxCycles, maxBudgetUsd } = settings;
  const { coder, reviewer } = work.agents;
  reporter.report({
    type: "run",
    runId,
    task,
    workDir: root,
    branch: work.branch ?? "",
    coder: coder.name,
    reviewer: reviewer.name,
    maxCycles,
    maxBudgetUsd,
    ...spending,
  });
  const notes = { settings, branch, hasUnsaidCosts: spending.hasUnsaidCosts };
  const seed = ignoringStore(root, seedStore(workspace, work.sealKey));
  const result = await start({
    workDir: root,
    runId,
    coder,
    reviewer,
    maxCycles,
    maxBudgetUsd,
    lint: checksOf(settings.lint),
    filters: checksOf(settings.filter),
    maxLintRetries: settings.maxLintRetries,
    detectStruggle: settings.detectStruggle,
    projectContext: settings.projectContext,
    untouchablePaths: work.untouchablePaths,
    acceptHead: work.acceptHead,
    checkpoint: { store: archivingStore(stores, notes), granularity: "turn" },
    hooks: [createCheckpointHook({ store: seed })],
    onEvent: (event) => {
      const isUnsaid = event.type === "agent_done" && event.costUsd === undefined;
      if (isUnsaid && maxBudgetUsd === 0) notes.hasUnsaidCosts = true;
      reporter.report(recordOf(event));
    },
    signal: interrupts.signal,
  });
  const exit = exitOf(result, interrupts.exitCode());
  const isThere = !relative(root, process.cwd()).startsWith("..");
  // It is told first: where nothing can be saved any more, that is still known.
  reporter.report(resultRecord(result, exit, isThere ? undefined : root));
  await (result.outcome === "approved" ? seed.remove() : note(stores, notes, result, reporter));
  return exit;
}

/** That its end cannot be noted does not keep a run from being resumed. */
async function note(
  stores: RunStores,
  notes: RunNotes,
  result: TaskResult,
  reporter: Reporter,
): Promise<void> {
  try {
    await noteOutcome(stores, notes, result);
  } catch (error) {
    const message = `how the run ended could not be noted: ${translate(error).message}`;
    reporter.report({ type: "warning", cycle: result.cycle, message });
  }
}

/** An event as data. What it cost is asked for only where it may have changed. */
function recordOf(event: LoopEvent): EventRecord {
  const { state, ...data } = event;
  if (event.type === "agent_event") return data;
  const { totalCostUsd: spentUsd, unknownCostUsd } = state();
  return { ...data, spentUsd, unknownCostUsd };
}

/** A store whose folder git is told to pass over before each save: an agent may have cleaned it. */
function ignoringStore(root: string, store: FileCheckpointStore): FileCheckpointStore {
  return {
    ...store,
    save(checkpoint) {
      ignoreOwnFolder(root);
      return store.save(checkpoint);
    },
  };
}

/** Where a standalone loop's own file is kept: for other programs that know the format. */
export function seedStore(
  { root, repositoryId }: Workspace,
  sealKey: Uint8Array,
): FileCheckpointStore {
  return createFileCheckpointStore({ dir: join(root, FOLDER), sealKey, repositoryId });
}

function checksOf(commands: readonly string[]): NonNullable<LoopOptions["lint"]> {
  return commands.map((command) => ({ name: command, command }));
}
