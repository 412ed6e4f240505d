import { type ChildProcess, spawn } from "node:child_process";
import { pipeline, type Readable } from "node:stream";

/** A program to be run to its end. */
export interface ProcessSpec {
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of it: nothing is added. */
  readonly env: Readonly<Record<string, string>>;
  /** What it reads from its stdin, which is closed otherwise. */
  readonly input: string | Readable | undefined;
  /** Ends it when aborted. */
  readonly signal: AbortSignal | undefined;
  readonly encoding: "utf8" | "latin1";
  /** Of either output, in bytes: it is killed when it writes more. */
  readonly maxOutput: number;
  /** It may leave something running that holds its outputs open: they are not waited for then. */
  readonly leavesOthers: boolean;
  /** False: it can ask nobody for anything, and is ended with all that it has started. @default true */
  readonly hasTerminal?: boolean | undefined;
}

/** How a program ended. */
export interface ProcessEnd {
  /** `undefined` where it has no code of its own: it never began, or was killed. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** What went wrong about the process, whatever its code is. */
  readonly problem: NodeJS.ErrnoException | undefined;
}

/** For reading what it had written when it ended, at most what a pipe holds. */
const PIPE_GRACE_MS = 500;
/** A program that ends without reading all has its reasons, which its exit code tells. */
const UNREAD: ReadonlySet<string | undefined> = new Set([
  "EPIPE",
  "ECONNRESET",
  "ERR_STREAM_PREMATURE_CLOSE",
]);
/** From SIGTERM to SIGKILL. */
const KILL_GRACE_MS = 5000;

/**
 * Runs a program to its end, without a shell. Never rejects.
 *
 * Built on `node:child_process`: loading a wrapper takes longer than git does to answer, and a
 * resume waits for one answer after the other.
 */
export function runProcess(file: string, spec: ProcessSpec): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    let problem: NodeJS.ErrnoException | undefined;
    const fail = (error: unknown): void => {
      problem ??= error instanceof Error ? error : new Error(String(error));
    };
    const never = (): void => resolve({ exitCode: undefined, stdout: "", stderr: "", problem });
    let child: ChildProcess;
    try {
      child = start(file, spec);
    } catch (error) {
      fail(error);
      return never();
    }
    child.on("error", (error) => {
      fail(error);
      if (child.pid === undefined) never();
    });
    // Where no descriptor is left it has no pipes either.
    if (child.pid === undefined) return;

    const outputs = [child.stdout, child.stderr];
    const letGo = (): void => outputs.forEach((stream) => stream?.destroy());
    const [stdout, stderr] = outputs.map((stream): Buffer[] => {
      const chunks: Buffer[] = [];
      let size = 0;
      stream?.on("error", fail);
      stream?.on("data", (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size <= spec.maxOutput) return;
        fail(new Error(`it wrote more than ${spec.maxOutput} bytes`));
        child.kill("SIGKILL");
        letGo();
      });
      return chunks;
    });
    const { input, signal } = spec;
    if (child.stdin !== null && input !== undefined) {
      const told = (error?: NodeJS.ErrnoException | null): void => {
        if (error && !UNREAD.has(error.code)) fail(error);
      };
      if (typeof input === "string") child.stdin.on("error", told).end(input);
      else pipeline(input, child.stdin, told);
    }

    const timers: NodeJS.Timeout[] = [];
    const onAbort = (): void => {
      end(child, spec, "SIGTERM");
      timers.push(setTimeout(() => end(child, spec, "SIGKILL"), KILL_GRACE_MS));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    child.once("exit", () => {
      if (!spec.leavesOthers && signal?.aborted !== true) return;
      timers.push(setTimeout(letGo, PIPE_GRACE_MS));
    });
    child.once("close", (code, killedBy) => {
      signal?.removeEventListener("abort", onAbort);
      timers.forEach(clearTimeout);
      if (killedBy !== null) fail(new Error(`it was ended by ${killedBy}`));
      const text = (chunks: readonly Buffer[] = []): string =>
        Buffer.concat(chunks).toString(spec.encoding);
      resolve({ exitCode: code ?? undefined, stdout: text(stdout), stderr: text(stderr), problem });
    });
  });
}

function start(file: string, { args, cwd, env, input, hasTerminal }: ProcessSpec): ChildProcess {
  const stdin = input === undefined ? "ignore" : "pipe";
  const detached = hasTerminal === false;
  return spawn(file, args, {
    cwd,
    env,
    stdio: [stdin, "pipe", "pipe"],
    windowsHide: true,
    detached,
  });
}

/** A program without a terminal is the first of a session, and of a group, of its own. */
function end(child: ChildProcess, { hasTerminal }: ProcessSpec, signal: NodeJS.Signals): void {
  if (hasTerminal !== false || child.pid === undefined) {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has ended by itself.
  }
}
