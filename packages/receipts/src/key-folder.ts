import { lstatSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { acquireLock, DurableError, type Lock } from "@quasar/durable";
import { ReceiptError } from "./errors.ts";

const WAIT_MS = 10_000;

/**
 * Runs `act` while no other process or caller changes the keys. Files get exactly the modes that they
 * are created with, and a folder that is missing gets 0700.
 *
 * @throws {ReceiptError} `ERR_LOCKED` after ten seconds; `ERR_UNSAFE_KEY` if others can reach the folder.
 */
export function withKeyFolder<T>(dir: string, act: () => T): T {
  return withExactModes(() => {
    refuseSharedFolder(dir);
    const lock = lockKeys(dir);
    try {
      return act();
    } finally {
      lock.release();
    }
  });
}

/** A umask may take rights that the owner needs. A worker cannot change it, and keeps it. */
function withExactModes<T>(act: () => T): T {
  if (!isMainThread) return act();
  const mask = process.umask(0o077);
  try {
    return act();
  } finally {
    process.umask(mask);
  }
}

/** @throws {ReceiptError} `ERR_UNSAFE_KEY` */
export function refuseSharedFolder(dir: string): void {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (!stat.isDirectory()) {
    throw new ReceiptError("ERR_UNSAFE_KEY", `${dir} is no folder, or a link to one`);
  }
  const isOwn = [process.geteuid?.(), 0].includes(stat.uid);
  if ((stat.mode & 0o077) !== 0 || !isOwn) throw shared(dir, stat, "reach the keys");
}

/**
 * Of a folder to verify from, which others may read.
 *
 * @throws {ReceiptError} `ERR_UNSAFE_KEY`
 */
export function refuseWritableFolder(dir: string): void {
  const stat = statSync(dir, { throwIfNoEntry: false });
  if (stat !== undefined && (stat.mode & 0o022) !== 0) throw shared(dir, stat, "put keys there");
}

function shared(dir: string, { mode, uid }: Stats, what: string): ReceiptError {
  const digits = (mode & 0o7777).toString(8).padStart(4, "0");
  const message = `${dir} has mode ${digits} and owner ${uid}, so others can ${what}: run chmod 700 on it`;
  return new ReceiptError("ERR_UNSAFE_KEY", message);
}

function lockKeys(dir: string): Lock {
  try {
    return acquireLock(join(dir, "lock"), { waitMs: WAIT_MS });
  } catch (error) {
    if (!(error instanceof DurableError) || error.code !== "ERR_LOCKED") throw error;
    throw new ReceiptError("ERR_LOCKED", error.message, { cause: error });
  }
}
