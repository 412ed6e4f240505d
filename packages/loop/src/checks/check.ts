import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { endContained, runProgram } from "@quasar/process";
import type { Check } from "../options.ts";

/** How a check ended. `broken`: it could not judge anything, and that is not the code's fault. */
export interface CheckResult {
  readonly status: "passed" | "failed" | "broken";
  /** What it printed, both streams as they came: of a flood the beginning and the end. */
  readonly output: string;
}

export interface CheckOptions {
  /** Whose check it is. */
  readonly runId: string;
  readonly workTree: string;
  readonly timeoutMs: number;
  /** The environment that it runs in. @default that of this process */
  readonly baseEnv?: Readonly<Record<string, string | undefined>> | undefined;
  /** More variables for its processes. @default {} */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Takes secrets out of what it printed, before that is cut. @default nothing */
  readonly redact?: ((text: string) => string) | undefined;
}

const KEPT_BYTES = 32 * 1024;
/** No secret is longer. */
const MARGIN_BYTES = 16 * 1024;
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
  const { runId, workTree, timeoutMs, baseEnv = process.env, env, signal } = options;
  const { redact = (text) => text } = options;
  signal?.throwIfAborted();
  const kept = new Ends(KEPT_BYTES, redact);
  const keep = (chunk: Buffer): undefined => {
    kept.add(chunk);
  };
  const end = await runProgram(
    { file: "/bin/sh", args: ["-c", check.command], cwd: workTree, env: { ...baseEnv, ...env } },
    {
      ...{ stdout: keep, stderr: keep, timeoutMs, signal, graceMs: KILL_GRACE_MS },
      label: labelOf(runId, workTree),
    },
  );
  signal?.throwIfAborted();
  if (end.kind === "not-started") return { status: "broken", output: redact(end.error.message) };
  const output = kept.text();
  if (end.stopped === "time") {
    return { status: "failed", output: `${output}\n(ended after ${timeoutMs / 1000} s)` };
  }
  if (end.exitCode === 0) return { status: "passed", output };
  if (end.exitSignal !== undefined) {
    return { status: "failed", output: `${output}\n(ended by ${end.exitSignal})` };
  }
  return { status: NOT_RUN.has(end.exitCode) ? "broken" : "failed", output };
}

/** Ends what checks of a run have started in a work tree that was killed meanwhile, where the system can hold it. */
export function endChecks(runId: string, workTree: string): Promise<void> {
  return endContained([labelOf(runId, workTree)]);
}

/** A copy of a work tree has runs of the same ids, and checks of its own. */
function labelOf(runId: string, workTree: string): string {
  const place = createHash("sha256").update(realPath(workTree)).digest("hex").slice(0, 16);
  return `${runId}.checks.${place}`;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // No check can be run there.
  }
}

/**
 * The beginning and the end of a stream: half of the limit each. More is kept until the end, so that no secret
 * is cut in two before it is taken out.
 */
class Ends {
  readonly #half: number;
  readonly #redact: (text: string) => string;
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer = Buffer.alloc(0);
  #size = 0;

  constructor(limit: number, redact: (text: string) => string) {
    this.#half = limit / 2;
    this.#redact = redact;
  }

  add(chunk: Buffer): void {
    const most = this.#half + MARGIN_BYTES;
    this.#size += chunk.length;
    const room = Math.max(0, most - this.#head.length);
    this.#head = room === 0 ? this.#head : Buffer.concat([this.#head, chunk.subarray(0, room)]);
    const tail = Buffer.concat([this.#tail, chunk.subarray(room)]);
    this.#tail = tail.subarray(Math.max(0, tail.length - most));
  }

  text(): string {
    const isWhole = this.#size === this.#head.length + this.#tail.length;
    const kept = isWhole ? [Buffer.concat([this.#head, this.#tail])] : [this.#head, this.#tail];
    const [first = Buffer.alloc(0), last = first] = kept.map((part) =>
      Buffer.from(this.#redact(part.toString("utf8"))),
    );
    if (isWhole && first.length <= 2 * this.#half) return first.toString("utf8");
    // Where a stream was cut, half of a secret may stand: that far is what is kept no use.
    const margin = isWhole ? 0 : MARGIN_BYTES;
    const head = first.subarray(0, Math.min(this.#half, Math.max(0, first.length - margin)));
    const tail = last.subarray(Math.max(margin, last.length - this.#half));
    const dropped = Math.max(0, this.#size - head.length - tail.length);
    return `${head.toString("utf8")}\n... [${dropped} bytes left out]\n${tail.toString("utf8")}`;
  }
}
