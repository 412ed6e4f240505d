import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { stat } from "node:fs/promises";
import { findProgram, sendSignal } from "@quasar/process";
import { spawnGated } from "./gate.ts";
import { checkRunId, endRunProcesses } from "./run-processes.ts";
import { superviseChild } from "./supervise.ts";

/** Limits of one turn's process. All times in milliseconds, all sizes in bytes. */
export interface ProcessLimits {
  /** Without a byte of output. At least 60,000 for an agent with a heartbeat of 30 s. */
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** From SIGINT to SIGTERM, and from that to SIGKILL. */
  readonly killGraceMs: number;
  readonly maxLineBytes: number;
  /** Of standard output and standard error together, over the whole turn. */
  readonly maxOutputBytes: number;
}

export const DEFAULT_LIMITS: ProcessLimits = {
  idleTimeoutMs: 10 * 60_000,
  totalTimeoutMs: 60 * 60_000,
  killGraceMs: 5000,
  maxLineBytes: 16 * 2 ** 20,
  maxOutputBytes: 512 * 2 ** 20,
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
  /** A line of standard output, without its break. A returned reason stops the process. */
  readonly onLine: (line: string) => StopReason | undefined;
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
}

const ORPHAN_GRACE_MS = 500;
const PROBLEMS: Readonly<Record<string, StartProblem>> = {
  E2BIG: "arguments-too-long",
};

async function problemOfDirectory(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isDirectory() ? undefined : `${path} is not a directory`;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * Runs an agent's process to its end, within its limits, and ends what it leaves behind.
 *
 * Built on `node:child_process`: a group of its own, signals to that group and an end that waits
 * for neither pipe nor grandchild are what a wrapper's conveniences get in the way of.
 *
 * @see SPEC.md, "A turn's process"
 */
export async function runChild(spec: ChildSpec, handlers: ChildHandlers): Promise<ChildOutcome> {
  const startedAt = performance.now();
  const ended = (part: Partial<ChildOutcome>): ChildOutcome => ({
    started: false,
    exitCode: null,
    exitSignal: null,
    stderrTail: "",
    orphansEnded: 0,
    ...part,
    durationMs: Math.round(performance.now() - startedAt),
  });
  checkRunId(spec.runId);
  // A missing directory and a missing program give the same ENOENT.
  const missing = await problemOfDirectory(spec.cwd);
  if (missing !== undefined) {
    return ended({ problem: { kind: "no-work-dir", message: missing } });
  }
  if (handlers.signal?.aborted) {
    return ended({ stopped: "cancelled" });
  }
  const child = await start(spec);
  if ("kind" in child) {
    return ended({ problem: child });
  }
  handlers.onSpawn?.(child.pid);
  const { thrown, outcome } = await superviseChild(child, spec, handlers);
  const swept = await endRunProcesses(spec.runId, { graceMs: ORPHAN_GRACE_MS });
  sendSignal(-child.pid, "SIGKILL"); // what has shed the run's id but not the group
  if (thrown) {
    throw thrown.error;
  }
  return ended({ ...outcome, started: true, orphansEnded: swept?.ended.length ?? 0 });
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function problemOf(error: unknown): NonNullable<ChildOutcome["problem"]> {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return { kind: PROBLEMS[code] ?? "other", message: messageOf(error) };
}

type Started = ChildProcessWithoutNullStreams & { readonly pid: number };

/** Of `execvp` where the environment has none. */
const DEFAULT_PATH = "/bin:/usr/bin";

/** Some failures to start are thrown, others come as an event; then there may be no pipes. */
async function start(spec: ChildSpec): Promise<Started | ReturnType<typeof problemOf>> {
  const { args, cwd, env } = spec;
  const file = findProgram(spec.file, { path: env["PATH"] ?? DEFAULT_PATH, cwd });
  if (file === undefined) return { kind: "no-program", message: `spawn ${spec.file} ENOENT` };
  try {
    const child = spawnGated({ file, args, cwd, env });
    if (child.pid !== undefined) return child as Started;
    return problemOf(await new Promise((resolve) => child.once("error", resolve)));
  } catch (error) {
    return problemOf(error);
  }
}
