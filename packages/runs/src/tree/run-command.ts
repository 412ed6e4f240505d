import { closeSync, constants, fstatSync, ftruncateSync, openSync } from "node:fs";
import { constants as os } from "node:os";
import { runMark } from "@quasar/agents/turns";
import { type Mark, runProgram } from "@quasar/process";
import { codeOf, messageOf } from "../errors.ts";

export interface CommandSpec {
  /** As it is spawned. */
  readonly argv: readonly [string, ...string[]];
  /** Absolute. */
  readonly workTree: string;
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
      /** Whether it printed more than was allowed, also where it ended by itself before that was seen. */
      readonly isCutOff?: boolean | undefined;
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
const WATCH_MS = 100;

/**
 * Runs a command to its end, in a process group and session of its own, and ends whatever it leaves
 * behind: what carries its mark or is of its group. Its standard input is empty.
 *
 * Its outputs are files and not pipes: it continues printing where its runner dies, and can open
 * `/dev/stderr`, which fails with the sockets that Node takes for pipes.
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
  const { argv, workTree: cwd, timeoutMs, onOutput, signal, runId } = spec;
  const { maxOutputBytes = MAX_OUTPUT_BYTES } = spec;
  const [file, ...args] = argv;
  const [stdout, stderr] = files;
  const flood = new AbortController();
  let printed = 0;
  const look = (): void => {
    const bytes = sizeOf(files);
    if (bytes > maxOutputBytes) flood.abort();
    if (bytes !== printed) onOutput?.();
    printed = bytes;
  };
  const watch = setInterval(look, WATCH_MS);
  const mark = runMark(runId);
  const env = commandEnvironment(spec.env, mark);
  const stop = AbortSignal.any([signal, flood.signal]);
  const limits = { timeoutMs, signal: stop, graceMs: KILL_GRACE_MS };
  const end = await runProgram(
    { file, args, cwd, env },
    { ...limits, stdout, stderr, mark },
  ).finally(() => clearInterval(watch));
  if (end.kind === "not-started") {
    return { kind: "broken", message: `${file}: ${end.error.message}`, storage: false };
  }
  look();
  if (signal.aborted) return { kind: "interrupted" };
  const { exitCode, exitSignal, durationMs } = end;
  const isFlood = flood.signal.aborted;
  if (isFlood) for (const path of files) cut(path, maxOutputBytes);
  const ended = { kind: "ended", ...(isFlood && { isCutOff: true }), durationMs } as const;
  if (end.stopped !== undefined) {
    const limit = end.stopped === "time" ? "time" : "output";
    return { ...ended, exitCode: ENDED_FOR_A_LIMIT, limit };
  }
  if (exitSignal === undefined) return { ...ended, exitCode: exitCode ?? 255 };
  return { ...ended, exitCode: 128 + os.signals[exitSignal], signal: exitSignal };
}

function sizeOf(files: readonly number[]): number {
  return files.reduce((sum, file) => sum + fstatSync(file).size, 0);
}

function cut(file: number, bytes: number): void {
  if (fstatSync(file).size > bytes) ftruncateSync(file, bytes);
}

/** What would have a command's git look at another repository: set within a git hook. */
const STEERS_GIT =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|INDEX_VERSION|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|QUARANTINE_PATH)$/;

function commandEnvironment(
  env: CommandSpec["env"],
  mark: Mark,
): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(
    ([name]) => !STEERS_GIT.test(name) && name !== "QUASAR_TURN_ID",
  );
  return { ...Object.fromEntries(kept), [mark.name]: mark.value };
}

function isOfStorage(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT", "EIO", "EROFS"].includes(codeOf(error));
}
