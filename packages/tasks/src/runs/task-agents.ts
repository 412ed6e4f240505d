import { basename } from "node:path";
import { listRunProcesses } from "@quasar/agents";
import { endRun } from "@quasar/runs/tree";

/** Processes of a task's run: its agents, and what they have started. */
export interface TaskAgents {
  /** `<task id>-implement-2` */
  readonly runId: string;
  readonly pids: readonly number[];
}

/**
 * The processes of a task's runs that are alive, by run; this process excepted. Changes nothing. None
 * are found on a platform where nobody can know.
 */
export async function findTaskAgents(taskDir: string): Promise<readonly TaskAgents[]> {
  const prefix = `${basename(taskDir)}-`;
  const byRun = new Map<string, number[]>();
  for (const { runId, pid } of listRunProcesses() ?? []) {
    if (runId.startsWith(prefix)) byRun.set(runId, [...(byRun.get(runId) ?? []), pid]);
  }
  return [...byRun].map(([runId, pids]) => ({ runId, pids }));
}

/**
 * Ends whatever the task's runs have left running: asked first, killed two seconds later.
 *
 * @returns What even that has not ended; empty where nothing is left.
 */
export async function endTaskAgents(taskDir: string): Promise<readonly TaskAgents[]> {
  return endAgents(await findTaskAgents(taskDir));
}

/** {@link endTaskAgents}, of these runs. */
export async function endAgents(agents: readonly TaskAgents[]): Promise<readonly TaskAgents[]> {
  const left: TaskAgents[] = [];
  for (const agent of agents) {
    // Where nobody can know, all of them may be left.
    const pids = (await endRun(agent.runId)) ?? agent.pids;
    if (pids.length > 0) left.push({ ...agent, pids });
  }
  return left;
}
