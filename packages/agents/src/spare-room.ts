import * as fs from "node:fs";
import { createFile, writeAll } from "./turn-writes.ts";

/** Room on the disk that is kept for the end of a turn: its agent may fill all that is left. */
export interface SpareRoom {
  /** Gives it back. Called again it does nothing. */
  free(): void;
}

/** For {@link MOST_LATE_BYTES} of output, and a record whose text takes six times its length at most. */
const ROOM_BYTES = 2 ** 17;

/** How much of an output may wait for that room, in bytes. */
export const MOST_LATE_BYTES = 2 ** 16;

/** Throws what the system does where there is no such room: a turn is not begun whose end could not be written. */
export function keepRoom(path: string): SpareRoom {
  const free = () => fs.rmSync(path, { force: true });
  free();
  const fd = createFile(path);
  try {
    writeAll(fd, Buffer.alloc(ROOM_BYTES));
  } catch (error) {
    free();
    throw error;
  } finally {
    fs.closeSync(fd);
  }
  return { free };
}

/** Whether a folder's disk lacks that room now; of a folder that is gone nobody can say. */
export function lacksRoom(dir: string): boolean {
  if (!fs.existsSync(dir)) return false;
  const { bavail, bsize } = fs.statfsSync(dir);
  return bavail * bsize < ROOM_BYTES;
}
