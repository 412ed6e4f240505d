import { hostname } from "node:os";
import { lstatSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DurableError, type Lock, lockHolder as holderOf, readWholeFile } from "@quasar/durable";
import type { ProcessIdentity } from "@quasar/process";
import { named } from "@quasar/process/files";
import { RunsError } from "../errors.ts";
import type { NextStep } from "../next-step.ts";
import { cleanLine } from "../text/clean.ts";
import { moment } from "../text/format.ts";
import { codeOf } from "../errors.ts";
import { isRunId } from "../run-id.ts";
import { takeTreeLock, treeLockPath } from "../tree/lock.ts";
import type { Workspace } from "../workspace.ts";

/** Who works on a work tree. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** RFC 3339; `undefined` where nothing of it is left to tell. */
  readonly startedAt: string | undefined;
  /** The run that it works on; `undefined` while it has not said so, or what it said is gone. */
  readonly runId: string | undefined;
}

/**
 * Takes the lock of a work tree, for as long as this process lives or until it is released. A holder
 * who has just come and has not said yet who it is, or who is just going, is waited for.
 *
 * @throws {RunsError} `ERR_LOCKED`; the message says who holds it.
 */
export async function lockWorkspace({ stateDir }: Pick<Workspace, "stateDir">): Promise<Lock> {
  try {
    return await takeTreeLock(stateDir);
  } catch (error) {
    if (!(error instanceof DurableError) || error.code !== "ERR_LOCKED") throw error;
    throw locked(error.owner && holderBy(stateDir, error.owner), error);
  }
}

function locked(holder: Holder | undefined, cause: Error): RunsError {
  const who = holder === undefined ? "another process" : describe(holder);
  const message = `another quasar works on this tree: ${who}`;
  return new RunsError("ERR_LOCKED", message, {
    cause,
    next: [{ do: "show" }, wayToStop(holder)],
  });
}

/** What a person does who does not want to wait until the holder has ended. */
export function wayToStop(holder: Pick<Holder, "pid" | "host"> | undefined): NextStep {
  return holder?.host === hostname()
    ? { shell: `kill -INT ${holder.pid}`, note: "stops it, with all saved" }
    : { note: "wait for it, or press Ctrl-C where it runs" };
}

/** Names a holder to a person. */
export function describe({ pid, host, startedAt }: Omit<Holder, "runId">): string {
  const when = startedAt === undefined ? "" : `, since ${moment(startedAt)}`;
  return `process ${pid} on ${cleanLine(host)}${when}`;
}

/** Who holds the lock of a work tree, as far as can be seen without taking it. */
export function lockHolder({ stateDir }: Pick<Workspace, "stateDir">): Holder | undefined {
  const owner = holderOf(treeLockPath(stateDir));
  return owner && holderBy(stateDir, owner);
}

function holderBy(stateDir: string, { pid, host }: ProcessIdentity): Holder {
  const startedAt = modifiedAt(`${treeLockPath(stateDir)}.owner.json`);
  return { pid, host, startedAt, runId: notedRun(stateDir, pid) };
}

/** Notes beside the lock which run its holder works on. Call it under the lock. */
export function noteRun({ stateDir }: Pick<Workspace, "stateDir">, runId: string): void {
  // What stands there was left by a holder who was killed, or is not ours: it is not written through.
  forgetRun({ stateDir });
  const path = runPath(stateDir);
  const text = `${process.pid} ${runId}\n`;
  named(() => writeFileSync(path, text, { flag: "wx", mode: 0o600 }), path);
}

/** Takes the note back. */
export function forgetRun({ stateDir }: Pick<Workspace, "stateDir">): void {
  rmSync(runPath(stateDir), { recursive: true, force: true });
}

/** The run that a process has noted; a note of another one is left over. */
function notedRun(stateDir: string, pid: number): string | undefined {
  const [noted, runId = ""] = readDescription(runPath(stateDir))?.trimEnd().split(" ") ?? [];
  return noted === String(pid) && isRunId(runId) ? runId : undefined;
}

function runPath(stateDir: string): string {
  return join(stateDir, "lock.run");
}

/** A description that is no file of ours says nothing. */
function readDescription(path: string): string | undefined {
  try {
    const bytes = readWholeFile(path, { maxBytes: 4096 });
    return bytes && Buffer.from(bytes).toString();
  } catch (error) {
    if (error instanceof DurableError) return undefined;
    throw error;
  }
}

function modifiedAt(path: string): string | undefined {
  try {
    return lstatSync(path).mtime.toISOString();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
