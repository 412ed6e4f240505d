import { type ChildProcess, spawn } from "node:child_process";

export interface GatedProgram {
  /** Absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Reads no more than the first line: what follows is the program's. */
const GATE = 'read -r go && exec "$0" "$@"';

/** Written to the input of a gated process before anything else: the program begins. */
export const OPEN_GATE = "\n";

/**
 * Starts a process, first of a session and group of its own, that becomes the program when its gate is
 * opened, and ends if its input does before: who has to know the process does so before the program can do
 * anything.
 *
 * @throws as `spawn` does
 */
export function spawnGated({ file, args, cwd, env }: GatedProgram): ChildProcess {
  return spawn("/bin/sh", ["-c", GATE, file, ...args], { cwd, env, detached: true });
}
