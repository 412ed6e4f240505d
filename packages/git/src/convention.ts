import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SignalOptions } from "./head.ts";
import type { Repository } from "./repository.ts";
import { git } from "./run.ts";

/** How many of the newest commits are asked, merges left out. */
const ASKED = 50;

const CONVENTIONAL =
  /^(?:build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(?:\([^()]+\))?!?: \S/;

/**
 * Whether commits are called in the form of Conventional Commits here: a configuration of commitlint
 * says so, or more than half of the last 50 subjects. Starts one git process, none if commitlint says it.
 *
 * @throws {GitError} `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason
 *   when aborted.
 */
export async function usesConventionalCommits(
  { root }: Pick<Repository, "root">,
  options: SignalOptions = {},
): Promise<boolean> {
  if (await hasCommitlint(root)) return true;
  const asked = ["log", "--no-merges", `--max-count=${ASKED}`, "--format=%s%x00", "HEAD", "--"];
  const { exitCode, stdout } = await git("read", root, asked, options);
  // Before the first commit there is nothing to follow.
  if (exitCode !== 0) return false;
  const subjects = stdout.split("\0").slice(0, -1);
  const alike = subjects.filter((subject) => CONVENTIONAL.test(subject.trimStart()));
  return 2 * alike.length > subjects.length;
}

const EXTENSIONS = ["js", "cjs", "mjs", "ts", "cts", "mts"] as const;

const CONFIG_FILES: readonly string[] = [
  ".commitlintrc",
  ...["json", "yaml", "yml", ...EXTENSIONS].map((ending) => `.commitlintrc.${ending}`),
  ...EXTENSIONS.map((ending) => `commitlint.config.${ending}`),
];

async function hasCommitlint(root: string): Promise<boolean> {
  const there = await Promise.all(CONFIG_FILES.map((name) => sizeOf(join(root, name))));
  return there.some((size) => size !== undefined) || isInPackage(join(root, "package.json"));
}

const MOST_BYTES = 1024 * 1024;

async function isInPackage(path: string): Promise<boolean> {
  const size = await sizeOf(path);
  if (size === undefined || size > MOST_BYTES) return false;
  try {
    const content: unknown = JSON.parse(await readFile(path, "utf8"));
    return typeof content === "object" && content !== null && Object.hasOwn(content, "commitlint");
  } catch {
    // What cannot be read says nothing.
    return false;
  }
}

/** Of a file; `undefined` for anything else. */
async function sizeOf(path: string): Promise<number | undefined> {
  const stat = await lstat(path).catch(() => undefined);
  return stat?.isFile() === true ? stat.size : undefined;
}
