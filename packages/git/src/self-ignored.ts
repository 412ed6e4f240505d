import { join } from "node:path";
import { withoutCaches } from "./caches.ts";
import { disarmFilters, readConfig } from "./config.ts";
import type { SignalOptions } from "./head.ts";
import { isNewer } from "./newer.ts";
import type { Repository } from "./repository.ts";
import { gitOutput } from "./run.ts";

/**
 * `.gitignore` files that are ignored themselves and have changed since a moment: neither they nor what they ignore
 * come into a commit. Those in caches, and in folders that another rule ignores, are left out. Starts two git processes.
 *
 * @returns Paths from the root.
 * @throws {GitError} as `dirtyPaths` does; the signal's reason when aborted.
 */
export async function selfIgnored(
  { root }: Pick<Repository, "root">,
  since: Date,
  { signal }: SignalOptions = {},
): Promise<readonly string[]> {
  const config = disarmFilters(await readConfig(root, { signal }));
  // Folders that a rule names are listed as such, without what is in them.
  const args = ["status", "--porcelain", "-z", "--untracked-files=all", "--ignored=matching"];
  const asked = [...args, "--no-renames", "--ignore-submodules=all"];
  const output = await gitOutput("read", root, asked, { signal, config });
  const ignored = output.split("\0").filter((entry) => entry.startsWith("!! "));
  const entries = ignored.map((entry) => ({ path: entry.slice(3), status: "??" }));
  const rules = withoutCaches(entries).dirty.flatMap(({ path }) =>
    /(?:^|\/)\.gitignore$/u.test(path) ? [path] : [],
  );
  const areNew = await Promise.all(rules.map((path) => isNewer(join(root, path), since)));
  return rules.filter((_, at) => areNew[at]);
}
