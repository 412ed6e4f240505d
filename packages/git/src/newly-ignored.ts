import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { withoutCaches } from "./caches.ts";
import { disarmFilters, readConfig } from "./config.ts";
import { isGone } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { isNewer, TICK_MS } from "./newer.ts";
import type { Repository } from "./repository.ts";
import { gitOutput } from "./run.ts";

/** Work that ignore rules keep out of every commit. Paths from the root, a folder's with a slash at its end. */
export interface NewlyIgnored {
  /** `.gitignore` files that are ignored themselves, and have changed: neither they nor what they ignore is in a commit. */
  readonly rules: readonly string[];
  /** What else is new, but for what tools make again: caches, build outputs, logs. */
  readonly paths: readonly string[];
}

/**
 * What ignore rules keep out of commits and has come since a moment; not what came into a folder that was ignored before.
 * Starts two git processes.
 *
 * @throws {GitError} as `dirtyPaths` does; the signal's reason when aborted.
 */
export async function newlyIgnored(
  { root }: Pick<Repository, "root">,
  since: Date,
  { signal }: SignalOptions = {},
): Promise<NewlyIgnored> {
  const config = disarmFilters(await readConfig(root, { signal }));
  // Folders that a rule names are listed as such, without what is in them.
  const args = ["status", "--porcelain", "-z", "--untracked-files=all", "--ignored=matching"];
  const asked = [...args, "--no-renames", "--ignore-submodules=all"];
  const output = await gitOutput("read", root, asked, { signal, config });
  const ignored = output.split("\0").filter((entry) => entry.startsWith("!! "));
  const entries = ignored.map((entry) => ({ path: inside(entry.slice(3)), status: "??" }));
  const kept = withoutCaches(entries).dirty.map(({ path }) => path.replace(/\/\.$/u, "/"));
  const isRule = (path: string): boolean => /(?:^|\/)\.gitignore$/u.test(path);
  const rules = await filtered(kept.filter(isRule), (path) => isNewer(join(root, path), since));
  const hidden = rules.map((path) => `${dirname(path)}/`);
  const others = kept.filter(
    (path) => !isMadeAgain(path) && !isRule(path) && !hidden.some((dir) => path.startsWith(dir)),
  );
  return { rules, paths: await filtered(others, (path) => isBornSince(join(root, path), since)) };
}

/** A folder as a path in it, by which it is known for a cache. */
function inside(path: string): string {
  return path.endsWith("/") ? `${path}.` : path;
}

const OUTPUTS: ReadonlySet<string> = new Set([
  ...["dist", "build", "out", "target", "bin", "obj", "coverage", "htmlcov", "vendor", "venv"],
  ...["log", "logs", "tmp", "temp"],
]);

/** Whether tools make it again: by its name, hidden files and folders among them. */
function isMadeAgain(path: string): boolean {
  const names = path.split("/").filter(Boolean);
  const isOutput = names.some((name) => name.startsWith(".") || OUTPUTS.has(name.toLowerCase()));
  return isOutput || /\.(?:log|tmp|bak|swp|pyc|o|a|so|class|tsbuildinfo)$/iu.test(path);
}

async function isBornSince(path: string, since: Date): Promise<boolean> {
  try {
    const { birthtimeMs } = await stat(path);
    return birthtimeMs > since.getTime() - TICK_MS;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

async function filtered(
  paths: readonly string[],
  isWanted: (path: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const areWanted = await Promise.all(paths.map(isWanted));
  return paths.filter((_, at) => areWanted[at]);
}
