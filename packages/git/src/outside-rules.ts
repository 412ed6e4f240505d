import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { withoutCaches } from "./caches.ts";
import { changedAfter } from "./changed-after.ts";
import { type Config, readConfig } from "./config.ts";
import type { SignalOptions } from "./head.ts";
import { isNewer } from "./newer.ts";
import type { Repository } from "./repository.ts";
import { git, gitFailed, gitOutput } from "./run.ts";
import { userFiles } from "./user-files.ts";

export interface OutsideRulesOptions extends SignalOptions {
  /** The values in force, as a look has just read them. @default read */
  readonly config?: Config | undefined;
}

/**
 * What rules keep out of a repository's commits that are in no commit themselves, and have changed since a
 * moment: untracked files that `info/exclude`, or the file that `core.excludesFile` names or that is the user's own,
 * ignores and no `.gitignore` does, if they have changed since, too; caches are left out. A file of attributes stands for all files that it may change
 * on their way into a commit: `.git/info/attributes`, or what `core.attributesFile` names or is the user's.
 * Starts no git process where nothing has changed and the `config` is given.
 *
 * @throws {GitError} `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function changedByOutsideRules(
  repository: Repository,
  since: Date,
  { config: seen, signal }: OutsideRulesOptions = {},
): Promise<readonly string[]> {
  const { root, gitDir, commonDir } = repository;
  const config = seen ?? (await readConfig(root, { signal }));
  const { settings, ignore, attributes } = userFiles(repository, config);
  const exclude = join(commonDir, "info", "exclude");
  const own = [join(commonDir, "config"), join(gitDir, "config.worktree")];
  const isNamed = (await areNewer(own, since)) && (await namesExcludes(root, signal));
  const sources = [
    ...((await hasNewRules(exclude, since)) ? [exclude] : []),
    ...(isNamed || (await hasNewRules(ignore, since)) ? [ignore] : []),
  ];
  const mayBeNamed = !sources.includes(ignore) && (await areNewer(settings, since));
  const hidden = await ignoredBy(root, mayBeNamed ? [...sources, ignore] : sources, signal);
  const attributeFiles = [
    [join(commonDir, "info", "attributes"), ".git/info/attributes"],
    [attributes, attributes],
  ] as const;
  const given: string[] = [];
  for (const [path, name] of attributeFiles) {
    if (await hasNewRules(path, since)) given.push(name);
  }
  return [...new Set([...changedAfter(root, hidden, since), ...given])];
}

/** Whether it is the repository's own configuration that names a file of ignore rules. */
async function namesExcludes(root: string, signal: AbortSignal | undefined): Promise<boolean> {
  const args = ["config", "--null", "--show-scope", "--get", "core.excludesFile"];
  const result = await git("read", root, args, { signal });
  if (result.exitCode > 1) throw gitFailed(args, result);
  return /^(?:local|worktree)\0/u.test(result.stdout);
}

async function areNewer(paths: readonly string[], since: Date): Promise<boolean> {
  return (await Promise.all(paths.map((path) => isNewer(path, since)))).includes(true);
}

async function ignoredBy(
  root: string,
  sources: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const present = sources.filter((path) => existsSync(path));
  if (present.length === 0) return [];
  const untracked = ["ls-files", "--others", "--ignored", "-z", "--full-name"];
  const list = async (rules: readonly string[]): Promise<readonly string[]> =>
    (await gitOutput("read", root, [...untracked, ...rules, "--", ":/"], { signal }))
      .split("\0")
      .slice(0, -1);
  const ignored = await list(present.map((path) => `--exclude-from=${path}`));
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
