import { existsSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  acquireLock,
  DurableError,
  type Lock,
  lockHolder,
  readWholeFile,
  replaceFile,
} from "@quasar/durable";
import {
  currentProcess,
  isAlive,
  isSameProcess,
  parseIdentity,
  type ProcessIdentity,
} from "@quasar/process";
import { makeFolders } from "@quasar/process/files";
import { NebulaError } from "../errors.ts";
import { goneError } from "./gone.ts";
import { nebulaeFolder, type NebulaHome } from "./home.ts";
import { openState, type StateStore } from "./store.ts";

/** How long a command may have the lock of a nebula that others wait for, in milliseconds. */
const COMMAND_MS = 5000;

/** How often the lock of a nebula is tried meanwhile, in milliseconds. */
const TRY_MS = 50;

/** Takes the lock of a nebula for a command. @throws {NebulaError} `ERR_LOCKED`; `ERR_NOT_FOUND` where it is gone. */
export function lockNebula(home: NebulaHome): Lock {
  const lock = lockUnlessEngine(home);
  if (lock === undefined) throw workedOnError(home);
  return lock;
}

/** Why a command is refused that needs the lock of a nebula on which an engine works. */
export function workedOnError(home: NebulaHome): NebulaError {
  const message = `another engine works on this nebula: ${holderOf(lockHolder(home.lock))}`;
  return new NebulaError("ERR_LOCKED", message, { next: stepsBesideEngine(basename(home.dir)) });
}

/** What a person types where an engine works on a nebula. */
export function stepsBesideEngine(id: string): NebulaError["next"] {
  return [{ shell: `quasar nebula status ${id}` }, { shell: `quasar nebula stop ${id}` }];
}

/**
 * The same; `undefined` where an engine has it. Another command is waited for.
 *
 * @throws {NebulaError} `ERR_LOCKED` where that keeps it for five seconds; `ERR_NOT_FOUND` where the nebula is gone
 */
export function lockUnlessEngine(home: NebulaHome): Lock | undefined {
  const end = performance.now() + COMMAND_MS;
  for (let waitMs = 0; ; waitMs = TRY_MS) {
    // To lock a file makes its folder.
    if (!existsSync(home.dir)) throw goneError(home);
    const lock = tryLock(home.lock, waitMs);
    if (lock !== undefined) return lock;
    if (engineOf(home) !== undefined) return undefined;
    if (performance.now() > end) {
      throw lockedError(home.lock, "another command changes this nebula");
    }
  }
}

/** Takes the lock of a nebula for an engine, which is on record while it has it. @throws {NebulaError} `ERR_LOCKED`, `ERR_NOT_FOUND` */
export function lockEngine(home: NebulaHome): Pick<Lock, "release"> {
  const lock = lockNebula(home);
  try {
    const text = `${JSON.stringify(currentProcess())}\n`;
    replaceFile(home.engine, Buffer.from(text), { keepPrevious: false });
  } catch (error) {
    lock.release();
    throw error;
  }
  return {
    release() {
      try {
        rmSync(home.engine, { force: true });
      } finally {
        lock.release();
      }
    },
  };
}

/** The engine that works on a nebula; `undefined`: none does. */
export function engineOf({ engine, lock }: NebulaHome): ProcessIdentity | undefined {
  const found = recordedEngine(engine);
  if (found === undefined) return undefined;
  return (isAlive(found) ?? isHolder(lock, found)) ? found : undefined;
}

/** Of a process of another machine or container nothing is known but whether it has the lock. */
function isHolder(lock: string, engine: ProcessIdentity): boolean {
  const holder = lockHolder(lock);
  return holder !== undefined && isSameProcess(holder, engine);
}

function recordedEngine(path: string): ProcessIdentity | undefined {
  try {
    const bytes = readWholeFile(path, { maxBytes: 4096 }) ?? [];
    return parseIdentity(JSON.parse(Buffer.from(bytes).toString()));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof DurableError) return undefined;
    throw error;
  }
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
  return new NebulaError("ERR_LOCKED", `${message}: ${holderOf(holder)}`, {
    next: holder === undefined ? [] : [{ shell: `kill -INT ${holder.pid}`, note: "stops it" }],
  });
}

function holderOf(holder: ReturnType<typeof lockHolder>): string {
  return holder === undefined ? "another process" : `process ${holder.pid} on ${holder.host}`;
}

function tryLock(path: string, waitMs = 0): Lock | undefined {
  try {
    return acquireLock(path, { waitMs });
  } catch (error) {
    if (error instanceof DurableError && error.code === "ERR_LOCKED") return undefined;
    throw error;
  }
}

/** Does something with the state of a nebula whose lock is held, and releases both. @throws {NebulaError} `ERR_NOT_FOUND` */
export function withState<T>(
  { home, lock }: { readonly home: NebulaHome; readonly lock: Lock },
  work: (store: StateStore) => T,
): T {
  try {
    const store = openState(home, () => new Date());
    try {
      return work(store);
    } finally {
      store.close();
    }
  } finally {
    lock.release();
  }
}
