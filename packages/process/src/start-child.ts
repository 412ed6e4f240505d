import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { findProgram } from "./find-program.ts";
import { gated } from "./gate.ts";
import type { Program, RunOptions } from "./program.ts";

export type StartedChild = ChildProcess & { readonly pid: number };

/** Of `execvp` where the environment has none. */
const DEFAULT_PATH = "/bin:/usr/bin";

/**
 * Starts a process; its gate, if it has one, is still closed.
 *
 * Some failures to start are thrown, others come as an event; then there may be no pipes.
 *
 * @returns The system's error where there is no process.
 */
export function startChild<Reason extends string>(
  { file, args, cwd, env }: Program,
  options: RunOptions<Reason>,
): StartedChild | NodeJS.ErrnoException | Promise<NodeJS.ErrnoException> {
  const { group = "ended", onSpawn } = options;
  let [start, argv] = [file, args];
  try {
    if (onSpawn !== undefined) {
      const found = findProgram(file, { path: env["PATH"] ?? DEFAULT_PATH, cwd });
      if (found === undefined) return missing(file);
      [start, argv] = gated(found, args);
    }
    const detached = group !== "shared";
    const child = spawn(start, argv, { cwd, env, detached, stdio: stdioOf(options) });
    if (child.pid !== undefined) return child as StartedChild;
    return new Promise((resolve) => child.once("error", resolve));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function stdioOf<Reason extends string>(options: RunOptions<Reason>): StdioOptions {
  const { input, onSpawn, stdout, stderr } = options;
  const reads = input !== undefined || onSpawn !== undefined;
  const outputs = [stdout, stderr].map(
    (to) => (typeof to === "function" ? "pipe" : to) ?? "ignore",
  );
  return [reads ? "pipe" : "ignore", ...outputs];
}

function missing(file: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`spawn ${file} ENOENT`), { code: "ENOENT" });
}
