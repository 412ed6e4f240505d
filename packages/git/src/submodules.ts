import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { entryAt } from "@quasar/process/files";
import { nearestGitEntry } from "./discovery.ts";
import type { SignalOptions } from "./head.ts";
import { gitOutput } from "./run.ts";

const PATH = /^\s*path\s*=\s*(.+?)\s*$/gmu;

/** The paths that `.gitmodules` of a work tree names, whether submodules are there or not. */
export function submodulePaths(root: string): ReadonlySet<string> {
  const file = join(root, ".gitmodules");
  const isFile = entryAt(file)?.isFile() === true;
  const text = isFile ? readFileSync(file, "utf8") : "";
  return new Set([...text.matchAll(PATH)].map(([, path = ""]) => path));
}

/**
 * Submodules that are not checked out, and in whose folders files are all the same: git looks at none of
 * them. Starts one git process where there may be any.
 *
 * @param workTree - Any folder of the work tree.
 */
export async function filledSubmodules(
  workTree: string,
  options: SignalOptions,
): Promise<readonly string[]> {
  const entry = await nearestGitEntry(workTree, process.env);
  if (entry === undefined) return [];
  const root = dirname(entry);
  const filled = [...submodulePaths(root)].filter((path) => isPlain(path) && isFilled(root, path));
  if (filled.length === 0) return [];
  const args = [
    "ls-files",
    "--stage",
    "-z",
    "--",
    ...filled.map((path) => `:(top,literal)${path}`),
  ];
  const listed = (await gitOutput("read", root, args, options)).split("\0");
  const links = new Set(listed.map((line) => LINK.exec(line)?.[1]));
  return filled.filter((path) => links.has(path));
}

const LINK = /^160000 \S+ \d\t(.*)$/su;

/** Whether a path leads into the folder that it is of. */
export function isPlain(path: string): boolean {
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

function isFilled(root: string, path: string): boolean {
  const folder = join(root, path);
  if (entryAt(folder)?.isDirectory() !== true) return false;
  try {
    return !existsSync(join(folder, ".git")) && readdirSync(folder).length > 0;
  } catch {
    return true; // nobody can look into it
  }
}
