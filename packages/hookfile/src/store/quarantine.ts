import { dirname, join } from "node:path";
import { type FileSystem, nodeFileSystem } from "@quasar/durable";
import { hiddenFiles, makeFolder } from "./exact-modes.ts";
import { TASK_FILES } from "./files.ts";

/** A hook.json that something else than this product has changed: it was moved out of the way. */
export interface QuarantinedFile {
  /** Absolute. */
  readonly path: string;
  /** When it was found: RFC 3339, to the second. */
  readonly foundAt: string;
}

const NAME = /^hook\.json\.damaged-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\dZ)(?:-\d+)?$/;

/** What was quarantined in a task's folder, oldest first, and nobody has acknowledged yet. */
export function quarantinedFiles(
  dir: string,
  fs: FileSystem = nodeFileSystem,
): readonly QuarantinedFile[] {
  if (fs.lstat(dir)?.kind !== "directory") return [];
  return fs
    .readdir(dir)
    .toSorted()
    .flatMap((name) => {
      const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
      if (year === undefined) return [];
      const foundAt = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
      return [{ path: join(dir, name), foundAt }];
    });
}

/**
 * Notes that a person has seen what was quarantined: the files go into the folder `quarantine` of the
 * task, where they are told no more. Returns those that were moved.
 */
export function acknowledgeQuarantine(
  dir: string,
  fs: FileSystem = hiddenFiles,
): readonly QuarantinedFile[] {
  const files = quarantinedFiles(dir, fs);
  if (files.length === 0) return [];
  const folder = join(dir, TASK_FILES.quarantine);
  makeFolder(fs, folder, dirname);
  for (const { path } of files) fs.rename(path, join(folder, path.slice(dir.length + 1)));
  return files;
}
