import { spawnSync } from "node:child_process";
import { fstatSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isatty } from "node:tty";
import { cacheFolder } from "@quasar/runs/own-folder";
import { USUAL_MODES } from "../cockpit/terminal/modes.ts";

/** Where a cockpit says that it has the terminal of standard output; `undefined`: that is no terminal. */
export function markerPath(): string | undefined {
  if (!isatty(1)) return undefined;
  return join(cacheFolder(), "cockpits", `tty-${fstatSync(1).rdev}`);
}

/**
 * Gives the terminal its usual modes back where a cockpit was killed that had it. Each command calls this first: it
 * looks for one file.
 */
export function tidyTerminal(): void {
  const path = markerPath();
  if (path === undefined) return;
  const left = readMarker(path);
  if (left === undefined || isThere(left.pid)) return;
  rmSync(path, { force: true });
  // A terminal whose shell has gone as well is another one, which has the number of that one.
  if (!isThere(left.shell)) return;
  writeSync(1, USUAL_MODES);
  spawnSync("stty", ["sane"], { stdio: [1, "ignore", "ignore"] });
}

interface Marker {
  readonly pid: number;
  /** The process that started it. */
  readonly shell: number;
}

function readMarker(path: string): Marker | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof read !== "object" || read === null) return undefined;
    const { pid, shell } = read as { readonly pid?: unknown; readonly shell?: unknown };
    return typeof pid === "number" && typeof shell === "number" ? { pid, shell } : undefined;
  } catch {
    return undefined;
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
