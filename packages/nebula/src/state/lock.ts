import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { acquireLock, DurableError, type Lock, lockHolder } from "@quasar/durable";
import { makeFolders } from "@quasar/process/files";
import { NebulaError } from "../errors.ts";
import { nebulaeFolder, type NebulaHome } from "./home.ts";
import type { NebulaState } from "./state.ts";
import { openState, type StateStore } from "./store.ts";

/** Takes the lock of a nebula: one engine works on it. @throws {NebulaError} `ERR_LOCKED` */
export function lockNebula(home: NebulaHome): Lock {
  const lock = tryLockNebula(home);
  if (lock === undefined) throw lockedError(home.lock, "another engine works on this nebula");
  return lock;
}

/** The same; `undefined` where an engine has it. */
export function tryLockNebula(home: NebulaHome): Lock | undefined {
  return tryLock(home.lock);
}

/** How long a nebula that begins waits for others that do, in milliseconds. */
const BEGINS_MS = 10_000;

/**
 * Takes the lock of a repository under which its nebulae begin, one after the other: it is held until the new one's state
 * is saved and its branch is its own.
 *
 * @throws {NebulaError} `ERR_LOCKED` where another process has it for ten seconds; the signal's reason when aborted.
 */
export async function lockBeginning(commonDir: string, signal: AbortSignal): Promise<Lock> {
  const path = `${nebulaeFolder(commonDir)}-lock`;
  makeFolders(dirname(path));
  const end = performance.now() + BEGINS_MS;
  for (;;) {
    signal.throwIfAborted();
    const lock = tryLock(path);
    if (lock !== undefined) return lock;
    if (performance.now() > end) {
      throw lockedError(path, "another nebula begins in this repository");
    }
    await sleep(20);
  }
}

function lockedError(path: string, message: string): NebulaError {
  const holder = lockHolder(path);
  const who = holder === undefined ? "another process" : `process ${holder.pid} on ${holder.host}`;
  return new NebulaError("ERR_LOCKED", `${message}: ${who}`, {
    next: holder === undefined ? [] : [{ shell: `kill -INT ${holder.pid}`, note: "stops it" }],
  });
}

function tryLock(path: string): Lock | undefined {
  try {
    return acquireLock(path);
  } catch (error) {
    if (error instanceof DurableError && error.code === "ERR_LOCKED") return undefined;
    throw error;
  }
}

/** Does something with the state of a nebula whose lock is held, and releases both. */
export function withState<T>(
  {
    home,
    state,
    lock,
  }: { readonly home: NebulaHome; readonly state: NebulaState; readonly lock: Lock },
  work: (store: StateStore) => T,
): T {
  try {
    const store = openState(home, state, () => new Date());
    try {
      return work(store);
    } finally {
      store.close();
    }
  } finally {
    lock.release();
  }
}
