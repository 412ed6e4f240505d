import { GitError } from "./errors.ts";

/** One configuration value; the name is `section.subsection.key` with any text in the middle. */
export type ConfigPair = readonly [name: string, value: string];

export type Environment = Readonly<Record<string, string | undefined>>;

/** Whose name is on a commit, and where the user keeps the settings: theirs, not a repository's. */
const KEPT: ReadonlySet<string> = new Set([
  "GIT_AUTHOR_NAME",
  "GIT_AUTHOR_EMAIL",
  "GIT_COMMITTER_NAME",
  "GIT_COMMITTER_EMAIL",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
]);

/**
 * The caller's environment without what steers git: inside a git hook `GIT_DIR`, `GIT_INDEX_FILE`
 * and others name the repository of the hook, and git would answer for that one.
 *
 * The locale has git's own words in English, as UTF-8, for git and for the user's git hooks.
 */
export function scrubbed(environment: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    const steersGit = name.startsWith("GIT_") && !KEPT.has(name);
    if (value !== undefined && !steersGit && name !== "LANGUAGE") kept[name] = value;
  }
  return { ...kept, LC_ALL: "C.UTF-8", GIT_TERMINAL_PROMPT: "0", GIT_PAGER: "cat" };
}

/** How the user reaches remotes: theirs too, and needed only there. */
const CONNECTING = /^GIT_(?:ASKPASS|SSH|SSH_COMMAND|SSH_VARIANT|(?:SSL|HTTP|PROXY)_[A-Z_]+)$/;

/** What `scrubbed` drops and a connection to a remote needs. */
export function networkEnvironment(environment: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && CONNECTING.test(name)) kept[name] = value;
  }
  return kept;
}

/** @throws {GitError} `ERR_INVALID_ARGUMENT` for a variable that steers git past what is made sure of. */
export function checkVariables(env: Readonly<Record<string, string>>): void {
  const name = Object.keys(env).find((each) => /^GIT_/i.test(each));
  if (name === undefined) return;
  const message = `${JSON.stringify(name)} steers git: it cannot be set here`;
  throw new GitError("ERR_INVALID_ARGUMENT", message);
}

/** Variables that add configuration above every file; `first` is the number of those in place. */
export function configVariables(pairs: readonly ConfigPair[], first = 0): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(first + pairs.length) };
  for (const [index, [name, value]] of pairs.entries()) {
    variables[`GIT_CONFIG_KEY_${first + index}`] = name;
    variables[`GIT_CONFIG_VALUE_${first + index}`] = value;
  }
  return variables;
}

/** Makes git flush objects, refs and index before it says that it is done. */
export const DURABLE: ConfigPair = ["core.fsync", "all"];

/**
 * The variables that make any git started with them, an agent's own too, write durably. They are
 * added to those that `environment` has for git's configuration already; merge them over it.
 *
 * @example spawn(agent, { env: { ...process.env, ...durableGitEnv(process.env) } });
 * @see SPEC.md, "Durable writes"
 */
export function durableGitEnv(environment: Environment): Record<string, string> {
  const count = Number(environment["GIT_CONFIG_COUNT"] ?? 0);
  return configVariables([DURABLE], Number.isSafeInteger(count) && count > 0 ? count : 0);
}
