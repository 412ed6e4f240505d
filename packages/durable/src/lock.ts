import { resolve } from "node:path";
import { DurableError } from "./errors.ts";
import { isSameFile, nodeFileSystem } from "./file-system.ts";
import { describedOwner, describeOwner, removeDescription } from "./lock-description.ts";
import { type LockedFile, lockFile } from "./lock-file.ts";
import { displacedHolder } from "./lock-holders.ts";
import { currentProcess, isAlive, isSameProcess, type ProcessIdentity } from "@quasar/process";

export interface AcquireLockOptions {
  /** Who is told to have it. @default this process */
  readonly owner?: ProcessIdentity | undefined;
  /** How long to wait for another one to let it go, in ms; the thread does nothing else. @default 0 */
  readonly waitMs?: number | undefined;
}

/** Held until released, or until the process ends in whatever way. */
export interface Lock {
  readonly path: string;
  readonly owner: ProcessIdentity;
  /**
   * Whether the file at `path` is still the one that is held: device and inode, one look. Where it was
   * removed another process can take the lock too, and the holder has to stop, or to {@link retake} it.
   */
  isCurrent(): boolean;
  /**
   * Takes the lock anew where its file was removed and nobody has held another one since. `false`: another
   * process has, or has had, the lock; what it guards may have been changed.
   *
   * @throws as `acquireLock`, but for `ERR_LOCKED`.
   */
  retake(): boolean;
  /** May be called again. What is described of another holder stays. */
  release(): void;
}

/** Kept from the garbage collector, which would close the file and so release the lock. */
const held = new Set<LockedFile>();

/** How long a lock that another process only looks at may seem to be held, in ms. */
const LOOK_MS = 1000;

/**
 * Takes a lock of the kernel's on the file `path`, at once or not at all unless `waitMs` says else. The file stays for ever;
 * the kernel frees it when the process ends. It excludes other locks of this process too. Where the file was
 * removed while another living process held it, that one has the lock.
 *
 * Nothing in this process may open and close the file in another way: POSIX would free the lock.
 *
 * @throws {DurableError} `ERR_LOCKED`, with `owner`; `ERR_NOT_REGULAR`; `ERR_DAMAGED` if
 *   the file is not empty; `ERR_UNSAFE_DIRECTORY`. The system's `ENOENT` where somebody removes its folder.
 * @see SPEC.md, "Lock"
 */
export function acquireLock(path: string, options: AcquireLockOptions = {}): Lock {
  const { waitMs = 0, owner = currentProcess() } = options;
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return lockNow(resolve(path), path, owner);
    } catch (error) {
      const isHeld = error instanceof DurableError && error.code === "ERR_LOCKED";
      if (!isHeld || performance.now() >= deadline) throw error;
    }
    pause();
  }
}

function lockNow(file: string, path: string, owner: ProcessIdentity): Lock {
  const locked = lockFile(file);
  if (locked === undefined) throw refusal(path, lockOwner(file));
  const displaced = displacedHolder(file);
  if (displaced !== undefined) {
    describeOwner(file, displaced); // by which it sees that nobody came between
    locked.database.close();
    throw refusal(path, displaced, ", whose lock file was removed");
  }
  let current: LockedFile | undefined = locked;
  held.add(current);
  describeOwner(file, owner);

  const isCurrent = (): boolean =>
    current !== undefined && isSameFile(current.stat, nodeFileSystem.lstat(file));
  const retake = (): boolean => {
    if (current === undefined) return false;
    const before = current;
    if (isCurrent()) return true;
    const anew = lockAnew(file, owner);
    if (anew === undefined) return false;
    held.delete(before);
    held.add(anew);
    before.database.close();
    current = anew;
    describeOwner(file, owner);
    return true;
  };
  const release = (): void => {
    if (current === undefined) return;
    const wasCurrent = isCurrent();
    held.delete(current);
    if (wasCurrent || isDescribedAlone(file, owner)) removeDescription(file);
    current.database.close();
    current = undefined;
  };
  return { path: file, owner, isCurrent, retake, release };
}

/** Whether a holder is described whose file is gone, and that has not taken the lock again elsewhere in this process. */
function isDescribedAlone(file: string, owner: ProcessIdentity): boolean {
  const described = describedOwner(file)?.owner;
  const now = nodeFileSystem.lstat(file);
  const isTaken = now !== undefined && [...held].some(({ stat }) => isSameFile(stat, now));
  return described !== undefined && isSameProcess(described, owner) && !isTaken;
}

/** Locks what has the name now, if no other process can have held it. */
function lockAnew(file: string, owner: ProcessIdentity): LockedFile | undefined {
  const deadline = performance.now() + LOOK_MS;
  do {
    const isMissing = nodeFileSystem.lstat(file) === undefined;
    const described = describedOwner(file)?.owner;
    const isOwn = described === undefined ? isMissing : isSameProcess(described, owner);
    if (!isOwn) return undefined;
    const locked = lockFile(file);
    if (locked === undefined) {
      pause(); // a process that finds its owner described gives it back at once
      continue;
    }
    const after = describedOwner(file)?.owner;
    const isStill = after === undefined ? described === undefined : isSameProcess(after, owner);
    if (isStill && displacedHolder(file) === undefined) return locked;
    locked.database.close();
    return undefined;
  } while (performance.now() < deadline);
  return undefined;
}

/** The thread does nothing else; not all wait in step. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 + Math.random() * 18);
}

function refusal(path: string, owner: ProcessIdentity | undefined, why = ""): DurableError {
  const holder = owner ? `process ${owner.pid} on ${owner.host}` : "another process";
  return new DurableError("ERR_LOCKED", `${path} is held by ${holder}${why}`, { owner });
}

/** Who is described as having it: of no weight, and nobody whose process is gone. */
function lockOwner(file: string): ProcessIdentity | undefined {
  const owner = describedOwner(file)?.owner;
  return owner && isAlive(owner) !== false ? owner : undefined;
}
