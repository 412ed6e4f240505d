import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** Pauses before a worker is started again, in milliseconds; the last one is repeated. */
const PAUSES_MS = [1, 2, 4, 8, 16, 30].map((seconds) => seconds * 1000);

/** A worker that has worked for so long was no failed start, in milliseconds. */
const STEADY_MS = 60_000;

export interface KeeperOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted: the worker gets SIGTERM, and is waited for. */
  readonly signal: AbortSignal;
  readonly tell: (message: string) => void;
}

/** Starts a program, and again whenever it ends with an error, until it ends by itself or the signal. @returns Its exit code. */
export async function keepRunning({ args, env, signal, tell }: KeeperOptions): Promise<number> {
  for (let failures = 0; ; ) {
    const startedAt = performance.now();
    const child = spawn(process.execPath, args, { env, stdio: "inherit" });
    const pass = (): void => void child.kill("SIGTERM");
    signal.addEventListener("abort", pass, { once: true });
    const { code, why } = await endOf(child);
    signal.removeEventListener("abort", pass);
    if (signal.aborted || code === 0 || NO_FAILURES.has(code)) return code;
    failures = performance.now() - startedAt > STEADY_MS ? 1 : failures + 1;
    const waitMs = PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] ?? 0;
    tell(`the worker has ended (${why}); it is started again in ${waitMs / 1000} s`);
    await sleep(waitMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return code;
  }
}

/** What is wrong with the command itself stays wrong: usage, settings, a missing program. */
const NO_FAILURES: ReadonlySet<number> = new Set([2, 5, 6, 7]);

function endOf(child: ChildProcess): Promise<{ readonly code: number; readonly why: string }> {
  return new Promise((done) => {
    child.once("error", (error) => done({ code: 1, why: error.message }));
    child.once("exit", (code, signal) =>
      done({ code: code ?? 1, why: signal ?? `exit code ${code ?? 1}` }),
    );
  });
}
