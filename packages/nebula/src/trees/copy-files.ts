import { dirname, join } from "node:path";
import { syncNames } from "@quasar/durable";
import { isIgnored } from "@quasar/git/internal";
import { entryAt, makeFolders } from "@quasar/process/files";
import type { Engine } from "../context/context.ts";
import { copyFile } from "./copy-file.ts";

/**
 * Gives a new work tree the files of the user's that git ignores there and that it needs, with their modes, durably. What
 * is no plain file, is reached by a link, or would be committed, is left out and reported.
 *
 * @param path - Absolute, of the work tree.
 */
export async function copyFiles(engine: Engine, path: string): Promise<void> {
  const { spec, repository, signal, tell } = engine;
  for (const name of spec.execution.copy) {
    const problem = await copyOne(name, { from: repository.root, to: path, signal });
    if (problem === undefined) continue;
    tell({ type: "warning", message: `${name} was not copied: ${problem}` });
  }
}

interface Way {
  readonly from: string;
  readonly to: string;
  readonly signal: AbortSignal;
}

async function copyOne(name: string, { from, to, signal }: Way): Promise<string | undefined> {
  const stat = entryAt(join(from, name));
  if (stat === undefined) return "it is not there";
  if (!stat.isFile()) return "it is no plain file";
  for (const tree of [from, to]) {
    const link = linkOnTheWay(tree, name);
    if (link !== undefined) return `${link} is a link`;
  }
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
