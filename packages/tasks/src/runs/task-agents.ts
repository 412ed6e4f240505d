import { basename } from "node:path";
import { endLeftovers, findLeftovers, type LeftoverProcesses } from "@quasar/runs/tree";

/** Processes of a task's run, such as `<task id>-implement-2`: its agents, and what they have started. */
export type TaskAgents = LeftoverProcesses;

/**
 * The processes of a task's runs that are alive, by run; this process excepted. Changes nothing. None
 * are found on a platform where nobody can know.
 */
export async function findTaskAgents(taskDir: string): Promise<readonly TaskAgents[]> {
  const prefix = `${basename(taskDir)}-`;
  return findLeftovers((runId) => runId.startsWith(prefix));
}

/**
 * Ends whatever the task's runs have left running: asked first, killed two seconds later.
 *
 * @returns What even that has not ended; empty where nothing is left.
 */
export async function endTaskAgents(taskDir: string): Promise<readonly TaskAgents[]> {
  return endLeftovers(await findTaskAgents(taskDir));
}
