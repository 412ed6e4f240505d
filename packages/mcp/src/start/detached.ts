import { spawn } from "node:child_process";
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, type Argv, parsed } from "../command.ts";
import { McpError } from "../errors.ts";

/** A command that works on after this process has ended. */
export interface Detached {
  /** Ends it as Ctrl-C does. */
  readonly pid: number;
  readonly hasEnded: () => boolean;
}

export interface DetachOptions {
  readonly cwd: string;
  /** What it reads. */
  readonly input: string;
  /** Milliseconds in which it has to say that it has begun. @default 60,000 */
  readonly timeoutMs?: number | undefined;
}

/**
 * Starts a command with `--json` that outlives this process, and waits for its first line.
 *
 * It prints into a file that has no name any more, so that it never waits for a reader and nothing of it is left over.
 *
 * @returns Its first line of type `run` or `error`.
 * @throws {McpError} `ERR_COMMAND` where it says neither
 */
export async function startDetached(
  [file, ...first]: Argv,
  args: readonly string[],
  { cwd, input, timeoutMs = 60_000 }: DetachOptions,
): Promise<{ readonly command: Detached; readonly line: Answer }> {
  const output = namelessFile();
  try {
    const child = spawn(file, [...first, ...args, "--json"], {
      cwd,
      detached: true,
      stdio: ["pipe", output.write, "ignore"],
    });
    let hasEnded = false;
    child.once("error", () => (hasEnded = true)).once("exit", () => (hasEnded = true));
    child.stdin?.on("error", () => {}).end(input);
    child.unref();
    const until = performance.now() + timeoutMs;
    for (;;) {
      // In this order: what it says last is read after it was seen that it has ended.
      const isLast = hasEnded || performance.now() > until;
      const line = saidFirst(output.text());
      if (line !== undefined && child.pid !== undefined) {
        return { command: { pid: child.pid, hasEnded: () => hasEnded }, line };
      }
      if (isLast) throw new McpError("ERR_COMMAND", "the command has not said that it has begun");
      await sleep(50);
    }
  } finally {
    output.close();
  }
}

function saidFirst(text: string): Answer | undefined {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return whole.map(parsed).find((line) => line?.["type"] === "run" || line?.["type"] === "error");
}

/** A file that only those who have it open can reach. */
function namelessFile() {
  const dir = mkdtempSync(join(tmpdir(), "quasar-mcp-"));
  const path = join(dir, "output");
  try {
    const write = openSync(path, "ax", 0o600);
    const read = openSync(path, "r");
    return {
      write,
      text(): string {
        const bytes = Buffer.alloc(Math.min(fstatSync(read).size, MOST_BYTES));
        return bytes.toString("utf8", 0, readSync(read, bytes, 0, bytes.length, 0));
      },
      close(): void {
        closeSync(write);
        closeSync(read);
      },
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The first line comes early. */
const MOST_BYTES = 1024 * 1024;
