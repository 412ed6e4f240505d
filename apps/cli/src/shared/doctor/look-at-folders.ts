import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../system-errors.ts";
import type { FolderFacts } from "./folders.ts";
import { existing, type Written } from "./look-at-disks.ts";

/** A folder of a run, and how much of a run may be tried in it. */
export interface TriedFolder extends Written {
  /** Whether it is ours, so that a file may be made in it for a moment. */
  readonly isOwn: boolean;
  readonly isSpare: boolean;
}

/** What the system says to writing in folders, or where these are still to be made. */
export function lookAtFolders(folders: readonly TriedFolder[]): readonly FolderFacts[] {
  return folders.map(({ what, path, isOwn, isSpare }) => {
    const there = existing(path);
    const look = isOwn && there === path ? tryToWrite : mayWrite;
    return { what, path: there, refusal: refusalOf(() => look(there)), isSpare };
  });
}

function refusalOf(act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return errno;
  }
}

function mayWrite(folder: string): void {
  accessSync(folder, constants.W_OK | constants.X_OK);
}

/** More than a file system keeps within its own records of a file. */
const BLOCK = Buffer.alloc(16 * 1024);

/** Writes through to the disk what goes again at once: a quota, or a disk that fails, shows only so. */
function tryToWrite(folder: string): void {
  if (!lstatSync(folder).isDirectory()) return mayWrite(folder);
  const path = join(folder, `.doctor.${randomBytes(8).toString("hex")}.tmp`);
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL, 0o600);
  try {
    writeSync(file, BLOCK);
    fsyncSync(file);
  } finally {
    closeSync(file);
    unlinkSync(path);
  }
}
