import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { withoutCaches } from "./caches.ts";
import type { SignalOptions } from "./head.ts";
import { isNewer } from "./newer.ts";
import type { Repository } from "./repository.ts";
import { git, gitFailed, gitOutput } from "./run.ts";

/**
 * What rules of the repository keep out of its commits that are in no commit themselves, and have changed since a
 * moment: untracked files that `info/exclude`, or a file that the repository's own configuration names as
 * `core.excludesFile`, ignores and no `.gitignore` does; caches are left out. `.git/info/attributes` stands for
 * all files that it may change on their way into a commit. Starts no git process where nothing has changed.
 *
 * @throws {GitError} `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function changedByOutsideRules(
  repository: Repository,
  since: Date,
  { signal }: SignalOptions = {},
): Promise<readonly string[]> {
  const { root, commonDir } = repository;
  const exclude = join(commonDir, "info", "exclude");
  const attributes = join(commonDir, "info", "attributes");
  const named = await namedExcludes(repository, since, signal);
  const sources = [
    ...((await hasNewRules(exclude, since)) ? [exclude] : []),
    ...(named === undefined ? [] : [named]),
  ];
  return [
    ...(sources.length === 0 ? [] : await ignoredBy(root, sources, signal)),
    ...((await hasNewRules(attributes, since)) ? [".git/info/attributes"] : []),
  ];
}

/** The file that the repository's own configuration names, where that or the file has changed. */
async function namedExcludes(
  { root, gitDir, commonDir }: Repository,
  since: Date,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const configs = [join(commonDir, "config"), join(gitDir, "config.worktree")];
  const areNew = await Promise.all(configs.map((path) => isNewer(path, since)));
  if (!areNew.includes(true)) return undefined;
  const args = ["config", "--null", "--show-scope", "--type=path", "--get", "core.excludesFile"];
  const result = await git("read", root, args, { signal });
  if (result.exitCode > 1) throw gitFailed(args, result);
  const [scope, path] = result.stdout.split("\0");
  return scope === "local" || scope === "worktree" ? path : undefined;
}

async function ignoredBy(
  root: string,
  sources: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const untracked = ["ls-files", "--others", "--ignored", "-z", "--full-name"];
  const list = async (rules: readonly string[]): Promise<readonly string[]> =>
    (await gitOutput("read", root, [...untracked, ...rules, "--", ":/"], { signal }))
      .split("\0")
      .slice(0, -1);
  const ignored = await list(sources.map((path) => `--exclude-from=${path}`));
  if (ignored.length === 0) return [];
  const usual = new Set(await list(["--exclude-per-directory=.gitignore"]));
  const hidden = ignored.filter((path) => !usual.has(path));
  return withoutCaches(hidden.map((path) => ({ path, status: "??" }))).dirty.map(
    ({ path }) => path,
  );
}

/** Whether a file has changed and says something: one that git makes holds comments only. */
async function hasNewRules(path: string, since: Date): Promise<boolean> {
  if (!(await isNewer(path, since))) return false;
  return /^[^\n#]*[^\s#]/mu.test(await readFile(path, "utf8"));
}
