import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { hasErrno } from "./errors.ts";
import { describedOwner } from "./lock-description.ts";
import { isLocked } from "./lock-file.ts";
import { isAlive, type ProcessIdentity, identityOf } from "@quasar/process";

/** Where SQLite puts its locks on a file: from its pending byte to the end of its shared range. */
const [FIRST_BYTE, LAST_BYTE] = [0x4000_0000, 0x4000_0000 + 511];

/** What Linux adds to the name of an open file that has none any more. */
const REMOVED = " (deleted)";

/**
 * Who holds the lock on the file `path`, as far as can be seen without taking it: by the kernel's word
 * where it gives it (Linux), else as described. The description of a process that nobody here can know counts
 * only while the lock is held, and so does that of a file elsewhere: a boot, a machine and a copied folder ago
 * somebody had it. One whose lock file was removed counts too.
 */
export function lockHolder(path: string): ProcessIdentity | undefined {
  const file = resolve(path);
  const [holder] = [...holdersOf(file), ...holdersOf(`${file}${REMOVED}`)];
  if (holder !== undefined) return identityOf(holder);
  const described = describedOwner(file);
  if (described === undefined) return undefined;
  const { owner, path: of = file } = described;
  const isHolder = (of === file ? isAlive(owner) : undefined) ?? isLocked(file);
  return isHolder ? owner : undefined;
}

/** Another living process that has locked a file of this name which was removed since. */
export function displacedHolder(file: string): ProcessIdentity | undefined {
  const isOther = (pid: number): boolean => pid !== process.pid;
  const described = describedOwner(file);
  // A folder that was copied has the description of the one that it is a copy of.
  const last =
    described?.path === file && isOther(described.owner.pid) ? described.owner : undefined;
  const isLastAlive = last && isAlive(last);
  if (isLastAlive === true) return last;
  // Who has the lock is described, so nobody has had it since. The kernel is not asked, which takes it 20 ms.
  if (isLastAlive === false) return undefined;
  const holder = holdersOf(`${file}${REMOVED}`).find(isOther);
  return holder === undefined ? undefined : identityOf(holder);
}

/** Processes that have locked an open file of that name; none where the kernel does not say. */
function holdersOf(file: string): readonly number[] {
  const name = join(realFolder(dirname(file)), basename(file));
  return sqliteLockers().filter((pid) => openFiles(pid).includes(name));
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // it has gone with what is in it
  }
}

function sqliteLockers(): readonly number[] {
  const lines = tryRead(() => readFileSync("/proc/locks", "utf8"))?.split("\n") ?? [];
  const pids = lines.map((line) => {
    const [, kind, , access, pid, , first, last] = line.split(/\s+/u);
    const isSqlite = Number(first) >= FIRST_BYTE && Number(last) <= LAST_BYTE;
    return kind === "POSIX" && access === "WRITE" && isSqlite ? Number(pid) : 0;
  });
  return [...new Set(pids)].filter((pid) => pid > 0); // 0 and less: of another namespace
}

function openFiles(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  const names = tryRead(() => readdirSync(folder)) ?? [];
  return names.map((name) => tryRead(() => readlinkSync(join(folder, name))) ?? "");
}

/** What is gone, or another user's, is not seen. */
function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (hasErrno(error, "ENOENT", "ESRCH", "EACCES", "EPERM")) return undefined;
    throw error;
  }
}
