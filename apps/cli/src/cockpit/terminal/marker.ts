import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { markerPath } from "../../shared/left-screen.ts";

/** Says that a cockpit has this process's terminal, for the next command in case it is killed. @returns Takes it back. */
export function markTerminal(): () => void {
  const path = markerPath();
  if (path === undefined) return () => {};
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, `${JSON.stringify({ pid: process.pid, shell: process.ppid })}\n`);
  } catch {
    return () => {}; // Then nobody tidies up after a kill -9 but the shell's own `reset`.
  }
  return () => rmSync(path, { force: true });
}
