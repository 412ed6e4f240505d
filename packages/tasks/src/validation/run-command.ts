import { codeOf, messageOf } from "../errors.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, fstatSync, ftruncateSync, openSync } from "node:fs";
import { constants as os } from "node:os";
import { endRunProcesses } from "@quasar/agents";

export interface CommandSpec {
  /** As it is spawned. */
  readonly argv: readonly [string, ...string[]];
  /** Absolute. */
  readonly workDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The mark by which its processes are found, also after this one has died. */
  readonly runId: string;
  /** Files that there are not yet: everything that it prints, as it comes, 0600. */
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Of both outputs together; what goes beyond is cut off, and the command ended. @default 64 MiB */
  readonly maxOutputBytes?: number | undefined;
  /** Called when more was printed, ten times a second at most. */
  readonly onOutput?: (() => void) | undefined;
  readonly signal: AbortSignal;
}

/** How a command ended. */
export type CommandEnd =
  | {
      readonly kind: "ended";
      /** 0 to 255; 128 + the number of the signal that ended it; 124 where it was ended for a limit. */
      readonly exitCode: number;
      readonly signal?: NodeJS.Signals | undefined;
      /** The limit that it went over. */
      readonly limit?: "time" | "output" | undefined;
      readonly durationMs: number;
    }
  /** We were told to stop. */
  | { readonly kind: "interrupted" }
  /** There was no process, or its output could not be kept: nothing is known of the code. */
  | { readonly kind: "broken"; readonly message: string; readonly storage: boolean };

/** As `timeout` of the GNU core utilities says it. */
export const ENDED_FOR_A_LIMIT = 124;
const MAX_OUTPUT_BYTES = 64 * 2 ** 20;
const KILL_GRACE_MS = 2000;
/** For what outlives the command that has started it. */
const ORPHAN_GRACE_MS = 500;
const WATCH_MS = 100;

/**
 * Runs a command to its end, in a process group and session of its own, and ends whatever it leaves
 * behind: what carries its mark or is of its group. Its standard input is empty.
 *
 * Built on `node:child_process`: a group of its own and an end that waits for no grandchild are what a
 * wrapper's conveniences get in the way of.
 *
 * @see SPEC.md, "Running a command"
 */
export async function runCommand(spec: CommandSpec): Promise<CommandEnd> {
  if (spec.signal.aborted) return { kind: "interrupted" };
  const files: number[] = [];
  try {
    for (const path of [spec.stdout, spec.stderr]) files.push(openSync(path, NEW_FILE, 0o600));
    return await runInto(files, spec);
  } catch (error) {
    return { kind: "broken", message: messageOf(error), storage: isOfStorage(error) };
  } finally {
    for (const file of files) closeSync(file);
  }
}

const { O_RDWR, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW } = constants;
const NEW_FILE = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW;

async function runInto(files: readonly number[], spec: CommandSpec): Promise<CommandEnd> {
  const { argv, runId, timeoutMs, maxOutputBytes = MAX_OUTPUT_BYTES, onOutput, signal } = spec;
  const startedAt = performance.now();
  const child = start(spec, files);
  if (child.pid === undefined) {
    const error = await new Promise((resolve) => child.once("error", resolve));
    return { kind: "broken", message: `${argv[0]}: ${messageOf(error)}`, storage: false };
  }
  const { pid } = child;
  let fail: (error: unknown) => void = () => {};
  const exited = new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once("exit", (...ended) => resolve(ended));
    fail = reject;
  });

  let stopped: "time" | "output" | "aborted" | undefined;
  const stop = (why: NonNullable<typeof stopped>): void => {
    if (stopped !== undefined) return;
    stopped = why;
    endProcesses(pid, runId, KILL_GRACE_MS).catch(fail);
  };
  let printed = 0;
  const look = (): void => {
    const bytes = sizeOf(files);
    if (bytes > maxOutputBytes) stop("output");
    if (bytes !== printed) onOutput?.();
    printed = bytes;
  };
  const watch = setInterval(look, WATCH_MS);
  const timer = setTimeout(() => stop("time"), timeoutMs);
  const abort = (): void => stop("aborted");
  signal.addEventListener("abort", abort, { once: true });
  try {
    const [code, endedBy] = await exited;
    const durationMs = Math.round(performance.now() - startedAt);
    await endProcesses(pid, runId, ORPHAN_GRACE_MS);
    look();
    if (stopped === "aborted" || signal.aborted) return { kind: "interrupted" };
    if (stopped !== undefined) {
      if (stopped === "output") for (const file of files) cut(file, maxOutputBytes);
      return { kind: "ended", exitCode: ENDED_FOR_A_LIMIT, limit: stopped, durationMs };
    }
    if (endedBy === null) return { kind: "ended", exitCode: code ?? 255, durationMs };
    return { kind: "ended", exitCode: 128 + os.signals[endedBy], signal: endedBy, durationMs };
  } finally {
    clearInterval(watch);
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

function sizeOf(files: readonly number[]): number {
  return files.reduce((sum, file) => sum + fstatSync(file).size, 0);
}

function cut(file: number, bytes: number): void {
  if (fstatSync(file).size > bytes) ftruncateSync(file, bytes);
}

/**
 * Its outputs are files and not pipes: it goes on printing where its runner dies, and can open
 * `/dev/stderr`, which fails with the sockets that Node takes for pipes.
 */
function start(
  { argv: [file, ...args], workDir, env, runId }: CommandSpec,
  [stdout, stderr]: readonly number[],
): ChildProcess {
  return spawn(file, args, {
    cwd: workDir,
    env: commandEnvironment(env, runId),
    detached: true,
    stdio: ["ignore", stdout, stderr],
  });
}

/** What would have a command's git look at another repository: set within a git hook. */
const STEERS_GIT =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|INDEX_VERSION|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|QUARANTINE_PATH)$/;

function commandEnvironment(
  env: CommandSpec["env"],
  runId: string,
): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(
    ([name]) => !STEERS_GIT.test(name) && name !== "QUASAR_TURN_ID",
  );
  return { ...Object.fromEntries(kept), QUASAR_RUN_ID: runId };
}

/** Gently first, then with force; done when nothing is left that can be found. */
async function endProcesses(group: number, runId: string, graceMs: number): Promise<void> {
  signalGroup(group, "SIGTERM");
  await endRunProcesses(runId, { graceMs });
  signalGroup(group, "SIGKILL"); // what has shed the mark but not the group
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    // Nothing of the group is left, or none of it is ours any more.
    if (!hasCode(error, "ESRCH", "EPERM")) throw error;
  }
}

function isOfStorage(error: unknown): boolean {
  return hasCode(error, "ENOSPC", "EDQUOT", "EIO", "EROFS");
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(String(codeOf(error)));
}
