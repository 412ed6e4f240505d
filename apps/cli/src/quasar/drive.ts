import module from "node:module";
import { relative } from "node:path";
import { countChanges, type FileChange } from "@quasar/git/history";
import type { TaskResult } from "@quasar/loop";
import { createRedactor } from "@quasar/agents/environment";
import type { RunEnd, RunEvent, RunOptions } from "@quasar/runs";
import {
  type Driver,
  type DriveOptions,
  type Notice,
  pricesWords,
  runNotification,
} from "@quasar/runs/internal";
import { tellWithheld } from "../shared/checks/environment.ts";
import type { Settings } from "../shared/config/settings.ts";
import type { ExitCode } from "../shared/exit-codes.ts";
import { listenForInterrupts } from "../shared/interrupts.ts";
import { areSettingsStored } from "../shared/kept-settings.ts";
import { allowedWords } from "../shared/output/allowed.ts";
import { createBell } from "../shared/output/bell.ts";
import { createCoverableReporter } from "../shared/output/coverable.ts";
import { type Reporter, RUN } from "../shared/output/reporter.ts";
import { STREAMS } from "../shared/streams.ts";
import type { Typed } from "../shared/typed.ts";
import { stepsInWords } from "./next-steps.ts";
import { exitOf, resultRecord } from "./outcome.ts";
import { createWorkScreen } from "./screen/work-screen.ts";
import { translate } from "./translate.ts";

/** What a command has a run do, and how that is followed. */
export interface Drive {
  readonly reporter: Reporter;
  /** For `@quasar/runs`. */
  readonly options: DriveOptions & Required<Pick<RunOptions, "onEnd">>;
  /** Says what the run works by, once that is known. */
  use(settings: Settings): void;
}

/** How a run is shown, and was typed. */
export interface Shown {
  readonly json: boolean;
  /** Whether the cockpit shows it. */
  readonly hasScreen: boolean;
  /** What of it could not be stored is to be typed again. */
  readonly typed?: Typed | undefined;
}

/** Has a run worked on, shows what it does and how it ended, and says with which code to leave. */
export async function drive(
  { json, hasScreen, typed }: Shown,
  body: (drive: Drive) => Promise<RunEnd>,
): Promise<ExitCode> {
  const reporter = createCoverableReporter(RUN, STREAMS, { json });
  const ring = createBell(STREAMS.stderr);
  let driver: Driver | undefined;
  let settings: Settings | undefined;
  let failed = (_check: string, _output: string): void => {};
  /** Another process drives: its agents are not to be cancelled. */
  const leaveIfLost = (): void => {
    if (driver === undefined || driver.hold.isHeld()) return;
    const { code, message, next, exitCode: exit } = translate(driver.hold.lost(driver.runId()));
    process.once("exit", () => {
      // By now a screen has given the terminal back.
      reporter.uncover();
      reporter.report({ type: "error", code, exit, message, next });
      reporter.close();
    });
    process.exit(exit);
  };
  const notice = (message: string): void => driver?.tell({ type: "notice", message });
  const interrupts = listenForInterrupts(
    (name) => {
      leaveIfLost();
      notice(`${name}: stopping and saving; press Ctrl-C again to exit now.`);
    },
    async () => {
      if (driver?.runId() === undefined || !driver.hold.isHeld()) return;
      await Promise.all([driver.endAgents(), screen?.close()]);
      notice(`Stopped. State as of the last save. Next: quasar resume ${driver.runId()}`);
      reporter.close();
    },
  );
  const warn = (message: string): void => reporter.report({ type: "warning", cycle: 0, message });
  const screen = hasScreen
    ? createWorkScreen({ reporter, signal: interrupts.signal, tell: notice, warn })
    : undefined;
  const showRun = (): void => {
    const id = driver?.runId();
    if (driver === undefined || id === undefined) return;
    screen?.open({ kind: "run", id, workspace: driver.workspace });
  };
  const onEvent = (event: RunEvent): void => {
    if (event.type === "run" && settings !== undefined) {
      const allowed = allowedWords(settings, [...settings.lint, ...settings.filter]);
      reporter.report({ ...event, allowed, prices: pricesWords(settings.prices) });
    } else if (event.type === "notice") {
      reporter.report(noticeRecord(event));
    } else if (event.type !== "run") {
      reporter.report(event);
    }
    if (event.type === "check_done" && !event.passed) failed(event.name, event.output);
    showRun();
  };
  const onEnd = async (end: RunEnd): Promise<void> => {
    if (driver === undefined || settings === undefined) return;
    await screen?.close();
    const { workspace } = driver;
    const { root } = workspace;
    const isThere = !relative(root, process.cwd()).startsWith("..");
    const isStored = await areSettingsStored(workspace, end.result.runId, settings);
    const exit = exitOf(end.result, interrupts.exitCode());
    const checked = settings.lint.length + settings.filter.length > 0;
    const again = { folder: isThere ? undefined : root, typed: isStored ? undefined : typed };
    const files = await filesOf(root, end.result);
    const problem = await notify(end, root, settings);
    if (problem !== undefined) warn(problem);
    reporter.report(resultRecord(end, exit, { ...again, agents: settings, checked, files }));
    if (interrupts.exitCode() === undefined) ring();
  };
  const onDriving = (driving: Driver): void => {
    driver = driving;
    // Everything is loaded now. Node itself would do it at the end, to which a killed runner never comes.
    module.flushCompileCache();
  };
  const use = (given: Settings): void => {
    settings = given;
    failed = tellWithheld(given, warn);
  };
  const options = { onEvent, onEnd, onDriving, signal: interrupts.signal };
  try {
    const { result } = await body({ reporter, options, use });
    return exitOf(result, interrupts.exitCode());
  } finally {
    await screen?.close();
    await interrupts.stays();
    interrupts.stop();
    reporter.close();
  }
}

/** What the runner did or saw, with what can be done about it behind. */
function noticeRecord({ type, message, next = [] }: Notice): Notice {
  const steps = stepsInWords(next).map((step) => ` (${step})`);
  return { type, message: message + steps.join("") };
}

/** Tells who is away, by the command of their settings. @returns What went wrong. */
function notify(
  { result: { outcome, message } }: RunEnd,
  cwd: string,
  { notify: command }: Settings,
): Promise<string | undefined> {
  const { env } = process;
  const said = { QUASAR_EVENT: outcome, QUASAR_MESSAGE: createRedactor(env)(message) };
  return runNotification({ command, cwd, env, said });
}

/** What a run has committed; nothing where git cannot say, for the run has ended all the same. */
async function filesOf(
  root: string,
  { baseCommitSha: from, cycleCommits }: TaskResult,
): Promise<readonly FileChange[]> {
  const to = cycleCommits.at(-1) ?? from;
  return from === "" || to === from ? [] : countChanges(root, from, to).catch(() => []);
}
