import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { sendSignal } from "@quasar/process";
import type { ChildHandlers, ChildOutcome, ChildSpec, StopReason } from "./child.ts";
import { OPEN_GATE } from "./gate.ts";
import { createLineSplitter } from "./line-splitter.ts";

const STDERR_TAIL_BYTES = 8192;
/** Kept until the end, so that no secret is cut in two where the tail begins. */
const STDERR_KEPT_BYTES = 8 * STDERR_TAIL_BYTES;
/** How long output may stay quiet after `exit`; not `close`, which a child holding the pipe delays. */
const QUIET_AFTER_EXIT_MS = 50;
const READ_AFTER_EXIT_MS = 2000;
/** Of a process that not even SIGKILL ends (it hangs in the kernel). */
const AFTER_SIGKILL_MS = 5000;

/** How a process ended. */
export interface ChildEnd {
  /** What a handler threw: a mistake of ours, to be thrown on when all is cleared up. */
  readonly thrown?: { readonly error: unknown } | undefined;
  readonly outcome: Pick<ChildOutcome, "stopped" | "exitCode" | "exitSignal" | "stderrTail">;
}

const SIGNALS: Readonly<Partial<Record<StopReason, readonly NodeJS.Signals[]>>> = {
  "output-too-large": ["SIGTERM", "SIGKILL"],
};
const GENTLY: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGKILL"];

function tailOf(text: string): string {
  return Buffer.from(text).subarray(-STDERR_TAIL_BYTES).toString("utf8");
}

/** Resolves when the process has exited and its output has been read, whoever else holds the pipes. */
export function superviseChild(
  child: ChildProcessWithoutNullStreams & { readonly pid: number },
  { limits, input }: Pick<ChildSpec, "limits" | "input">,
  { onLine, signal, redact = (text) => text }: ChildHandlers,
): Promise<ChildEnd> {
  return new Promise((resolve) => {
    const timers: NodeJS.Timeout[] = [];
    const after = (ms: number, act: () => void): NodeJS.Timeout => {
      const timer = setTimeout(act, ms);
      timers.push(timer);
      return timer;
    };
    let stopped: StopReason | undefined;
    let thrown: { readonly error: unknown } | undefined;
    let exit: Pick<ChildOutcome, "exitCode" | "exitSignal"> | undefined;
    let stderr: Buffer = Buffer.alloc(0);
    let received = 0;

    const finish = () => {
      timers.forEach(clearTimeout);
      signal?.removeEventListener("abort", onAbort);
      child.stdout.destroy();
      child.stderr.destroy();
      child.stdin.destroy();
      resolve({
        thrown,
        outcome: {
          stopped,
          exitCode: exit?.exitCode ?? null,
          exitSignal: exit?.exitSignal ?? null,
          stderrTail: tailOf(redact(stderr.toString("utf8"))),
        },
      });
    };
    const stop = (reason: StopReason) => {
      if (stopped || exit) {
        return;
      }
      stopped = reason;
      const group = -child.pid;
      const signals = SIGNALS[reason] ?? GENTLY;
      if (reason === "output-too-large") {
        child.stdout.destroy();
      }
      signals.forEach((name, at) => after(at * limits.killGraceMs, () => sendSignal(group, name)));
      after(signals.length * limits.killGraceMs + AFTER_SIGKILL_MS, finish);
    };
    const onAbort = () => stop("cancelled");
    const fail = (error: unknown) => {
      thrown ??= { error };
      stop("cancelled");
    };
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
        fail(error);
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
      stderr = Buffer.concat([stderr, chunk]).subarray(-STDERR_KEPT_BYTES);
    });
    child.stdin.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "ECONNRESET") {
        fail(error);
      }
    });
    child.on("exit", (exitCode, exitSignal) => {
      exit = { exitCode, exitSignal };
      timers.forEach(clearTimeout);
      const read = () => {
        lines.end();
        finish();
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
    child.stdin.end(`${OPEN_GATE}${input}`);
  });
}
