import type { FileSystem } from "../src/file-system.ts";
import { type SimulatedFileSystem, type Sync, withoutSync } from "../src/testing.ts";
import { DIR, FILE } from "./protocol.ts";

/** A file system on which one step of the protocol does not happen. */
export type Mutant = (fs: SimulatedFileSystem) => FileSystem;

/** Syncs that `drop` says happen only in appearance. */
function without(drop: (sync: Sync, fs: FileSystem) => boolean): Mutant {
  return (fs) => withoutSync(fs, (sync) => drop(sync, fs));
}

const isTemporary = (path: string): boolean => path.endsWith(".tmp");

export const WITHOUT_SYNC_OF_FILE: Mutant = without(({ path }) => path === FILE);

/** @see SPEC.md, "Steps that are needed" */
export const MUTANTS: Readonly<Record<string, Mutant>> = {
  "the new file is not synced": without(({ path }) => isTemporary(path)),
  "the folder is not synced after the rename": without(
    ({ path, before }) => path === DIR && before === `rename ${FILE}`,
  ),
  "a folder that a process first meets is not synced": without(
    ({ path, count }) => path === DIR && count === 0,
  ),
  "the ancestors of a new folder are not synced": without(
    ({ path }) => DIR.startsWith(path) && path !== DIR,
  ),
  "files are not synced in recovery": without(({ path }) => path.startsWith(FILE)),
  "the second name of another tool's file is not synced": without(
    ({ path, before }) => path === DIR && before.startsWith("link") && before.endsWith(".prev"),
  ),
  "older generations are not removed durably before the newest": without(
    ({ path, before }, fs) =>
      path === DIR && before.startsWith("unlink") && fs.lstat(FILE) !== undefined,
  ),
  "a removal is not synced": without(
    ({ path, before }, fs) =>
      path === DIR && before.startsWith("unlink") && fs.lstat(FILE) === undefined,
  ),
  "the new name of a damaged file is not synced": without(
    ({ path, before }) => path === DIR && before.startsWith("link") && before.includes(".damaged-"),
  ),
  "the newest generation gets no second name": (fs) => ({
    ...fs,
    link: (from, to) => {
      if (!isTemporary(from) || !to.endsWith(".prev")) fs.link(from, to);
    },
  }),
  "the file is synced after the rename": (fs) => {
    const late: number[] = [];
    return {
      ...fs,
      fsync: (fd) => late.push(fd),
      close: (fd) => {
        if (!late.includes(fd)) fs.close(fd);
      },
      rename: (from, to) => {
        fs.rename(from, to);
        for (const fd of late.splice(0)) {
          fs.fsync(fd);
          fs.close(fd);
        }
      },
    };
  },
  "the file is written in place": (fs) => ({
    ...fs,
    rename: (from, to) => {
      const source = fs.open(from, 0);
      const bytes = new Uint8Array(1000);
      const length = fs.read(source, bytes, 0, bytes.length);
      fs.close(source);
      const target = fs.open(to, 0o1101, 0o600);
      fs.write(target, bytes, 0, length);
      fs.fsync(target);
      fs.close(target);
      fs.unlink(from);
    },
  }),
};
