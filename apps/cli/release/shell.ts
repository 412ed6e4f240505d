import { spawn } from "node:child_process";
import { sendSignal } from "@quasar/process";

/** Where a line is typed. */
export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the line, with all that it has started. */
  readonly signal?: AbortSignal | undefined;
}

export interface Typed {
  readonly line: string;
  /** `null`: it was killed. */
  readonly code: number | null;
  /** What it printed on both outputs, in their order. */
  readonly output: string;
}

/** Types a line, or some, into a shell that stops at the first that fails. */
export function type(line: string, { cwd, env, signal }: Place): Promise<Typed> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const script = `exec 2>&1\nset -e\n${line}`;
    const child = spawn("/bin/sh", ["-c", script], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    const end = (): void => {
      if (child.pid !== undefined) sendSignal(-child.pid, "SIGKILL");
    };
    signal?.addEventListener("abort", end, { once: true });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      signal?.removeEventListener("abort", end);
      if (signal?.aborted === true) reject(signal.reason as Error);
      else resolve({ line, code, output });
    });
  });
}

/** A line that did something else than it should. */
export class UnexpectedError extends Error {
  override readonly name = "UnexpectedError";

  /** @param expected - What should have come: "exit code 0". */
  constructor({ line, code, output }: Typed, expected: string) {
    const last = output.trimEnd().split("\n").slice(-MOST_LINES);
    super(`${line}\nleft with ${code}, expected: ${expected}\n\n${last.join("\n")}`);
  }
}

/** Of what a line printed that failed. */
const MOST_LINES = 40;

export interface Expected {
  /** @default 0 */
  readonly code?: number | undefined;
  /** Something in what it prints; a text is all of it. @default anything */
  readonly prints?: RegExp | string | undefined;
}

/**
 * What was typed, where it is as expected.
 *
 * @throws {UnexpectedError}
 */
export function expectTyped(typed: Typed, { code = 0, prints = /^/u }: Expected = {}): Typed {
  if (typed.code !== code) throw new UnexpectedError(typed, `exit code ${code}`);
  const { output } = typed;
  const isExpected = typeof prints === "string" ? output === prints : prints.test(output);
  if (!isExpected) throw new UnexpectedError(typed, JSON.stringify(String(prints)));
  return typed;
}
