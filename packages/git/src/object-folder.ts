import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeFolders } from "@quasar/process/files";
import type { SignalOptions } from "./head.ts";
import { openRepository } from "./repository.ts";
import type { RunOptions } from "./run.ts";
import { cQuoted } from "./tree-stream.ts";

/** New objects go into a folder beside a file, and away with it. */
export async function inObjectFolder<T>(
  workTree: string,
  file: string,
  { signal }: SignalOptions,
  use: (run: RunOptions, folder: string) => Promise<T>,
): Promise<T> {
  const { commonDir } = await openRepository(workTree, { signal });
  const folder = `${resolve(file)}.${randomBytes(8).toString("hex")}.tmp`;
  makeFolders(join(folder, "pack"));
  const env = {
    GIT_OBJECT_DIRECTORY: folder,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: cQuoted(
      Buffer.from(join(commonDir, "objects")).toString("latin1"),
    ),
  };
  try {
    return await use({ signal, env }, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
