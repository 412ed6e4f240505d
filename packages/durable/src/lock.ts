import { closeSync, constants, lstatSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type * as Sqlite from "node:sqlite";
import { changeDirectory } from "./directory.ts";
import { DurableError, hasErrno } from "./errors.ts";
import { nodeFileSystem } from "./file-system.ts";
import { currentOwner, isAlive, type Owner, parseOwner } from "./owner.ts";
import { readWholeFile } from "./read.ts";
import { removeFile } from "./remove.ts";
import { replaceFile } from "./replace.ts";

export interface AcquireLockOptions {
  /** Who is told to have it. @default this process */
  readonly owner?: Owner | undefined;
  /** How long to wait for another one to let it go, in ms; the thread does nothing else. @default 0 */
  readonly waitMs?: number | undefined;
}

/** Held until released, or until the process ends in whatever way. */
export interface Lock {
  readonly path: string;
  readonly owner: Owner;
  /** May be called again. */
  release(): void;
}

/** Kept from the garbage collector, which would close the file and so release the lock. */
const held = new Set<Sqlite.DatabaseSync>();

/**
 * Takes a lock of the kernel's on the file `path`, at once or not at all unless `waitMs` says else. The file stays for ever;
 * the kernel frees it when the process ends. It excludes other locks of this process too.
 *
 * Nothing in this process may open and close the file in another way: POSIX would free the lock.
 *
 * @throws {DurableError} `ERR_LOCKED`, with `owner`; `ERR_NOT_REGULAR`; `ERR_DAMAGED` if
 *   the file is not empty; `ERR_UNSAFE_DIRECTORY`. The system's `ENOENT` where somebody removes its folder.
 * @see SPEC.md, "Lock"
 */
export function acquireLock(path: string, options: AcquireLockOptions = {}): Lock {
  const { waitMs = 0 } = options;
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return lockNow(path, options);
    } catch (error) {
      const isHeld = error instanceof DurableError && error.code === "ERR_LOCKED";
      if (!isHeld || performance.now() >= deadline) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 + Math.random() * 18); // not all in step
  }
}

function lockNow(path: string, options: AcquireLockOptions): Lock {
  const file = resolve(path);
  const { owner = currentOwner() } = options;
  changeDirectory(nodeFileSystem, dirname(file), () => createLockFile(file));

  const database = openDatabase(file);
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw locked(path, lockOwner(file), error);
  }
  held.add(database);

  let isHeld = true;
  const release = (): void => {
    if (!isHeld) return;
    isHeld = false;
    held.delete(database);
    tryToDescribe(() => removeFile(ownerPath(file)));
    database.close();
  };
  const text = `${JSON.stringify(owner, undefined, 2)}\n`;
  tryToDescribe(() => replaceFile(ownerPath(file), Buffer.from(text), { keepPrevious: false }));
  return { path: file, owner, release };
}

/** SQLite does not say that a file has gone, with its folder, since it was made; nor that it has come back. */
function openDatabase(file: string): Sqlite.DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  try {
    return new DatabaseSync(file);
  } catch {
    lstatSync(file);
    return new DatabaseSync(file);
  }
}

/** Of the description, which decides nothing: without it the lock is the same. */
function tryToDescribe(change: () => void): void {
  try {
    change();
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
  }
}

function locked(path: string, owner: Owner | undefined, cause: unknown): DurableError {
  const holder = owner ? `process ${owner.pid} on ${owner.host}` : "another process";
  return new DurableError("ERR_LOCKED", `${path} is held by ${holder}`, { owner, cause });
}

function ownerPath(file: string): string {
  return `${file}.owner.json`;
}

/** Never opens a file that is there: see {@link acquireLock}. */
function createLockFile(file: string): void {
  const stat = nodeFileSystem.lstat(file);
  if (stat === undefined) {
    const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    try {
      closeSync(openSync(file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
    } catch (error) {
      if (!hasErrno(error, "EEXIST")) throw error;
      createLockFile(file);
    }
  } else if (stat.kind !== "file") {
    throw new DurableError("ERR_NOT_REGULAR", `${file} is not a regular file`);
  } else if (stat.size > 0) {
    throw new DurableError("ERR_DAMAGED", `${file} is not empty: it is not a lock file of ours`);
  }
}

/**
 * Who is described as having the lock on the file `path`; asking neither takes nor disturbs it.
 * `undefined` where nobody is, where the description cannot be read, and where it is of a process
 * that is gone.
 */
export function lockOwner(path: string): Owner | undefined {
  let bytes: Uint8Array | undefined;
  try {
    bytes = readWholeFile(ownerPath(resolve(path)), { maxBytes: 4096 });
  } catch {
    return undefined; // that the lock is held is the answer, whoever holds it
  }
  const owner = bytes && parseOwner(Buffer.from(bytes).toString());
  return owner && isAlive(owner) !== false ? owner : undefined;
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}

/** On first use, as it costs time to load, and without Node 22's warning that it is experimental. */
function loadSqlite(): typeof Sqlite {
  const warning = Object.getOwnPropertyDescriptor(process, "emitWarning");
  Object.defineProperty(process, "emitWarning", { ...warning, value: () => {} });
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    Object.defineProperty(process, "emitWarning", { ...warning });
  }
}
