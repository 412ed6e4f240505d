import { existsSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";
import { endRunProcesses } from "@quasar/agents";
import type { LoopEvent } from "@quasar/loop";
import { Hold } from "./hold.ts";
import { type Interrupts, listenForInterrupts } from "../shared/interrupts.ts";
import { type ExitCode } from "../shared/exit-codes.ts";
import { forgetRun, lockWorkspace, noteRun } from "./lock.ts";
import { createReporter, type Reporter } from "../shared/output/reporter.ts";
import { type Fact, ownFact } from "./runs/facts.ts";
import { openRunJournal, type RunJournal } from "./runs/journal.ts";
import { STREAMS } from "../shared/streams.ts";
import { translate } from "../shared/translate.ts";
import { watchFolder } from "./watch-folder.ts";
import type { Workspace } from "../shared/workspace.ts";

/** A runner's stay in a work tree: nobody else runs there meanwhile. */
export interface Session {
  readonly workspace: Workspace;
  /** What it tells of the command's own goes to the run's journal too. */
  readonly reporter: Reporter;
  readonly interrupts: Interrupts;
  /** To be asked before anything of the run is written, removed or ended. */
  readonly hold: Hold;
  /** Has something done whenever the files of the work tree's runs may have been removed. */
  onRemoved(restore: () => void): void;
  /**
   * Says which run is worked on: to others who ask, and for the end in a hurry. From here on facts go
   * to its journal, those that came before at once.
   */
  begin(runId: string): void;
  /** Keeps an event of the loop on record. Throws where that fails. */
  record(event: LoopEvent): void;
  /** Keeps a fact of the command's own on record; where that fails it is said. */
  note(fact: Fact): void;
}

/**
 * Works in a work tree under its lock.
 *
 * @throws {CliError} `ERR_LOCKED`, and what the body throws.
 */
export async function inSession(
  workspace: Workspace,
  json: boolean,
  body: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const lock = await lockWorkspace(workspace);
  const restorers = new Set<() => void>();
  const hold = new Hold(lock, workspace, () => {
    warn(
      "the lock file was removed while this command works; nobody else took it: it is made anew",
    );
    if (current !== undefined) noteRun(workspace, current);
    restoreFiles();
  });
  const restoreFiles = (): void => {
    journal?.restore();
    for (const restore of restorers) restore();
  };
  const look = (): void => {
    if (!hold.isHeld() || current === undefined) return;
    if (!existsSync(join(workspace.runsDir, current))) restoreFiles();
  };
  // Everything is loaded now. Node itself would do it at the end, to which a killed runner never comes.
  module.flushCompileCache();
  const output = createReporter(STREAMS, { json });
  const warn = (message: string): void => output.report({ type: "warning", cycle: 0, message });
  let current: string | undefined;
  let journal: RunJournal | undefined;
  const waiting: Fact[] = [];
  const note = (fact: Fact): void => {
    if (journal === undefined) {
      waiting.push(fact);
      return;
    }
    try {
      if (hold.isHeld()) journal.note(fact);
    } catch (error) {
      warn(`${fact.type} could not be kept on record: ${translate(error).message}`);
    }
  };
  const reporter: Reporter = {
    report(record) {
      output.report(record);
      const fact = ownFact(record);
      if (fact !== undefined) note(fact);
    },
    close: () => output.close(),
  };
  /** Another process drives: its agents are not to be cancelled. */
  const leave = (): never => {
    const { code, message, next, exitCode: exit } = hold.lost(current);
    output.report({ type: "error", code, exit, message, next });
    output.close();
    process.exit(exit);
  };
  const interrupts = listenForInterrupts(
    (name) => {
      if (!hold.isHeld()) leave();
      const message = `${name}: the agent is told to stop, then the state is saved; again leaves at once`;
      reporter.report({ type: "notice", message });
    },
    async () => {
      if (current === undefined || !hold.isHeld()) return;
      await endRunProcesses(current, { graceMs: 0 });
      const message = `left at once, as of the last save; to go on: quasar resume ${current}`;
      reporter.report({ type: "notice", message });
      reporter.close();
    },
  );
  const begin = (runId: string): void => {
    current = runId;
    noteRun(workspace, runId);
    journal = openRunJournal(join(workspace.runsDir, runId), warn);
    for (const fact of waiting.splice(0)) note(fact);
  };
  const record = (event: LoopEvent): void => {
    hold.require();
    journal?.add(event);
  };
  const onRemoved = (restore: () => void): void => void restorers.add(restore);
  const endWatch = watchFolder(workspace.runsDir, look);
  try {
    return await body({ workspace, reporter, interrupts, hold, onRemoved, begin, record, note });
  } finally {
    interrupts.stop();
    endWatch();
    // What went wrong before is what is told: these only tidy up.
    for (const tidy of [
      () => journal?.close(),
      () => hold.isHeld() && forgetRun(workspace),
      () => hold.release(),
    ]) {
      try {
        tidy();
      } catch (error) {
        warn(translate(error).message);
      }
    }
    output.close();
  }
}
