import { type ChildProcessByStdio, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import module from "node:module";
import { dirname } from "node:path";
import type { Readable, Writable } from "node:stream";
import { identityOf, type ProcessIdentity } from "@quasar/process";
import { programFile, type SupervisorProgram } from "./program-file.ts";
import { openSupervisorErrors, type TurnName } from "./supervisor-errors.ts";
import { CANCEL, GO, type SupervisorSpec } from "./supervisor-spec.ts";

/** A supervisor at work, as its runner sees it. */
export interface Supervisor {
  readonly owner: ProcessIdentity;
  /** Has the listener called when there is more of the turn to read. */
  readonly onPoke: (listener: () => void) => void;
  cancel(): void;
  /** Unrefs it, so that it does not keep this process alive. */
  leave(): void;
}

/** The process of a supervisor. */
export type SupervisorProcess = ChildProcessByStdio<Writable, Readable, null>;

/**
 * Starts the process of a turn's supervisor. It waits to be told what to do, and ends when this one
 * does.
 *
 * @throws {AgentsError} `ERR_NO_SUPERVISOR`
 */
export function spawnSupervisor(
  turn: TurnName,
  name: SupervisorProgram = "supervisor",
): SupervisorProcess {
  const { PATH, TMPDIR } = process.env;
  const marks = { QUASAR_RUN_ID: turn.runId, QUASAR_TURN_ID: turn.turnId };
  const env = { PATH, TMPDIR, ...compileCache(), ...marks };
  const errors = openSupervisorErrors(turn);
  const program = [programFile(name), ...(errors === undefined ? [] : [errors.path])];
  const child = spawn(process.execPath, ["--no-warnings", ...program], {
    detached: true,
    stdio: ["pipe", "pipe", errors?.fd ?? "ignore"],
    env,
    cwd: "/",
  }) as SupervisorProcess; // its type is known where no descriptor is among the streams only
  if (errors !== undefined) closeSync(errors.fd);
  child.on("error", () => undefined);
  // It may be gone before it has read all: that is seen by its process.
  child.stdin?.on("error", () => undefined);
  return child;
}

/** What this process keeps of compiled programs serves the supervisor too: it starts in less time. */
function compileCache(): { readonly NODE_COMPILE_CACHE?: string } {
  const folder = module.getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/** Unrefs it, so that it does not keep this process alive. It ends if it was not told to go. */
export function leaveSupervisor(child: SupervisorProcess): void {
  // Where no descriptor is left it has no pipes either.
  if (child.pid === undefined) return;
  child.stdin.destroy();
  child.stdout.destroy();
  child.unref();
}

/**
 * Tells a supervisor's process what to do, has the process stored, and tells it to go.
 *
 * @param child - One that lives, or has just been spawned.
 * @returns The system's error where it does not give the process.
 * @throws What `onStart` rejects with, or the system where it cannot be read: no agent was started.
 */
export async function startSupervisor(
  child: SupervisorProcess,
  spec: SupervisorSpec,
  onStart: ((process: ProcessIdentity) => Promise<void>) | undefined,
): Promise<Supervisor | Error> {
  if (child.pid === undefined) return new Promise((resolve) => child.once("error", resolve));
  child.stdin.write(`${JSON.stringify(spec)}\n`);
  const leave = (): void => leaveSupervisor(child);
  let owner: ProcessIdentity;
  try {
    owner = identityOf(child.pid);
    await onStart?.(owner);
  } catch (error) {
    leave();
    throw error;
  }
  child.stdin.write(`${GO}\n`);
  return {
    owner,
    leave,
    onPoke: (listener) => {
      child.stdout.on("data", listener);
      child.on("exit", listener);
    },
    cancel: () => child.stdin.write(`${CANCEL}\n`),
  };
}
