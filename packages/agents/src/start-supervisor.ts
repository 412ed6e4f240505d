import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { ownerOf } from "@quasar/durable";
import type { AgentProcess, AgentRequest } from "@quasar/loop";
import { AgentsError } from "./errors.ts";
import { CANCEL, GO, type SupervisorSpec } from "./supervisor-spec.ts";

/** A supervisor at work, as its runner sees it. */
export interface Supervisor {
  readonly owner: AgentProcess;
  /** Has the listener called when there is more of the turn to read. */
  readonly onPoke: (listener: () => void) => void;
  cancel(): void;
  /** Lets go of it, so that it does not keep this process alive. */
  leave(): void;
}

/** Beside this module, wherever that is: a bundle takes the program along as an entry of its own. */
function programFile(): string {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const path = fileURLToPath(new URL(`./supervisor.${ending}`, import.meta.url));
  if (existsSync(path)) {
    return path;
  }
  const message = `${path} is missing: bundle @quasar/agents/dist/supervisor.js as an entry of its own`;
  throw new AgentsError("ERR_NO_SUPERVISOR", message);
}

/** The process of a supervisor. */
export type SupervisorProcess = ChildProcessByStdio<Writable, Readable, null>;

/**
 * Starts the process of a turn's supervisor. It waits to be told what to do, and ends when this one
 * does.
 *
 * @throws {AgentsError} `ERR_NO_SUPERVISOR`
 */
export function spawnSupervisor({
  runId,
  turnId,
}: Pick<AgentRequest, "runId" | "turnId">): SupervisorProcess {
  const { PATH, TMPDIR } = process.env;
  const env = { PATH, TMPDIR, QUASAR_RUN_ID: runId, QUASAR_TURN_ID: turnId };
  const child = spawn(process.execPath, ["--no-warnings", programFile()], {
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
    env,
    cwd: "/",
  });
  child.on("error", () => undefined);
  // It may be gone before it has read all: that is seen by its process.
  child.stdin?.on("error", () => undefined);
  return child;
}

/** Lets go of it, so that it does not keep this process alive. It ends if it was not told to go. */
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
 * @throws What `onStart` rejects with: no agent was started.
 */
export async function startSupervisor(
  child: SupervisorProcess,
  spec: SupervisorSpec,
  onStart: ((process: AgentProcess) => Promise<void>) | undefined,
): Promise<Supervisor | Error> {
  if (child.pid === undefined) return new Promise((resolve) => child.once("error", resolve));
  child.stdin.write(`${JSON.stringify(spec)}\n`);
  const owner = ownerOf(child.pid);
  const leave = (): void => leaveSupervisor(child);
  try {
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
