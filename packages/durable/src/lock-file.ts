import { closeSync, constants, lstatSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type * as Sqlite from "node:sqlite";
import { named } from "@quasar/process/files";
import { changeDirectory } from "./directory.ts";
import { DurableError, hasErrno } from "./errors.ts";
import { type FileStat, isSameFile, nodeFileSystem } from "./file-system.ts";
import { systemErrorOf } from "./lock-errors.ts";

/** An open file with a lock of the kernel's on it. */
export interface LockedFile {
  readonly database: Sqlite.DatabaseSync;
  /** Of the open file: while it is open no other one has its inode. */
  readonly stat: FileStat;
}

/**
 * Locks the file of that name at once, which is made where it is missing; `undefined`: another one has
 * it. What is locked is what the name stood for when that was done.
 *
 * @throws as `acquireLock`, but for `ERR_LOCKED`.
 */
export function lockFile(file: string): LockedFile | undefined {
  for (;;) {
    named(() => changeDirectory(nodeFileSystem, dirname(file), () => createLockFile(file)), file);
    const before = nodeFileSystem.lstat(file);
    const database = openDatabase(file);
    try {
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    } catch (error) {
      database.close();
      if (isBusy(error)) return undefined;
      throw systemErrorOf(error, file);
    }
    const stat = nodeFileSystem.lstat(file);
    if (stat !== undefined && isSameFile(before, stat)) return { database, stat };
    database.close();
    lstatSync(file);
  }
}

/**
 * Whether anybody has locked the file of that name, by the kernel's word. Asking keeps others from the lock for an
 * instant; it never makes the file.
 */
export function isLocked(file: string): boolean {
  const stat = nodeFileSystem.lstat(file);
  if (stat?.kind !== "file" || stat.size > 0) return false;
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    database.exec("SELECT count(*) FROM sqlite_schema");
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

/** SQLite does not say that a file has gone, with its folder, since it was made; nor that it has come back. */
function openDatabase(file: string): Sqlite.DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  try {
    return new DatabaseSync(file);
  } catch {
    lstatSync(file);
    try {
      return new DatabaseSync(file);
    } catch (error) {
      throw systemErrorOf(error, file);
    }
  }
}

/** Never opens a file that is there: see `acquireLock`. */
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
    throw new DurableError("ERR_DAMAGED", `${file} is not empty: it is not a lock file made here`);
  }
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
