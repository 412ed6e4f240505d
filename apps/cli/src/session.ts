import module from "node:module";
import { type Interrupts, listenForInterrupts } from "./interrupts.ts";
import type { ExitCode } from "./exit-codes.ts";
import { lockWorkspace } from "./lock.ts";
import { createReporter, type Reporter } from "./output/reporter.ts";
import { STREAMS } from "./streams.ts";
import type { Workspace } from "./workspace.ts";

/** A runner's stay in a work tree: nobody else runs there meanwhile. */
export interface Session {
  readonly workspace: Workspace;
  readonly reporter: Reporter;
  readonly interrupts: Interrupts;
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
  const interrupts = listenForInterrupts((name) => {
    const message = `${name}: the agent is told to stop, then the state is saved; again leaves at once`;
    reporter.report({ type: "notice", message });
  });
  try {
    return await body({ workspace, reporter, interrupts });
  } finally {
    interrupts.stop();
    reporter.close();
    lock.release();
  }
}
