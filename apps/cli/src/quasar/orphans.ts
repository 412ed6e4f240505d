import { isAgentAlive } from "@quasar/loop";
import {
  endRunProcesses,
  findRunProcesses,
  listRunProcesses,
  type RunProcess,
} from "@quasar/agents";
import type { Checkpoint } from "@quasar/checkpoint";
import { isInWorkTree } from "@quasar/git";
import { CliError } from "../shared/errors.ts";
import { cleanLine } from "../shared/output/clean.ts";
import { firstLine } from "../shared/output/text.ts";
import type { Reporter } from "../shared/output/reporter.ts";
import { openRunIds, runIds } from "./runs/list.ts";
import { runStores } from "../shared/runs/store.ts";
import type { Workspace } from "../shared/workspace.ts";

/** The run whose agent has started this command, if one has. */
const STARTED_BY: string | undefined = process.env["QUASAR_RUN_ID"];

/** Processes that carry a run's id and may have outlived its runner. */
export interface Outliving {
  readonly runId: string;
  readonly pids: readonly number[];
}

/** What runs have left running, by run. Changes nothing. */
export async function findOutliving(runIds: readonly string[]): Promise<readonly Outliving[]> {
  // One look at all processes, however many runs there are.
  return runIds.length === 0 ? [] : outlivingOf(runIds, listRunProcesses());
}

async function outlivingOf(
  runIds: readonly string[],
  all: readonly RunProcess[] | undefined,
): Promise<readonly Outliving[]> {
  const found: Outliving[] = [];
  for (const runId of runIds) {
    const pids = all?.filter((each) => each.runId === runId).map(({ pid }) => pid);
    found.push({ runId, pids: pids ?? findRunProcesses(runId) ?? [] });
  }
  return found.filter(({ pids }) => pids.length > 0);
}

/** Who may still change a work tree. */
export interface Presence {
  /** Of its unfinished runs. */
  readonly outliving: readonly Outliving[];
  /** No process of any run is left in it, for certain. Under the lock that stays so. */
  readonly isDeserted: boolean;
}

/** Looks for processes of any runs in a work tree. Changes nothing. */
export async function lookAround(workspace: Workspace): Promise<Presence> {
  const all = listRunProcesses();
  const outliving = await outlivingOf(openRunIds(workspace), all);
  const ids = runIds(workspace);
  const isHere = ({ runId, workDir }: RunProcess): boolean =>
    ids.includes(runId) || (isInWorkTree(workDir, workspace.root) && runId !== STARTED_BY);
  const isDeserted = all !== undefined && !all.some(isHere);
  return { outliving, isDeserted };
}

/** Refusals for the agents of these runs that still work in the tree. Changes nothing. */
export async function findAlive(
  workspace: Workspace,
  outliving: readonly Outliving[],
): Promise<readonly CliError[]> {
  const errors: CliError[] = [];
  for (const { runId } of outliving) {
    const checkpoint = await tryLoad(workspace, runId);
    if (checkpoint !== undefined && isAgentAlive(checkpoint)) {
      errors.push(agentAlive(runId, checkpoint));
    }
  }
  return errors;
}

/**
 * Makes sure that nothing writes in the tree: what a turn of these runs has left running is ended; one
 * that goes on, and a stranger's, is not touched. Call it under the lock.
 *
 * @throws {CliError} `ERR_AGENT_ALIVE` when an agent works on; `ERR_STATE` when something does not end.
 */
export async function clearTree(
  workspace: Workspace,
  outliving: readonly Outliving[],
  reporter: Reporter,
): Promise<void> {
  const [alive] = await findAlive(workspace, outliving);
  if (alive !== undefined) throw alive;
  for (const each of outliving) await end(each, reporter);
  await refuseStrangers(workspace);
}

/**
 * Refuses a tree in which an agent works that no run of it has started: one of `atlas`, whose runs are
 * kept elsewhere and which may have outlived its engine.
 *
 * @throws {CliError} `ERR_AGENT_ALIVE`
 */
async function refuseStrangers(workspace: Workspace): Promise<void> {
  const all = listRunProcesses() ?? [];
  const own = [...runIds(workspace), STARTED_BY];
  const stranger = all.find(
    ({ runId, workDir }) => isInWorkTree(workDir, workspace.root) && !own.includes(runId),
  );
  if (stranger === undefined) return;
  const { runId } = stranger;
  const pids = all.filter((each) => each.runId === runId).map(({ pid }) => pid);
  const message = `an agent of ${cleanLine(runId)} works in this tree (process ${pids.join(", ")})`;
  throw new CliError("ERR_AGENT_ALIVE", message, {
    next: ["atlas status, if it is a task's", `kill -INT ${pids.join(" ")}   (ends it)`],
  });
}

/** A run that cannot be read has no turn that could be followed. */
async function tryLoad(workspace: Workspace, runId: string): Promise<Checkpoint | undefined> {
  const { current } = runStores(workspace, runId);
  return (await current.load().catch(() => undefined))?.checkpoint;
}

function agentAlive(runId: string, { turn, taskTitle }: Checkpoint): CliError {
  const message =
    `the ${turn?.role ?? "agent"} of run ${runId} still works in this tree, without its runner ` +
    `(process ${turn?.pid}): ${firstLine(taskTitle)}`;
  return new CliError("ERR_AGENT_ALIVE", message, {
    next: [`quasar resume ${runId}   (follows it)`, `quasar abandon ${runId}   (ends it)`],
  });
}

async function end({ runId, pids }: Outliving, reporter: Reporter): Promise<void> {
  const what = pids.length === 1 ? "a process" : `${pids.length} processes`;
  const message = `ending ${what} of run ${runId} that outlived the runner: ${pids.join(" ")}`;
  reporter.report({ type: "notice", message });
  // Claude Code writes down what a turn has cost when it is interrupted.
  const ended = await endRunProcesses(runId, { signal: "SIGINT", graceMs: 2000 });
  const left = ended?.left ?? pids;
  if (left.length > 0) {
    throw new CliError("ERR_STATE", `processes of run ${runId} do not end: ${left.join(" ")}`, {
      next: [`kill -9 ${left.join(" ")}, then the same command again`],
    });
  }
}
