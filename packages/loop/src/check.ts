import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Check } from "./options.ts";

/** How a check ended. `broken`: it could not judge anything, and that is not the code's fault. */
export interface CheckResult {
  readonly status: "passed" | "failed" | "broken";
  /** What it printed, both streams as they came: of a flood the beginning and the end. */
  readonly output: string;
}

export interface CheckOptions {
  readonly workDir: string;
  readonly timeoutMs: number;
  /** The environment that it runs in. @default that of this process */
  readonly baseEnv?: Readonly<Record<string, string | undefined>> | undefined;
  /** More variables for its processes. @default {} */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

const KEPT_BYTES = 32 * 1024;
const KILL_GRACE_MS = 2000;

/** The shell's exit codes for a command that it could not run or find. */
const NOT_RUN: ReadonlySet<number> = new Set([126, 127]);

/**
 * Runs a check with the shell, in a process group of its own that does not outlive the call.
 *
 * One that runs into its time limit has failed: code that never ends is a common fault of the code.
 *
 * @throws the signal's reason when aborted.
 */
export async function runCheck(check: Check, options: CheckOptions): Promise<CheckResult> {
  const { workDir, timeoutMs, baseEnv = process.env, env, signal } = options;
  signal?.throwIfAborted();
  const kept = new Ends(KEPT_BYTES);
  const child = spawn(check.command, {
    cwd: workDir,
    env: { ...baseEnv, ...env },
    shell: true,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  // Where no descriptor is left it has no pipes either.
  if (child.pid === undefined) return { status: "broken", output: await reasonOf(child) };
  child.stdout.on("data", (chunk: Buffer) => kept.add(chunk));
  child.stderr.on("data", (chunk: Buffer) => kept.add(chunk));
  const exit = new Promise<{ code: number | null }>((resolve) => {
    // Not `close`: a background process of the check's may hold the pipes for ever.
    child.once("exit", (code) => setTimeout(() => resolve({ code }), 20));
  });
  let timedOut = false;
  const { pid } = child;
  const cancel = (): void => void kill(pid, exit);
  const timer = setTimeout(() => {
    timedOut = true;
    cancel();
  }, timeoutMs);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const { code } = await exit;
    signal?.throwIfAborted();
    const output = kept.text();
    if (timedOut) {
      return { status: "failed", output: `${output}\n(ended after ${timeoutMs / 1000} s)` };
    }
    if (code === 0) return { status: "passed", output };
    return { status: code !== null && NOT_RUN.has(code) ? "broken" : "failed", output };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
    killGroup(pid, constants.signals.SIGKILL);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** Why there is no process. */
async function reasonOf(child: ChildProcess): Promise<string> {
  const error = await new Promise<Error>((resolve) => child.once("error", resolve));
  return error.message;
}

/** Gently first, then with force. */
async function kill(pid: number, exit: Promise<unknown>): Promise<void> {
  killGroup(pid, constants.signals.SIGTERM);
  await Promise.race([exit, sleep(KILL_GRACE_MS, undefined, { ref: false })]);
  killGroup(pid, constants.signals.SIGKILL);
}

function killGroup(pid: number, signal: number): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // ESRCH: nothing of the group is left, which is what was wanted.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** The beginning and the end of a stream: half of the limit each. */
class Ends {
  readonly #half: number;
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer = Buffer.alloc(0);
  #dropped = 0;

  constructor(limit: number) {
    this.#half = limit / 2;
  }

  add(chunk: Buffer): void {
    const room = Math.max(0, this.#half - this.#head.length);
    this.#head = room === 0 ? this.#head : Buffer.concat([this.#head, chunk.subarray(0, room)]);
    const tail = Buffer.concat([this.#tail, chunk.subarray(room)]);
    const excess = Math.max(0, tail.length - this.#half);
    this.#dropped += excess;
    this.#tail = tail.subarray(excess);
  }

  text(): string {
    const gap = this.#dropped === 0 ? "" : `\n... [${this.#dropped} bytes left out]\n`;
    return `${this.#head.toString("utf8")}${gap}${this.#tail.toString("utf8")}`;
  }
}
