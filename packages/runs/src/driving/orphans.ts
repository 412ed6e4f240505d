import { listRunProcesses } from "@quasar/agents/turns";
import type { Checkpoint } from "@quasar/checkpoint";
import { isAgentAlive } from "@quasar/loop/turn";
import { RunsError } from "../errors.ts";
import { cleanLine } from "../text/clean.ts";
import { firstLine } from "../text/first-line.ts";
import type { Tell } from "../events.ts";
import { openRunIds, runIds } from "../look/list.ts";
import { runStores } from "../store.ts";
import {
  endLeftovers,
  findLeftovers,
  type LeftoverProcesses,
  processesIn,
  foreignProcessesIn,
} from "../tree/processes.ts";
import type { Workspace } from "../workspace.ts";

/** What runs have left running, by run; nothing where nobody can know. Changes nothing. */
export async function findLeftoverProcesses(
  runIds: readonly string[],
): Promise<readonly LeftoverProcesses[]> {
  // One look at all processes, however many runs there are.
  return runIds.length === 0 ? [] : findLeftovers((runId) => runIds.includes(runId));
}

/** Who may still change a work tree. */
export interface Presence {
  /** Of its unfinished runs. */
  readonly leftovers: readonly LeftoverProcesses[];
  /** No process of any run is left in it, for certain. Under the lock that stays so. */
  readonly noProcessInTree: boolean;
}

/** Looks for processes of any runs in a work tree. Changes nothing. */
export async function lookAround(workspace: Workspace): Promise<Presence> {
  const all = listRunProcesses();
  const open = openRunIds(workspace);
  const leftovers = findLeftovers((runId) => open.includes(runId), all ?? []);
  const ids = runIds(workspace);
  const noProcessInTree =
    all !== undefined &&
    processesIn(workspace.root, all)?.length === 0 &&
    !all.some(({ runId }) => ids.includes(runId));
  return { leftovers, noProcessInTree };
}

/** Refusals for the agents of these runs that still work in the tree. Changes nothing. */
export async function findAlive(
  workspace: Workspace,
  leftovers: readonly LeftoverProcesses[],
): Promise<readonly RunsError[]> {
  const errors: RunsError[] = [];
  for (const { runId } of leftovers) {
    const checkpoint = await tryLoad(workspace, runId);
    if (checkpoint !== undefined && isAgentAlive(checkpoint)) {
      errors.push(agentAlive(runId, checkpoint));
    }
  }
  return errors;
}

/**
 * Makes sure that nothing writes in the tree: what a turn of these runs has left running is ended; one
 * that continues, and one of a run elsewhere, is not touched. Call it under the lock.
 *
 * @throws {RunsError} `ERR_AGENT_ALIVE` when an agent works on; `ERR_STATE` when something does not end.
 */
export async function clearTree(
  workspace: Workspace,
  leftovers: readonly LeftoverProcesses[],
  tell: Tell,
): Promise<void> {
  const [alive] = await findAlive(workspace, leftovers);
  if (alive !== undefined) throw alive;
  for (const each of leftovers) await end(each, tell);
  const foreign = findForeignProcess(workspace);
  if (foreign !== undefined) throw foreign;
}

/**
 * The refusal of a tree in which an agent works that no run of it has started: one of `atlas`, whose runs are
 * kept elsewhere and which may have outlived its engine. `ERR_AGENT_ALIVE`; changes nothing.
 */
export function findForeignProcess(workspace: Workspace): RunsError | undefined {
  const own = runIds(workspace);
  const foreignProcesses = foreignProcessesIn(workspace.root, (runId) => own.includes(runId));
  const [foreign] = foreignProcesses;
  if (foreign === undefined) return undefined;
  const { runId } = foreign;
  const pids = foreignProcesses.filter((each) => each.runId === runId).map(({ pid }) => pid);
  const message = `an agent of ${cleanLine(runId)} works in this tree (process ${pids.join(", ")})`;
  return new RunsError("ERR_AGENT_ALIVE", message, {
    next: [
      { shell: "atlas status", note: "if it is a task's" },
      { shell: `kill -INT ${pids.join(" ")}`, note: "ends it" },
    ],
  });
}

/** A run that cannot be read has no turn that could be followed. */
async function tryLoad(workspace: Workspace, runId: string): Promise<Checkpoint | undefined> {
  const { current } = runStores(workspace, runId);
  return (await current.load().catch(() => undefined))?.checkpoint;
}

function agentAlive(runId: string, { turn, taskTitle }: Checkpoint): RunsError {
  const message =
    `the ${turn?.role ?? "agent"} of run ${runId} still works in this tree, without its runner ` +
    `(process ${turn?.pid}): ${firstLine(taskTitle)}`;
  return new RunsError("ERR_AGENT_ALIVE", message, {
    next: [
      { do: "resume", runId, note: "follows it" },
      { do: "abandon", runId, note: "ends it" },
    ],
  });
}

async function end(leftover: LeftoverProcesses, tell: Tell): Promise<void> {
  const { runId, pids } = leftover;
  const what = pids.length === 1 ? "a process" : `${pids.length} processes`;
  const message = `ending ${what} of run ${runId} left by a dead runner: ${pids.join(" ")}`;
  tell({ type: "notice", message });
  await endLeftover(leftover);
}

/**
 * Ends what a run has left running.
 *
 * @throws {RunsError} `ERR_STATE` when something does not end.
 */
export async function endLeftover(leftover: LeftoverProcesses): Promise<void> {
  const [left] = await endLeftovers([leftover]);
  if (left === undefined) return;
  const pids = left.pids.join(" ");
  throw new RunsError("ERR_STATE", `processes of run ${left.runId} do not end: ${pids}`, {
    next: [{ shell: `kill -9 ${pids}`, note: "then the same command again" }],
  });
}
