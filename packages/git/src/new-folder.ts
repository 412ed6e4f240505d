import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { makeFolders } from "@quasar/process/files";
import { syncFolder, syncPath } from "./sync-folder.ts";

/**
 * Makes a folder whole or not at all, durably: it is filled under another name beside its own. The folders above it are
 * made where they are missing.
 *
 * @param mode - Of the folder.
 * @throws what `fill` does, and the system's error, `ENOTEMPTY` where a folder has come there meanwhile; nothing is left.
 */
export async function newFolder(
  path: string,
  mode: number,
  fill: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = `${resolve(path)}.${randomBytes(8).toString("hex")}.tmp`;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode });
    await fill(folder);
    syncFolder(folder);
    renameSync(folder, path);
    syncPath(dirname(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
