import { dirname, join } from "node:path";
import { syncNames } from "@quasar/durable";
import { isIgnored } from "@quasar/git/internal";
import { entryAt, makeFolders } from "@quasar/process/files";
import { fullDiskOf, messageOf } from "@quasar/runs/internal";
import type { Engine } from "../context/context.ts";
import { NebulaError } from "../errors.ts";
import { copyFile, fromSource, UnreadableSource } from "./copy-file.ts";

interface Copying extends Pick<Engine, "repository" | "spec" | "signal"> {
  /** Reports a file that is left out. */
  readonly warn: (message: string) => void;
}

/**
 * Gives a new work tree the files of the user's that git ignores there and that it needs, with their modes, durably. What
 * is no plain file, cannot be read, is reached by a link, or would be committed, is left out and reported.
 *
 * @param path - Absolute, of the work tree.
 * @throws {NebulaError} `ERR_SETUP` where the work tree cannot take one; the system's error where its disk is full; the
 *   signal's reason when aborted.
 */
export async function copyFiles(
  { spec, repository, signal, warn }: Copying,
  path: string,
): Promise<void> {
  for (const name of spec.execution.copy) {
    const problem = await problemOf(name, { from: repository.root, to: path, signal });
    if (problem === undefined) continue;
    warn(`${name} was not copied: ${problem}`);
  }
}

interface Way {
  readonly from: string;
  readonly to: string;
  readonly signal: AbortSignal;
}

async function problemOf(name: string, way: Way): Promise<string | undefined> {
  try {
    return await copyOne(name, way);
  } catch (error) {
    if (error instanceof UnreadableSource) return error.message;
    way.signal.throwIfAborted();
    if (fullDiskOf(error) !== undefined) throw error;
    const message = `${name} cannot be copied: ${messageOf(error)}`;
    throw new NebulaError("ERR_SETUP", message, { cause: error });
  }
}

async function copyOne(name: string, { from, to, signal }: Way): Promise<string | undefined> {
  const stat = fromSource(() => entryAt(join(from, name)));
  if (stat === undefined) return "it is not there";
  if (!stat.isFile()) return "it is no plain file";
  const link = fromSource(() => linkOnTheWay(from, name)) ?? linkOnTheWay(to, name);
  if (link !== undefined) return `${link} is a link`;
  const target = join(to, name);
  if (entryAt(target) !== undefined) return undefined;
  if (!(await isIgnored(to, name, { signal }))) return "git does not ignore it";
  makeFolders(dirname(target));
  copyFile(join(from, name), target);
  syncNames(to, [name]);
  return undefined;
}

/** The first folder of a path that is a link: what is behind it may be anywhere. */
export function linkOnTheWay(tree: string, name: string): string | undefined {
  const parts = name.split("/");
  return parts
    .map((_, at) => parts.slice(0, at).join("/"))
    .find((folder) => entryAt(join(tree, folder))?.isSymbolicLink());
}
