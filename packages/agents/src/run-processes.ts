import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { AgentsError } from "./errors.ts";

const POLL_MS = 25;
const AFTER_KILL_MS = 2000;

export interface EndRunProcessesOptions {
  /** Sent first; `SIGINT` lets Claude Code write down its cost. @default "SIGTERM" */
  readonly signal?: NodeJS.Signals | undefined;
  /** Milliseconds from that to SIGKILL. @default 5000 */
  readonly graceMs?: number | undefined;
}

/** What became of a run's processes. */
export interface EndedProcesses {
  /** Process ids that were found and are gone. */
  readonly ended: readonly number[];
  /** Process ids that even SIGKILL has not ended (yet). */
  readonly left: readonly number[];
}

/** An error that means: the process has gone, or is another user's and so not one of ours. */
function isNotOurs(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM";
}

// Nothing here waits for a disk: thread by thread it would take three times as long.
const pidsInProc = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name));

const NO_ENVIRONMENT = Buffer.alloc(0);

function environmentOf(pid: string): Buffer {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch (error) {
    if (isNotOurs(error)) {
      return NO_ENVIRONMENT;
    }
    throw error;
  }
}

function hasMarker(environ: Buffer, marker: Buffer): boolean {
  for (let at = environ.indexOf(marker); at >= 0; at = environ.indexOf(marker, at + 1)) {
    if (at === 0 || environ[at - 1] === 0) {
      return true;
    }
  }
  return false;
}

/** Reads an empty environment again after all others: a process that is about to become another program has none. */
function findInProc(variable: string, id: string): number[] {
  const marker = Buffer.from(`${variable}=${id}\0`);
  const read = pidsInProc().map((pid) => ({ pid, environ: environmentOf(pid) }));
  return read
    .filter(({ pid, environ }) =>
      hasMarker(environ.length === 0 ? environmentOf(pid) : environ, marker),
    )
    .map(({ pid }) => Number(pid));
}

/** Best effort: `ps` shows a process's environment after its arguments, to its own user. */
async function findWithPs(variable: string, id: string): Promise<number[]> {
  const run = promisify(execFile);
  const { stdout } = await run("ps", ["-Eaxww", "-o", "pid=,command="], { maxBuffer: 1 << 28 });
  const marker = ` ${variable}=${id} `;
  return stdout
    .split("\n")
    .filter((line) => `${line} `.includes(marker))
    .map((line) => Number.parseInt(line, 10));
}

/** A process that carries the id of a run. */
export interface RunProcess {
  readonly pid: number;
  readonly runId: string;
  /** Absolute path of its working folder; `""` where that cannot be seen. */
  readonly workDir: string;
}

/**
 * All processes of any runs that can be seen, this one excepted.
 *
 * @returns `undefined` on a platform where nobody can know.
 */
export async function listRunProcesses(): Promise<readonly RunProcess[] | undefined> {
  if (process.platform !== "linux") {
    return undefined;
  }
  const found = pidsInProc().map(runProcess);
  return found.filter((each) => each !== undefined && each.pid !== process.pid) as RunProcess[];
}

function runProcess(pid: string): RunProcess | undefined {
  const entries = environmentOf(pid).toString("latin1").split("\0");
  const entry = entries.find((each) => each.startsWith("QUASAR_RUN_ID="));
  const runId = entry?.slice("QUASAR_RUN_ID=".length) ?? "";
  return runId === "" ? undefined : { pid: Number(pid), runId, workDir: workDirOf(pid) };
}

function workDirOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch (error) {
    if (isNotOurs(error)) {
      return "";
    }
    throw error;
  }
}

/** @throws {AgentsError} `ERR_INVALID_RUN_ID` for an empty id or one with white space or a NUL in it. */
export function checkRunId(runId: string): void {
  if (runId === "" || /[\s\0]/.test(runId)) {
    throw new AgentsError("ERR_INVALID_RUN_ID", `${JSON.stringify(runId)} is not a run id`);
  }
}

/**
 * Ids of the processes that carry a run's id in their environment, this one excepted: its agents,
 * and what they have started, in whatever session or group that may be.
 *
 * @returns `undefined` on a platform where nobody can know (Windows).
 * @throws {AgentsError} `ERR_INVALID_RUN_ID`
 * @see SPEC.md, "Processes of a run"
 */
export async function findRunProcesses(runId: string): Promise<readonly number[] | undefined> {
  checkRunId(runId);
  return findMarked("QUASAR_RUN_ID", runId);
}

async function findMarked(variable: string, id: string): Promise<readonly number[] | undefined> {
  if (process.platform === "win32") {
    return undefined;
  }
  const find = process.platform === "linux" ? findInProc : findWithPs;
  return (await find(variable, id)).filter((pid) => pid !== process.pid);
}

/** Signals a process, or a group where `pid` is negative. One that has gone is fine. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!isNotOurs(error)) {
      throw error;
    }
  }
}

/**
 * Ends whatever carries a run's id: the signal, and SIGKILL after the grace, repeated for what
 * those processes start meanwhile.
 *
 * @returns `undefined` on a platform where nobody can know (Windows).
 * @throws {AgentsError} `ERR_INVALID_RUN_ID`
 * @see SPEC.md, "Processes of a run"
 */
export async function endRunProcesses(
  runId: string,
  options: EndRunProcessesOptions = {},
): Promise<EndedProcesses | undefined> {
  checkRunId(runId);
  return endMarked("QUASAR_RUN_ID", runId, options);
}

/** Whether a process carries a turn's id; not where nobody can know. */
export async function carriesTurn(pid: number, turnId: string): Promise<boolean> {
  checkRunId(turnId);
  return (await findMarked("QUASAR_TURN_ID", turnId))?.includes(pid) === true;
}

/** Ends whatever is left of a turn, at once. */
export async function endTurnProcesses(turnId: string): Promise<void> {
  checkRunId(turnId);
  await endMarked("QUASAR_TURN_ID", turnId, { graceMs: 0 });
}

async function endMarked(
  variable: string,
  id: string,
  options: EndRunProcessesOptions,
): Promise<EndedProcesses | undefined> {
  const { signal = "SIGTERM", graceMs = 5000 } = options;
  const killAt = performance.now() + graceMs;
  const giveUpAt = killAt + AFTER_KILL_MS;
  const signalled = new Set<number>();
  for (;;) {
    const left = await findMarked(variable, id);
    if (left === undefined) {
      return undefined;
    }
    const now = performance.now();
    if (left.length === 0 || now > giveUpAt) {
      return { ended: [...signalled].filter((pid) => !left.includes(pid)), left };
    }
    for (const pid of left) {
      if (now >= killAt) {
        sendSignal(pid, "SIGKILL");
      } else if (!signalled.has(pid)) {
        sendSignal(pid, signal);
      }
      signalled.add(pid);
    }
    await sleep(POLL_MS);
  }
}
