import { endRunProcesses, findRunProcesses } from "@quasar/agents";
import { CliError } from "./errors.ts";
import type { Reporter } from "./output/reporter.ts";

/**
 * Ends what a dead runner has left running: its turn is about to be started again, and two agents
 * must not write at once. Call it under the lock.
 *
 * @returns Whether there was anything to end.
 * @throws {CliError} `ERR_STATE` when something does not end.
 */
export async function endOrphans(runIds: readonly string[], reporter: Reporter): Promise<boolean> {
  let any = false;
  for (const runId of runIds) {
    const found = (await findRunProcesses(runId)) ?? [];
    if (found.length === 0) continue;
    any = true;
    const what = found.length === 1 ? "a process" : `${found.length} processes`;
    const message = `ending ${what} of run ${runId} that outlived the runner: ${found.join(" ")}`;
    reporter.report({ type: "notice", message });
    // Claude Code writes down what a turn has cost when it is interrupted.
    const ended = await endRunProcesses(runId, { signal: "SIGINT", graceMs: 2000 });
    const left = ended?.left ?? [];
    if (left.length > 0) {
      throw new CliError("ERR_STATE", `processes of run ${runId} do not end: ${left.join(" ")}`, {
        next: [`kill -9 ${left.join(" ")}, then the same command again`],
      });
    }
  }
  return any;
}
