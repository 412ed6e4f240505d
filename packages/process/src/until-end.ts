import { pipeline, type Readable } from "node:stream";
import { OPEN_GATE } from "./gate.ts";
import type { ProgramEnd, RunOptions, StopReason } from "./program.ts";
import { sendSignal } from "./signal.ts";
import type { StartedChild } from "./start-child.ts";

/** How long output may stay quiet after the exit, and how long it is read at most. */
const [QUIET_AFTER_EXIT_MS, READ_AFTER_EXIT_MS] = [50, 2000];
/** Of a process that not even SIGKILL ends: it hangs in the kernel. */
const AFTER_SIGKILL_MS = 5000;
const GRACE_MS = 5000;
const SIGNALS: readonly NodeJS.Signals[] = ["SIGTERM", "SIGKILL"];

/** A program that ends without reading all has its reasons, which its exit code tells. */
const UNREAD: ReadonlySet<string | undefined> = new Set([
  "EPIPE",
  "ECONNRESET",
  "ERR_STREAM_PREMATURE_CLOSE",
]);

export type ChildEnd<Reason extends string> = Pick<
  ProgramEnd<Reason>,
  "exitCode" | "exitSignal" | "stopped" | "problem"
> & {
  /** What a handler of the caller's threw. */
  readonly thrown: { readonly error: unknown } | undefined;
};

/** Opens the gate, and resolves when the process has exited and its output has been read. */
export function untilEnd<Reason extends string>(
  child: StartedChild,
  options: RunOptions<Reason>,
): Promise<ChildEnd<Reason>> {
  const { group, signal, signals = SIGNALS, graceMs = GRACE_MS, readUntil = "exit" } = options;
  const { timeoutMs, idleTimeoutMs } = options;
  return new Promise((resolve) => {
    const timers: NodeJS.Timeout[] = [];
    const after = (ms: number, act: () => void): NodeJS.Timeout => {
      const timer = setTimeout(act, ms);
      timers.push(timer);
      return timer;
    };
    let exit: { readonly code: number | null; readonly by: NodeJS.Signals | null } | undefined;
    let stopped: StopReason<Reason> | undefined;
    let problem: NodeJS.ErrnoException | undefined;
    let thrown: { readonly error: unknown } | undefined;

    const finish = (): void => {
      timers.forEach(clearTimeout);
      signal?.removeEventListener("abort", onAbort);
      for (const stream of child.stdio) stream?.destroy();
      const [exitCode, exitSignal] = [exit?.code ?? undefined, exit?.by ?? undefined];
      resolve({ exitCode, exitSignal, stopped, problem, thrown });
    };
    const stop = (reason: StopReason<Reason>): void => {
      if (stopped !== undefined || exit !== undefined) return;
      stopped = reason;
      const to = group === "shared" ? child.pid : -child.pid;
      signals.forEach((name, at) => after(at * graceMs, () => sendSignal(to, name)));
      after(signals.length * graceMs + AFTER_SIGKILL_MS, finish);
    };
    const onAbort = (): void => (exit === undefined ? stop("aborted") : finish());
    const guarded = <T>(act: () => T): T | undefined => {
      try {
        return thrown === undefined ? act() : undefined;
      } catch (error) {
        thrown = { error };
        stop("aborted");
        return undefined;
      }
    };
    const fail = (error: NodeJS.ErrnoException): void => {
      problem ??= error;
    };

    if (timeoutMs !== undefined) after(timeoutMs, () => stop("time"));
    const idle = idleTimeoutMs === undefined ? undefined : after(idleTimeoutMs, () => stop("idle"));
    const read = (stream: Readable | null, to: RunOptions<Reason>["stdout"]): void => {
      if (typeof to !== "function") return;
      stream?.on("error", fail);
      stream?.on("data", (chunk: Buffer) => {
        idle?.refresh();
        const reason = guarded(() => to(chunk));
        if (reason !== undefined) stop(reason);
      });
    };
    read(child.stdout, options.stdout);
    read(child.stderr, options.stderr);
    child.on("error", fail);
    child.once("exit", (code, by) => {
      exit = { code, by };
      if (readUntil === "close" && stopped === undefined) return;
      timers.forEach(clearTimeout);
      // A timer that fires late, on a busy machine, must not overtake output that is there to read.
      const quiet = after(QUIET_AFTER_EXIT_MS, () => setImmediate(finish));
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", () => quiet.refresh());
      after(READ_AFTER_EXIT_MS, finish);
    });
    child.once("close", finish);

    if (signal?.aborted === true) stop("aborted");
    signal?.addEventListener("abort", onAbort, { once: true });
    guarded(() => options.onSpawn?.(child.pid));
    if (thrown === undefined) feed(child, options, fail);
    else child.stdin?.destroy();
  });
}

/** Gives a process its input, after what opens its gate. */
function feed<Reason extends string>(
  { stdin }: StartedChild,
  { input = "", onSpawn }: RunOptions<Reason>,
  fail: (error: NodeJS.ErrnoException) => void,
): void {
  if (stdin === null) return;
  const told = (error?: NodeJS.ErrnoException | null): void => {
    if (error && !UNREAD.has(error.code)) fail(error);
  };
  if (onSpawn !== undefined) stdin.write(OPEN_GATE);
  if (typeof input === "string") stdin.on("error", told).end(input);
  else pipeline(input, stdin, told);
}
