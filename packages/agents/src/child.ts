import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { createLineSplitter } from "./line-splitter.ts";
import { endRunProcesses, sendSignal } from "./run-processes.ts";

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
  | "budget";

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
  /** A line of standard output, without its break. A returned reason stops the process. */
  readonly onLine: (line: string) => StopReason | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ChildOutcome {
  /** Set if the process was never started; nothing else is meant then. */
  readonly problem?: { readonly kind: StartProblem; readonly message: string } | undefined;
  readonly stopped?: StopReason | undefined;
  readonly exitCode: number | null;
  readonly exitSignal: NodeJS.Signals | null;
  /** The last 8 KiB of standard error. */
  readonly stderrTail: string;
  readonly durationMs: number;
  /** How many processes of the run had outlived their agent and were ended. */
  readonly orphansEnded: number;
}

const STDERR_TAIL_BYTES = 8192;
/** How long output may stay quiet after `exit`; not `close`, which a child holding the pipe delays. */
const QUIET_AFTER_EXIT_MS = 50;
const READ_AFTER_EXIT_MS = 2000;
const ORPHAN_GRACE_MS = 500;
/** Of a process that not even SIGKILL ends (it hangs in the kernel). */
const AFTER_SIGKILL_MS = 5000;

const PROBLEMS: Readonly<Record<string, StartProblem>> = {
  ENOENT: "no-program",
  EACCES: "no-program",
  ENOEXEC: "no-program",
  E2BIG: "arguments-too-long",
};

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return false;
    }
    throw error;
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
    exitCode: null,
    exitSignal: null,
    stderrTail: "",
    orphansEnded: 0,
    ...part,
    durationMs: Math.round(performance.now() - startedAt),
  });
  // A missing directory and a missing program give the same ENOENT.
  if (!(await isDirectory(spec.cwd))) {
    return ended({ problem: { kind: "no-work-dir", message: `${spec.cwd} is not a directory` } });
  }
  if (handlers.signal?.aborted) {
    return ended({ stopped: "cancelled" });
  }
  const { pid, ...end } = await superviseChild(spec, handlers);
  if (pid === undefined) {
    return ended(end);
  }
  const swept = await endRunProcesses(spec.runId, { graceMs: ORPHAN_GRACE_MS });
  sendSignal(-pid, "SIGKILL"); // what has shed the run's id but not the group
  return ended({ ...end, orphansEnded: swept?.ended.length ?? 0 });
}

function problemOf(error: unknown): NonNullable<ChildOutcome["problem"]> {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return { kind: PROBLEMS[code] ?? "other", message };
}

/** Some failures to start are thrown, others come as an event. */
function start(spec: ChildSpec): ChildProcessWithoutNullStreams | ReturnType<typeof problemOf> {
  try {
    return spawn(spec.file, spec.args, { cwd: spec.cwd, env: spec.env, detached: true });
  } catch (error) {
    return problemOf(error);
  }
}

type ChildEnd = Partial<ChildOutcome> & { readonly pid?: number | undefined };

/** Resolves when the process has exited and its output has been read, whoever else holds the pipes. */
function superviseChild(spec: ChildSpec, { onLine, signal }: ChildHandlers): Promise<ChildEnd> {
  const { limits } = spec;
  const child = start(spec);
  if ("kind" in child) {
    return Promise.resolve({ problem: child });
  }
  return new Promise((resolve, reject) => {
    const timers: NodeJS.Timeout[] = [];
    const after = (ms: number, act: () => void): NodeJS.Timeout => {
      const timer = setTimeout(act, ms);
      timers.push(timer);
      return timer;
    };
    let stopped: StopReason | undefined;
    let thrown: { readonly error: unknown } | undefined;
    let exit: Pick<ChildOutcome, "exitCode" | "exitSignal"> | undefined;
    let stderrTail: Buffer = Buffer.alloc(0);
    let received = 0;
    let settled = false;

    const finish = (end: ChildEnd) => {
      if (settled) {
        return;
      }
      settled = true;
      timers.forEach(clearTimeout);
      signal?.removeEventListener("abort", onAbort);
      child.stdout.destroy();
      child.stderr.destroy();
      child.stdin.destroy();
      if (thrown) {
        reject(thrown.error);
      } else {
        resolve(end);
      }
    };
    const stop = (reason: StopReason) => {
      if (stopped || exit || child.pid === undefined) {
        return;
      }
      stopped = reason;
      const group = -child.pid;
      const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGKILL"];
      if (reason === "output-too-large") {
        signals.shift();
        child.stdout.destroy();
      }
      signals.forEach((name, at) => after(at * limits.killGraceMs, () => sendSignal(group, name)));
      after(signals.length * limits.killGraceMs + AFTER_SIGKILL_MS, () =>
        finish({ stopped, pid: child.pid, stderrTail: stderrTail.toString("utf8") }),
      );
    };
    const onAbort = () => stop("cancelled");
    const idle = after(limits.idleTimeoutMs, () => stop("timeout-idle"));
    after(limits.totalTimeoutMs, () => stop("timeout-total"));
    const count = (chunk: Buffer) => {
      idle.refresh();
      received += chunk.length;
      if (received > limits.maxOutputBytes) {
        stop("output-too-large");
      }
    };

    const lines = createLineSplitter(limits.maxLineBytes, (line) => {
      try {
        const reason = thrown ? undefined : onLine(line);
        if (reason) {
          stop(reason);
        }
      } catch (error) {
        thrown ??= { error };
        stop("cancelled");
      }
    });
    child.stdout.on("data", (chunk: Buffer) => {
      count(chunk);
      if (stopped !== "output-too-large" && !lines.push(chunk)) {
        stop("output-too-large");
      }
    });
    child.stderr.on("data", (chunk: Buffer) => {
      count(chunk);
      stderrTail = Buffer.concat([stderrTail, chunk]).subarray(-STDERR_TAIL_BYTES);
    });
    child.stdin.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "ECONNRESET") {
        thrown ??= { error };
        stop("cancelled");
      }
    });
    child.on("error", (error: NodeJS.ErrnoException) => finish({ problem: problemOf(error) }));
    child.on("exit", (exitCode, exitSignal) => {
      exit = { exitCode, exitSignal };
      timers.forEach(clearTimeout);
      const read = () => {
        lines.end();
        finish({ ...exit, stopped, pid: child.pid, stderrTail: stderrTail.toString("utf8") });
      };
      // A timer that fires late, on a busy machine, must not overtake output that is there to read.
      const quiet = after(QUIET_AFTER_EXIT_MS, () => setImmediate(read));
      child.stdout.on("data", () => quiet.refresh());
      after(READ_AFTER_EXIT_MS, read);
      child.on("close", read);
    });

    if (signal?.aborted) {
      stop("cancelled");
    }
    signal?.addEventListener("abort", onAbort);
    child.stdin.end(spec.input);
  });
}
