import module from "node:module";
import { endRunProcesses } from "@quasar/agents";
import { type Interrupts, listenForInterrupts } from "./interrupts.ts";
import type { ExitCode } from "./exit-codes.ts";
import { forgetRun, lockWorkspace, noteRun } from "./lock.ts";
import { createReporter, type Reporter } from "./output/reporter.ts";
import { STREAMS } from "./streams.ts";
import type { Workspace } from "./workspace.ts";

/** A runner's stay in a work tree: nobody else runs there meanwhile. */
export interface Session {
  readonly workspace: Workspace;
  readonly reporter: Reporter;
  readonly interrupts: Interrupts;
  /** Says which run is worked on: to others who ask, and for the end in a hurry. */
  begin(runId: string): void;
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
  // Everything is loaded now. Node itself would do it at the end, to which a killed runner never comes.
  module.flushCompileCache();
  const reporter = createReporter(STREAMS, { json });
  let current: string | undefined;
  const interrupts = listenForInterrupts(
    (name) => {
      const message = `${name}: the agent is told to stop, then the state is saved; again leaves at once`;
      reporter.report({ type: "notice", message });
    },
    async () => {
      if (current === undefined) return;
      await endRunProcesses(current, { graceMs: 0 });
      const message = `left at once, as of the last save; to go on: quasar resume ${current}`;
      reporter.report({ type: "notice", message });
      reporter.close();
    },
  );
  const begin = (runId: string): void => {
    current = runId;
    noteRun(workspace, runId);
  };
  try {
    return await body({ workspace, reporter, interrupts, begin });
  } finally {
    interrupts.stop();
    reporter.close();
    forgetRun(workspace);
    lock.release();
  }
}
