import { hostname } from "node:os";
import { exists } from "./exists.ts";
import { system } from "./system.ts";

/** One process, named so that neither a process id that comes again nor a reboot can be taken for it. */
export interface ProcessIdentity {
  readonly pid: number;
  /**
   * When it was started, in units of its system: clock ticks since boot on Linux, seconds since 1970 on
   * macOS. `undefined` where nobody can know.
   */
  readonly startTime: number | undefined;
  /** Another after each boot, and in each container; `undefined` where nobody can know. */
  readonly bootId: string | undefined;
  readonly host: string;
}

/** As it was when this process began: a machine is given another name by another network. */
const HOST = hostname();

/** This process. */
export function currentProcess(): ProcessIdentity {
  return identityOf(process.pid);
}

/** The process that has an id now, on this machine. */
export function identityOf(pid: number): ProcessIdentity {
  const look = system.look(pid);
  const startTime = look.state === "running" ? look.startTime : undefined;
  return { pid, startTime, bootId: system.bootId(), host: HOST };
}

/**
 * Whether a process still runs; `undefined` where that cannot be known, as on another host. A process
 * of this boot is one of this machine, whatever the host was called then: hosts are compared only where
 * a boot is not known.
 */
export function isAlive(identity: ProcessIdentity): boolean | undefined {
  const { pid, startTime, bootId, host } = identity;
  const boot = system.bootId();
  const isHere = host === HOST;
  if (bootId !== undefined && boot !== undefined) {
    if (bootId !== boot) return isHere ? false : undefined;
  } else if (!isHere) {
    return undefined;
  }
  const look = system.look(pid);
  if (look.state === "ended") return false;
  if (startTime === undefined) return exists(pid);
  return look.state === "running" ? look.startTime === startTime : undefined;
}

/** Whether the machine, or the container, was started anew since: what was not synced then may be gone. */
export function isOfEarlierBoot({ bootId }: ProcessIdentity): boolean {
  const boot = system.bootId();
  return bootId !== undefined && boot !== undefined && bootId !== boot;
}

/** Whether two descriptions are of one process. */
export function isSameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  const isOfOneBoot = a.bootId === b.bootId && (a.bootId !== undefined || a.host === b.host);
  return a.pid === b.pid && a.startTime === b.startTime && isOfOneBoot;
}

/** The identity that a value from JSON holds, without what else it holds; `undefined` if it is none. */
export function parseIdentity(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { pid, startTime, bootId, host }: Partial<Record<keyof ProcessIdentity, unknown>> = value;
  if (!isCount(pid) || pid < 1 || typeof host !== "string") return undefined;
  return {
    pid,
    startTime: isCount(startTime) ? startTime : undefined,
    bootId: typeof bootId === "string" ? bootId : undefined,
    host,
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
