import { DurableError } from "@quasar/durable";
import { GitError } from "@quasar/git";
import { type HookFile, HookFileError, isTerminal } from "@quasar/hookfile";
import { isSetUp } from "@quasar/hookfile/internal";
import {
  detectAndRecover,
  type Detection,
  type QuarantinedFile,
  quarantinedFiles,
} from "@quasar/hookfile/recovery";
import type { ValidationReceipt, Verdict } from "@quasar/receipts";
import { PROGRAM_PARTS } from "./engine/drive-task.ts";
import { gitWorkTreeReader } from "./engine/work-tree-reader.ts";
import { noteTouched, touchedFiles } from "./engine/touched-files.ts";
import { drainInbox, recordCommits } from "./operations/drain-inbox.ts";
import { withReceipts } from "./engine/adopt-receipts.ts";
import { openHookStore } from "./operations/change-task.ts";
import { inspectorOf } from "./engine/inspect.ts";
import { TasksError } from "./errors.ts";
import type { LookPorts } from "./steps/step.ts";
import { lastStop, type Stopped } from "./task-log.ts";
import type { TaskRecord } from "./task-record.ts";
import { repairTask } from "./task-repair.ts";
import { readTask } from "./task-store.ts";
import { missingReceipts } from "./validation/adopt.ts";
import { type ReceiptChain, type ReceiptFacts, receiptFacts } from "./validation/receipt-chain.ts";

/** A task as it is now: everything that is told of it is made from this. */
export interface TaskView {
  readonly dir: string;
  readonly hook: HookFile;
  readonly task: TaskRecord;
  /** All that are here, oldest first. */
  readonly receipts: readonly ValidationReceipt[];
  /** By receipt. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  /** What is known of the receipts taken together. */
  readonly chain: ReceiptChain;
  /** What was wrong with its files, and has been dealt with. */
  readonly problems: Extract<Detection, { kind: "crashed" }>["problems"];
  /** Hook files that something else has changed, and nobody has acknowledged. */
  readonly quarantined: readonly QuarantinedFile[];
  /** `running`: somebody drives it; `none`: it has ended. */
  readonly found: "none" | "running" | "waiting" | "crashed";
  /** Who drives it. */
  readonly owner: HookFile["owner"];
  /** How its last drive said that it stopped, where nobody has worked on it since. */
  readonly stop: Stopped | undefined;
}

/**
 * Opens a task to look at it: its files are repaired, an interruption is put on record, HOOK.md is what
 * hook.json says. Where somebody drives it nothing is changed.
 *
 * @throws {TasksError} `ERR_NOT_FOUND`; `ERR_DAMAGED` where nothing that is left says where it is;
 *   {HookFileError}
 */
export async function openTask(
  taskDir: string,
  ports: LookPorts,
  signal?: AbortSignal,
): Promise<TaskView> {
  const { keys, now, version } = ports;
  const facts = receiptFacts(taskDir, keys);
  await drainInbox(taskDir, ports, signal).catch(unnoticed);
  const found = await detectAndRecover(taskDir, {
    now,
    version,
    ...facts,
    inspect: inspectorOf(PROGRAM_PARTS, { taskDir, task: readTask(taskDir), ports }),
    signal,
  });
  if (found.kind === "corrupt") {
    const message = `${taskDir}: ${found.error.message}`;
    throw new TasksError("ERR_DAMAGED", message, { cause: found.error });
  }
  if (found.kind === "absent") throw new TasksError("ERR_NOT_FOUND", `${taskDir} has no task`);
  const hook =
    found.kind === "running"
      ? found.hook
      : await takeInWorkTree(taskDir, takeIn(taskDir, found.hook, ports, facts), ports, signal);
  return {
    dir: taskDir,
    hook,
    task: repairTask(taskDir, hook),
    ...facts.judge(hook),
    problems: found.kind === "ended" ? [] : found.problems,
    quarantined: quarantinedFiles(taskDir),
    found: found.kind === "ended" ? "none" : found.kind,
    owner: found.kind === "running" ? found.owner : undefined,
    stop: found.kind === "running" || !isUnderWay(hook) ? undefined : lastStop(taskDir),
  };
}

/** Whether a step of it was begun and is not ended, as its files say. */
function isUnderWay({ state }: HookFile): boolean {
  return state === "step_running" || state === "step_validating" || state === "recovering";
}

/** Takes in receipts that were signed before a crash: an engine that drives a task does that by itself. */
function takeIn(taskDir: string, hook: HookFile, ports: LookPorts, facts: ReceiptFacts): HookFile {
  if (facts.judge(hook).receipts.length <= hook.counts.receipts) return hook;
  const store = openHookStore(taskDir, ports);
  try {
    return store.update((now) => withReceipts(now, missingReceipts(store, taskDir, ports.keys)));
  } catch (error) {
    if (error instanceof HookFileError && error.code === "ERR_DAMAGED") return hook;
    throw error;
  }
}

/** Takes in commits and changed files that the engine's last look came too early for. */
async function takeInWorkTree(
  taskDir: string,
  hook: HookFile,
  ports: LookPorts,
  signal: AbortSignal | undefined,
): Promise<HookFile> {
  const { state, worktreePath } = hook;
  if (isTerminal(state) || !isSetUp(hook)) return hook;
  try {
    const since = readTask(taskDir).metadata.baseSha;
    const store = openHookStore(taskDir, ports);
    const facts = await gitWorkTreeReader.inspect(worktreePath, since, { signal });
    await recordCommits(taskDir, store, facts, ports.now());
    const seen = store.read() ?? hook;
    // While a person is awaited, what changes is not the agent's.
    if (state === "awaiting_human") return seen;
    return noteTouched(store, seen, await touchedFiles(seen, facts, gitWorkTreeReader, signal));
  } catch (error) {
    unnoticed(error);
    return hook;
  }
}

/** A commit that is not noticed now is by the next look: it keeps nobody from looking at the task. */
function unnoticed(error: unknown): void {
  const isKnown = [DurableError, GitError, HookFileError, TasksError].some(
    (kind) => error instanceof kind,
  );
  if (!isKnown) throw error;
}
