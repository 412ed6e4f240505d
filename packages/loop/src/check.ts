import { runProgram } from "@quasar/process";
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
const NOT_RUN: ReadonlySet<number | undefined> = new Set([126, 127]);

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
  const keep = (chunk: Buffer): undefined => {
    kept.add(chunk);
  };
  const end = await runProgram(
    { file: "/bin/sh", args: ["-c", check.command], cwd: workDir, env: { ...baseEnv, ...env } },
    { stdout: keep, stderr: keep, timeoutMs, signal, graceMs: KILL_GRACE_MS },
  );
  signal?.throwIfAborted();
  if (end.kind === "not-started") return { status: "broken", output: end.error.message };
  const output = kept.text();
  if (end.stopped === "time") {
    return { status: "failed", output: `${output}\n(ended after ${timeoutMs / 1000} s)` };
  }
  if (end.exitCode === 0) return { status: "passed", output };
  return { status: NOT_RUN.has(end.exitCode) ? "broken" : "failed", output };
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
