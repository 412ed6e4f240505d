import module from "node:module";
import { quarantinedFiles } from "@quasar/hookfile/recovery";
import { turnAllowance } from "@quasar/loop/turn";
import { conventionsOf, openUser, pricesWords } from "@quasar/runs/internal";
import {
  type DriveResult,
  driveTask,
  endTaskAgents,
  publishingNotes,
  readTask,
  type TaskConfig,
} from "@quasar/tasks";
import { type TaskCost, taskCost } from "@quasar/tasks/record";
import { createAgents, withAbsoluteScripts } from "../shared/agents.ts";
import { environmentOfChecks, tellWithheld } from "../shared/checks/environment.ts";
import { periodMs } from "../shared/config/kinds.ts";
import { ATLAS_EXIT, EXIT, type ExitCode } from "../shared/exit-codes.ts";
import { type Interrupts, listenForInterrupts } from "../shared/interrupts.ts";
import { allowedWords } from "../shared/output/allowed.ts";
import { createBell } from "../shared/output/bell.ts";
import { createReporterOf, type ReporterOf } from "../shared/output/reporter.ts";
import { STREAMS } from "../shared/streams.ts";
import { storageNext } from "../shared/system-errors.ts";
import { type Typed, withTyped } from "../shared/typed.ts";
import { loadUnkept } from "./config/load.ts";
import { ATLAS, type AtlasSettings } from "./config/settings.ts";
import { storedSettings } from "./config/task-config.ts";
import type { Installation } from "./installation.ts";
import { stepsAtLimit } from "./next-steps.ts";
import { nameHere, naming, nextOf, resumeWith } from "./next.ts";
import { chainExit } from "./output/chain-lines.ts";
import { TASK_PRESENTER } from "./output/presenter.ts";
import { quarantineText } from "./output/quarantine-lines.ts";
import type { AtlasRecord } from "./output/record.ts";
import { createRepeated } from "./output/repeated.ts";
import { translate } from "./translate.ts";
import { watchChain } from "./watch-chain.ts";

/**
 * The settings of who works on a task: as it was started, but for what is said now.
 *
 * @param home - ATLAS_HOME, whose settings hold where a task keeps none.
 */
export function workersOf(
  config: TaskConfig,
  now: Partial<AtlasSettings>,
  home: string,
): AtlasSettings {
  const stored = { source: "task.json", values: storedSettings(config), warnings: [] };
  const said = { source: "command line", values: now, warnings: [] };
  const settings = ATLAS.resolve([said, ...loadUnkept(home), stored]);
  // What is allowed now is allowed beside what was.
  const tools = [...(stored.values.allowedTools ?? []), ...(now.allowedTools ?? [])];
  const allowedTools = [...new Set(tools)];
  return withAbsoluteScripts({ ...settings, allowedTools }, process.cwd());
}

/** Where the program of an agent is not installed. */
export const OTHER_WAYS = { start: 'atlas start "…"' };

export interface DriveOptions {
  readonly installation: Installation;
  readonly taskDir: string;
  /** Of {@link workersOf}. */
  readonly settings: AtlasSettings;
  readonly json: boolean;
  /** The task as it was named, where it was. */
  readonly id?: string | undefined;
  readonly warnings?: readonly string[] | undefined;
  /** How a resume was typed: who works on the task holds for this time only. */
  readonly typed?: Typed | undefined;
  /** Whether an agent is asked at once, whatever usage limit or retry is waited for. @default no */
  readonly asksAtOnce?: true | undefined;
  /** It was just created: nobody else can have it. @default false */
  readonly isNew?: boolean | undefined;
}

/**
 * Takes a task through its steps, telling what happens, until it is done or cannot continue by itself.
 * The first signal saves and stops; the second exits at once, as of the last save.
 *
 * @throws {CliError} where an agent cannot be had, before anything is touched; what `driveTask` throws.
 */
export async function drive(options: DriveOptions): Promise<ExitCode> {
  const { installation, taskDir, settings, json, warnings = [] } = options;
  // Of `atlas hook context`, which an agent is told to read, and which looks there.
  const { coder, reviewer } = createAgents(settings, OTHER_WAYS, {
    ATLAS_HOME: installation.home,
  });
  const { leash, retries } = settings;
  const waitLimitMs = periodMs(settings.waitLimit) ?? 0;
  const { asksAtOnce } = options;
  const sealKey = openUser().sealKey();
  const { metadata } = readTask(taskDir);
  const notGiven: string[] = [];
  const conventions = await conventionsOf({
    dir: taskDir,
    workTree: metadata.repoPath,
    commit: metadata.baseSha,
    warn: (message) => notGiven.push(message),
  });
  const checkEnv = environmentOfChecks(settings);
  const ports = {
    ...{ ...installation, checkEnv },
    ...{ coder, reviewer, leash, retries, waitLimitMs, asksAtOnce, sealKey, conventions },
  };
  // Everything is loaded now. Node itself would do it at the end, to which a killed process never comes.
  module.flushCompileCache();
  const reporter = createReporterOf(TASK_PRESENTER, STREAMS, { json });
  const ring = createBell(STREAMS.stderr);
  let lostLock: Driving["lostLock"] = () => undefined;
  let isOver = false;
  const interrupts = listen(taskDir, reporter, {
    lostLock: () => (isOver ? undefined : lostLock()),
    isOver: () => isOver,
  });
  try {
    const tampered = quarantinedFiles(taskDir).map(quarantineText);
    const all = [...tampered, ...warnings, ...notGiven];
    const warn = (message: string): void => reporter.report({ type: "warning", message });
    for (const message of all) warn(message);
    const judgeChain = watchChain(taskDir, installation, warn);
    judgeChain();
    // One that may be in others' hands is not spoken of before it is ours.
    const cost = await taskCost(taskDir);
    const introduce = once(() => reporter.report(taskRecord(taskDir, settings, cost)));
    if (options.isNew === true) {
      introduce();
      const notes = await publishingNotes(readTask(taskDir), process.env).catch(() => []);
      for (const message of notes) reporter.report({ type: "notice", message });
    }
    const isRepeated = createRepeated();
    const failed = tellWithheld(settings, warn);
    let failedCommand = "";
    const result = await driveTask({
      taskDir,
      ports,
      onEvent: (event) => {
        introduce();
        if (!isRepeated(event)) reporter.report(event);
        if (event.type === "command_done" && event.exitCode !== 0) failedCommand = event.command;
        // After the command's own error.
        const isOver = event.type === "step_failed" && !event.goesOn;
        if (isOver && failedCommand !== "") failed(failedCommand, event.reason);
      },
      signal: interrupts.signal,
      onLocked: (lost) => {
        lostLock = lost;
      },
    }).finally(() => {
      isOver = true;
    });
    const done = exitOf(result);
    const chain = judgeChain();
    const exit = interrupts.exitCode() ?? (done === EXIT.ok ? chainExit(chain) : done);
    const id = options.id ?? (await nameHere(installation.home, result.hook));
    introduce();
    reporter.report(
      resultRecord(result, await taskCost(taskDir), exit, { id, typed: options.typed }),
    );
    if (interrupts.exitCode() === undefined) ring();
    return exit;
  } finally {
    await interrupts.stays();
    interrupts.stop();
    reporter.close();
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}

/** Whose a task is while a signal may come. */
interface Driving {
  /** That another process has taken the task, if it has. */
  lostLock(): Error | undefined;
  /** Whether the task is driven no more: its lock is given back, and its agents are whoever's. */
  isOver(): boolean;
}

function listen(
  taskDir: string,
  reporter: ReporterOf<AtlasRecord>,
  { lostLock, isOver }: Driving,
): Interrupts {
  /** Another process drives: its agents are not to be cancelled. */
  const leaveIfLost = (): void => {
    const lost = lostLock();
    if (lost === undefined) return;
    const { code, message, next, exitCode: exit } = translate(lost);
    reporter.report({ type: "error", code, exit, message, next });
    reporter.close();
    process.exit(exit);
  };
  return listenForInterrupts(
    (name) => {
      leaveIfLost();
      const message = `${name}: stopping and saving; press Ctrl-C again to exit now.`;
      reporter.report({ type: "notice", message });
    },
    async () => {
      leaveIfLost();
      if (!isOver()) await endTaskAgents(taskDir);
      const message = "Stopped. State as of the last save. Next: atlas resume";
      reporter.report({ type: "notice", message });
      reporter.close();
    },
  );
}

function taskRecord(
  taskDir: string,
  settings: AtlasSettings,
  { spentUsd: totalCostUsd }: TaskCost,
): AtlasRecord {
  const { id: taskId, workspaceId, description, templateId: template, ...task } = readTask(taskDir);
  const { agent: coder, reviewer, maxCycles, maxBudgetUsd } = task.config;
  const { worktreeDir: workTree, branch } = task.metadata;
  const stepNames = task.steps.map(({ name }) => name);
  const where = { workTree, branch };
  const turnBudgetUsd = turnAllowance({ totalCostUsd, maxBudgetUsd }, "coder");
  const limits = { maxCycles, maxBudgetUsd, turnBudgetUsd };
  const commands = task.config.validation.commands.map(({ command }) => command);
  const prices = pricesWords(settings.prices);
  const who = { coder, reviewer, allowed: allowedWords(settings, commands), prices };
  return {
    type: "task",
    taskId,
    workspaceId,
    description,
    template,
    ...where,
    ...who,
    ...limits,
    stepNames,
  };
}

const EXITS: Readonly<Record<DriveResult["stopped"], ExitCode>> = {
  completed: ATLAS_EXIT.ok,
  failed: ATLAS_EXIT.notApproved,
  abandoned: ATLAS_EXIT.nothingToResume,
  awaiting: ATLAS_EXIT.decision,
  interrupted: ATLAS_EXIT.error,
  budget: ATLAS_EXIT.budget,
  limit: ATLAS_EXIT.limit,
  storage: ATLAS_EXIT.error,
};

/** How a drive's end is told to the command's caller. */
export function exitOf({ stopped }: Pick<DriveResult, "stopped">): ExitCode {
  return EXITS[stopped];
}

function resultRecord(
  result: DriveResult,
  { spentUsd, unknownUsd }: TaskCost,
  exit: ExitCode,
  { id, typed }: { readonly id: string | undefined; readonly typed?: Typed | undefined },
): AtlasRecord {
  const { hook, stopped: outcome, retryAt, limit } = result;
  const message = hook.awaiting?.reason ?? result.message;
  const { taskId, state, currentStep } = hook;
  const next = stepsAfter(result, id).map((step) =>
    typed === undefined ? step : withTyped(step, typed),
  );
  const where = { taskId, state, step: currentStep?.stepName ?? "" };
  const cost = { spentUsd, unknownUsd };
  return { type: "result", exit, outcome, ...where, message, retryAt, limit, ...cost, next };
}

function stepsAfter(result: DriveResult, id: string | undefined): readonly string[] {
  const { stopped, hook } = result;
  const named = naming(id);
  if (stopped === "budget") {
    return [resumeWith(result, named), `atlas status${named}`];
  }
  if (stopped === "limit") return stepsAtLimit(result.retryAt, named);
  return stopped === "storage"
    ? [...storageNext(result.message), `atlas resume${named}`]
    : nextOf(hook, id);
}
