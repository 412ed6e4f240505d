import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { runProgram } from "@quasar/process";
import { createBatchSplitter } from "./line-splitter.ts";
import { runMark } from "./run-processes.ts";

/** Limits of one turn's process. All times in milliseconds, all sizes in bytes. */
export interface ProcessLimits {
  /** Without a byte of output. At least 60,000 for an agent with a heartbeat of 30 s. */
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** From SIGINT to SIGTERM, and from that to SIGKILL. */
  readonly killGraceMs: number;
  /** Of a longer line what comes after is left out. */
  readonly maxLineBytes: number;
  /** Of standard output and standard error together, over the whole turn: what prints more is stopped. */
  readonly maxOutputBytes: number;
}

export const DEFAULT_LIMITS: ProcessLimits = {
  idleTimeoutMs: 10 * 60_000,
  totalTimeoutMs: 60 * 60_000,
  killGraceMs: 5000,
  maxLineBytes: 8 * 2 ** 20,
  maxOutputBytes: 16 * 2 ** 30,
};

/** Why we ended a process before it ended itself. */
export type StopReason =
  | "cancelled"
  | "timeout-idle"
  | "timeout-total"
  | "output-too-large"
  | "budget"
  | "requests";

/** Why a process could not be started. */
export type StartProblem = "no-work-dir" | "no-program" | "arguments-too-long" | "other";

export interface ChildSpec {
  readonly runId: string;
  readonly turnId: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Written to standard input, which is then closed. */
  readonly input: string;
  readonly limits: ProcessLimits;
}

export interface ChildHandlers {
  /** Told the process's id before the program begins. @default nobody */
  readonly onSpawn?: ((pid: number) => void) | undefined;
  /** What it reads, for as long as there is more. @default its `input` */
  readonly input?: Readable | undefined;
  /** Lines of standard output, without their breaks, as they came together. A returned reason stops the process. */
  readonly onLines: (lines: readonly string[]) => StopReason | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Takes secrets out of standard error, before it is cut to its end. @default nothing */
  readonly redact?: ((text: string) => string) | undefined;
}

export interface ChildOutcome {
  /** Whether there was a process at all: without one, nothing was spent. */
  readonly started: boolean;
  /** Why it could not be started. */
  readonly problem?: { readonly kind: StartProblem; readonly message: string } | undefined;
  readonly stopped?: StopReason | undefined;
  readonly exitCode: number | null;
  readonly exitSignal: NodeJS.Signals | null;
  /** The last 8 KiB of standard error. */
  readonly stderrTail: string;
  readonly durationMs: number;
  /** RFC 3339: when, of a turn that is read from its record. */
  readonly endedAt?: string | undefined;
  /** How many processes of the run had outlived their agent and were ended. */
  readonly orphansEnded: number;
  /** How many lines of standard output were longer than a line may be, and cut. @default 0 */
  readonly cutLines?: number | undefined;
}

const STDERR_TAIL_BYTES = 8192;
/** Kept until the end, so that no secret is cut in two where the tail begins. */
const STDERR_KEPT_BYTES = 8 * STDERR_TAIL_BYTES;

const PROBLEMS: Readonly<Record<string, StartProblem>> = {
  ENOENT: "no-program",
  E2BIG: "arguments-too-long",
};

/** What the limits of every program are called for an agent's. */
const STOPS = { aborted: "cancelled", idle: "timeout-idle", time: "timeout-total" } as const;

async function problemOfDirectory(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isDirectory() ? undefined : `${path} is not a directory`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Runs an agent's process to its end, within its limits, and ends what it leaves behind.
 *
 * @throws what a handler throws, when all has ended.
 * @see SPEC.md, "A turn's process"
 */
export async function runChild(spec: ChildSpec, handlers: ChildHandlers): Promise<ChildOutcome> {
  const { file, args, cwd, env, limits } = spec;
  const { signal, onLines, onSpawn, input = spec.input, redact = (text) => text } = handlers;
  const mark = runMark(spec.runId);
  const nothing = {
    started: false,
    exitCode: null,
    exitSignal: null,
    stderrTail: "",
    orphansEnded: 0,
    durationMs: 0,
  } as const;
  // A missing directory and a missing program give the same ENOENT.
  const missing = await problemOfDirectory(cwd);
  if (missing !== undefined) {
    return { ...nothing, problem: { kind: "no-work-dir", message: missing } };
  }
  if (signal?.aborted === true) return { ...nothing, stopped: "cancelled" };

  const { maxLineBytes, maxOutputBytes } = limits;
  let received = 0;
  let reason: StopReason | undefined;
  let cutLines = 0;
  const lines = createBatchSplitter(maxLineBytes, (some, isCut) => {
    if (isCut) cutLines += 1;
    reason ??= onLines(some);
  });
  const take = (chunk: Buffer): StopReason | undefined => {
    received += chunk.length;
    if (received > maxOutputBytes) reason = "output-too-large";
    return reason;
  };
  let stderr: Buffer = Buffer.alloc(0);
  const end = await runProgram<StopReason>(
    { file, args, cwd, env },
    {
      input,
      mark,
      label: spec.turnId,
      signal,
      stdout(chunk) {
        if (take(chunk) !== "output-too-large") lines.push(chunk);
        return reason;
      },
      stderr(chunk) {
        stderr = Buffer.concat([stderr, chunk]).subarray(-STDERR_KEPT_BYTES);
        return take(chunk);
      },
      timeoutMs: limits.totalTimeoutMs,
      idleTimeoutMs: limits.idleTimeoutMs,
      signals: ["SIGINT", "SIGTERM", "SIGKILL"],
      graceMs: limits.killGraceMs,
      onSpawn: onSpawn ?? (() => undefined),
    },
  );
  if (end.kind === "not-started") return { ...nothing, problem: problemOf(end.error) };
  lines.end();
  const { stopped, exitCode = null, exitSignal = null, durationMs, leftovers } = end;
  return {
    started: true,
    stopped: stopped !== undefined && isOwn(stopped) ? STOPS[stopped] : stopped,
    exitCode,
    exitSignal,
    stderrTail: tailOf(redact(stderr.toString("utf8"))),
    durationMs,
    orphansEnded: leftovers?.ended.length ?? 0,
    ...(cutLines > 0 && { cutLines }),
  };
}

function problemOf({ code = "", message }: NodeJS.ErrnoException): ChildOutcome["problem"] {
  return { kind: PROBLEMS[code] ?? "other", message };
}

function isOwn(reason: string): reason is keyof typeof STOPS {
  return Object.hasOwn(STOPS, reason);
}

function tailOf(text: string): string {
  return Buffer.from(text).subarray(-STDERR_TAIL_BYTES).toString("utf8");
}
