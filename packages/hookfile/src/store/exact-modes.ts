import { chmodSync, constants, fchmodSync } from "node:fs";
import { type FileSystem, nodeFileSystem } from "@quasar/durable";

/** A file system on which new files get this mode and new folders 0700, whatever the umask is. */
export function withModes(fs: FileSystem, fileMode: number): FileSystem {
  // A simulated file system has no umask, and no descriptors that the system knows.
  const isReal = fs === nodeFileSystem;
  return {
    ...fs,
    open(path, flags, mode) {
      if ((flags & constants.O_CREAT) === 0) return fs.open(path, flags, mode);
      const isNew = (flags & constants.O_EXCL) !== 0 || fs.lstat(path) === undefined;
      const fd = fs.open(path, flags, fileMode);
      if (isReal && isNew) fchmodSync(fd, fileMode);
      return fd;
    },
    mkdir(path, mode) {
      fs.mkdir(path, mode);
      if (isReal) chmodSync(path, mode);
    },
  };
}

/** The file system of this machine, on which new files get 0600 and new folders 0700. */
export const hiddenFiles: FileSystem = withModes(nodeFileSystem, 0o600);

/** Creates a folder and those above it, 0700, where they are missing. */
export function makeFolder(fs: FileSystem, path: string, parentOf: (path: string) => string): void {
  if (fs.lstat(path) !== undefined) return;
  makeFolder(fs, parentOf(path), parentOf);
  fs.mkdir(path, 0o700);
}
