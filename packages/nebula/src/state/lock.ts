import { acquireLock, DurableError, type Lock, lockHolder } from "@quasar/durable";
import { NebulaError } from "../errors.ts";
import type { NebulaHome } from "./home.ts";
import type { NebulaState } from "./state.ts";
import { openState, type StateStore } from "./store.ts";

/** Takes the lock of a nebula: one engine works on it. @throws {NebulaError} `ERR_LOCKED` */
export function lockNebula(home: NebulaHome): Lock {
  try {
    return acquireLock(home.lock);
  } catch (error) {
    if (!isLocked(error)) throw error;
    const holder = lockHolder(home.lock);
    const who =
      holder === undefined ? "another process" : `process ${holder.pid} on ${holder.host}`;
    throw new NebulaError("ERR_LOCKED", `another engine works on this nebula: ${who}`, {
      cause: error,
      next: holder === undefined ? [] : [{ shell: `kill -INT ${holder.pid}`, note: "stops it" }],
    });
  }
}

/** The same; `undefined` where an engine has it. */
export function tryLockNebula(home: NebulaHome): Lock | undefined {
  try {
    return acquireLock(home.lock);
  } catch (error) {
    if (isLocked(error)) return undefined;
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

function isLocked(error: unknown): boolean {
  return error instanceof DurableError && error.code === "ERR_LOCKED";
}
