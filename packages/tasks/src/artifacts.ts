import { join } from "node:path";
import { nodeFileSystem, readWholeFile, replaceFile } from "@quasar/durable";
import { TASK_FILES } from "@quasar/hookfile/internal";
import { TasksError } from "./errors.ts";

const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Keeps a text in the task's artifacts (0600), durably, in the place of what was there.
 *
 * @param path - Relative to `artifacts/`: 1 to 8 parts of `A-Z a-z 0-9 . _ -` between `/`, each
 *   beginning with a letter or digit.
 * @returns `path`, for records.
 * @throws {TasksError} `ERR_UNSAFE_ID`; {@link DurableError}, also where a folder on the way is a link.
 */
export function saveArtifact(taskDir: string, path: string, text: string): string {
  const file = fileOf(taskDir, path);
  replaceFile(file, Buffer.from(text), { keepPrevious: false });
  return path;
}

/** @returns `undefined` where there is none. @throws {TasksError} `ERR_UNSAFE_ID` */
export function readArtifact(taskDir: string, path: string): string | undefined {
  const bytes = readWholeFile(fileOf(taskDir, path), { maxBytes: MAX_BYTES });
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}

const PART = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

function fileOf(taskDir: string, path: string): string {
  const parts = path.split("/");
  if (parts.length > 8 || !parts.every((part) => PART.test(part))) {
    const shown = JSON.stringify(path.slice(0, 100));
    throw new TasksError("ERR_UNSAFE_ID", `${shown} is not fit for an artifact's name`);
  }
  const folders = [TASK_FILES.artifacts, ...parts.slice(0, -1)];
  let folder = taskDir;
  for (const name of folders) {
    folder = join(folder, name);
    const kind = nodeFileSystem.lstat(folder)?.kind ?? "directory";
    if (kind === "directory") continue;
    throw new TasksError("ERR_UNSAFE_ID", `${folder} is not a folder`);
  }
  return join(folder, ...parts.slice(-1));
}
