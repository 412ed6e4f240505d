import {
  currentProcess,
  type EndedProcesses,
  endMarked,
  type EndMarkedOptions,
  findMarked,
  findWorkingFolders,
  isAlive,
  isMarkValue,
  listProcesses,
  type Mark,
  parseIdentity,
  type ProcessIdentity,
  sendSignal,
} from "@quasar/process";
import { AgentsError } from "./errors.ts";
import { readJsonFile, type TurnFiles } from "./turn-files.ts";

const RUN = "QUASAR_RUN_ID";
const TURN = "QUASAR_TURN_ID";

/** A process that carries the id of a run. */
export interface RunProcess {
  readonly pid: number;
  readonly runId: string;
  /** Absolute path of its working folder; `""` where that cannot be seen, `undefined` where nobody can know. */
  readonly workTree: string | undefined;
}

/**
 * All processes of any runs that can be seen, this one excepted. Their folders are searched for, all at once, when
 * the first of them is asked for.
 *
 * @returns `undefined` where nobody can know.
 */
export function listRunProcesses(): readonly RunProcess[] | undefined {
  const found = listProcesses()?.flatMap(({ pid, variable }) => {
    const runId = variable(RUN) ?? "";
    return runId === "" ? [] : [{ pid, runId }];
  });
  let asked: { readonly dirs: ReadonlyMap<number, string> | undefined } | undefined;
  const workTrees = (): ReadonlyMap<number, string> | undefined => {
    asked ??= { dirs: findWorkingFolders((found ?? []).map(({ pid }) => pid)) };
    return asked.dirs;
  };
  return found?.map(({ pid, runId }) => ({
    pid,
    runId,
    get workTree() {
      const dirs = workTrees();
      return dirs && (dirs.get(pid) ?? "");
    },
  }));
}

/**
 * What all processes of a run carry.
 *
 * @throws {AgentsError} `ERR_INVALID_RUN_ID` for an empty id or one with white space or a NUL in it.
 */
export function runMark(runId: string): Mark {
  return markOf(RUN, runId);
}

/**
 * Ids of the processes that carry a run's id in their environment, this one excepted: its agents,
 * and what they have started, in whatever session or group that may be.
 *
 * @returns `undefined` where nobody can know.
 * @throws {AgentsError} `ERR_INVALID_RUN_ID`
 * @see SPEC.md, "Processes of a run"
 */
export function findRunProcesses(runId: string): readonly number[] | undefined {
  return findMarked(runMark(runId));
}

/**
 * Ends whatever carries a run's id: the signal, and SIGKILL after the grace, repeated for what
 * those processes start meanwhile. `SIGINT` lets Claude Code write down its cost.
 *
 * @returns `undefined` where nobody can know.
 * @throws {AgentsError} `ERR_INVALID_RUN_ID`
 * @see SPEC.md, "Processes of a run"
 */
export async function endRunProcesses(
  runId: string,
  options: EndMarkedOptions = {},
): Promise<EndedProcesses | undefined> {
  return endMarked(runMark(runId), options);
}

/** Whether a process carries a turn's id; not where nobody can know. */
export function carriesTurn(pid: number, turnId: string): boolean {
  return findMarked(markOf(TURN, turnId))?.includes(pid) === true;
}

/**
 * The agent that a turn's supervisor has named, where it still lives. Whoever may write files in the repository could
 * name any process there: taken is one that is known by its start and its boot, that leads a group of its own,
 * as a supervisor makes its agent do, and that is not older than the supervisor.
 *
 * @param supervisor - As the turn knows it; `undefined` where it does not.
 */
export function namedAgent(
  files: TurnFiles,
  supervisor: ProcessIdentity | undefined,
): ProcessIdentity | undefined {
  const agent = parseIdentity(readJsonFile(files.path("agent")));
  if (agent === undefined || !isWhole(agent) || isAlive(agent) !== true) return undefined;
  const isOlder = (agent.startTime ?? 0) < (supervisor?.startTime ?? 0);
  return !isOlder && leadsGroup(agent.pid) ? agent : undefined;
}

/** Whether all is named by which this system tells processes apart. */
function isWhole({ startTime, bootId }: ProcessIdentity): boolean {
  const own = currentProcess();
  const isDated = startTime !== undefined || own.startTime === undefined;
  return isDated && (bootId !== undefined || own.bootId === undefined);
}

function leadsGroup(pid: number): boolean {
  return listProcesses()?.some((each) => each.pid === pid && each.group === pid) === true;
}

/**
 * Ends whatever is left of a turn, at once: the agent that its supervisor has named, with its group, and what
 * carries the turn's id.
 *
 * @throws {AgentsError} `ERR_NOT_ENDED` where something does not end, or nobody can know whether anything is left.
 */
export async function endTurnProcesses(
  turnId: string,
  files: TurnFiles | undefined,
  supervisor?: ProcessIdentity,
): Promise<void> {
  const agent = files && namedAgent(files, supervisor);
  if (agent !== undefined) sendSignal(-agent.pid, "SIGKILL");
  const ended = await endMarked(markOf(TURN, turnId), { graceMs: 0 });
  if (ended?.left.length === 0) return;
  const why =
    ended === undefined
      ? "the processes of this machine cannot be listed"
      : `process ${ended.left.join(", ")} does not end`;
  throw new AgentsError("ERR_NOT_ENDED", why);
}

function markOf(name: string, value: string): Mark {
  if (isMarkValue(value)) return { name, value };
  throw new AgentsError("ERR_INVALID_RUN_ID", `${JSON.stringify(value)} is not a run id`);
}
