import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { hasErrno } from "./errors.ts";

/** One process, named so that neither a reused pid nor a reboot can be taken for it. */
export interface Owner {
  readonly pid: number;
  /** Clock ticks from boot to the process's start; `undefined` where there is no `/proc`. */
  readonly startTime: number | undefined;
  /** Changes with every boot; `undefined` where there is no `/proc`. */
  readonly bootId: string | undefined;
  readonly host: string;
}

/** As it was when this process began: a machine is given another name by another network. */
const HOST = hostname();

/** This process. */
export function currentOwner(): Owner {
  return ownerOf(process.pid);
}

/** The process that has an id now, on this machine. */
export function ownerOf(pid: number): Owner {
  return { pid, startTime: statOf(pid)?.startTime, bootId: bootId(), host: HOST };
}

/**
 * Whether a process still runs; `undefined` where that cannot be known, as on another host. A process
 * of this boot with that pid and start is the same one, whatever the host was called then.
 */
export function isAlive(owner: Owner): boolean | undefined {
  if (owner.host !== HOST) return isOfThisBoot(owner) && isRunning(owner) ? true : undefined;
  if (owner.bootId !== undefined && owner.bootId !== bootId()) return false;
  if (owner.startTime === undefined) return pidExists(owner.pid);
  if (statOf(owner.pid) !== undefined) return isRunning(owner);
  return pidExists(owner.pid) ? undefined : false; // a process that `/proc` hides from us
}

/** Whether two descriptions are of one process. */
export function isSameOwner(a: Owner, b: Owner): boolean {
  return (
    a.pid === b.pid && a.startTime === b.startTime && a.bootId === b.bootId && a.host === b.host
  );
}

function isOfThisBoot(owner: Owner): boolean {
  return owner.bootId !== undefined && owner.bootId === bootId();
}

function isRunning({ pid, startTime }: Owner): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.startTime === startTime && !stat.ended;
}

/** Reads the parts of an owner out of JSON; `undefined` if they are none. */
export function parseOwner(text: string): Owner | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { pid, startTime, bootId: boot, host }: Partial<Record<keyof Owner, unknown>> = value;
  if (!isCount(pid) || pid < 1 || typeof host !== "string") return undefined;
  return {
    pid,
    startTime: isCount(startTime) ? startTime : undefined,
    bootId: typeof boot === "string" ? boot : undefined,
    host,
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasErrno(error, "ESRCH");
  }
}

function bootId(): string | undefined {
  return readProc("/proc/sys/kernel/random/boot_id")?.trim();
}

function statOf(pid: number): { startTime: number; ended: boolean } | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The second field is a name in parentheses that may hold anything, parentheses too.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { startTime: Number(fields[19]), ended: fields[0] === "Z" || fields[0] === "X" };
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasErrno(error, "ENOENT", "ESRCH", "EACCES")) return undefined;
    throw error;
  }
}
