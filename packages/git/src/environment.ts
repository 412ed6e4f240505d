import { GitError } from "./errors.ts";

/** One configuration value; the name is `section.subsection.key` with any text in the middle. */
export type ConfigPair = readonly [name: string, value: string];

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whose name is on a commit, where the user keeps the settings, and how far up a repository is searched
 * for: the user's say, not a repository's.
 */
const KEPT: ReadonlySet<string> = new Set([
  "GIT_AUTHOR_NAME",
  "GIT_AUTHOR_EMAIL",
  "GIT_AUTHOR_DATE",
  "GIT_COMMITTER_NAME",
  "GIT_COMMITTER_EMAIL",
  "GIT_COMMITTER_DATE",
  "GIT_CEILING_DIRECTORIES",
  "GIT_DISCOVERY_ACROSS_FILESYSTEM",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
]);

/**
 * The caller's environment without what steers git: inside a git hook `GIT_DIR`, `GIT_INDEX_FILE`
 * and others name the repository of the hook, and git would answer for that one.
 *
 * Git's own words are in English; letters, dates and order are the user's, for the user's git hooks.
 */
export function scrubbed(environment: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    const steersGit = name.startsWith("GIT_") && !KEPT.has(name);
    if (value !== undefined && !steersGit) kept[name] = value;
  }
  return { ...inEnglish(kept), GIT_TERMINAL_PROMPT: "0", GIT_PAGER: "cat" };
}

/**
 * What `LC_ALL` says goes before all else: it is said as `LANG`, which leaves room for the language. Where
 * nothing says which letters there are, a git hook can print any.
 */
function inEnglish(environment: Record<string, string>): Record<string, string> {
  const { LC_ALL = "", LANG = "", LC_CTYPE = LANG === "" ? "C.UTF-8" : LANG } = environment;
  const isDropped = (name: string): boolean =>
    name === "LANGUAGE" || (LC_ALL === "" ? name === "LC_ALL" : name.startsWith("LC_"));
  const kept = Object.entries(environment).filter(([name]) => !isDropped(name));
  const letters = LC_ALL === "" ? { LC_CTYPE } : { LANG: LC_ALL };
  return { ...Object.fromEntries(kept), ...letters, LC_MESSAGES: "C" };
}

/** Settings that say who the user is and whom they trust; none of them changes what git runs on reading. */
const OF_IDENTITY =
  /^(?:(?:user|author|committer)\.(?:name|email)|user\.signingkey|commit\.gpgsign|gpg\..+|safe\.directory|init\.defaultbranch)$/i;

/**
 * What `GIT_CONFIG_COUNT`, `_KEY_<n>` and `_VALUE_<n>` say of the user's identity, as a CI sets it. All
 * else that they say is dropped like other variables that steer git.
 */
export function userConfig(environment: Environment): readonly ConfigPair[] {
  const count = configCount(environment);
  return Object.entries(environment).flatMap(([variable, name = ""]): readonly ConfigPair[] => {
    const [, index] = /^GIT_CONFIG_KEY_(\d+)$/.exec(variable) ?? [];
    if (index === undefined || Number(index) >= count || !OF_IDENTITY.test(name)) return [];
    return [[name, environment[`GIT_CONFIG_VALUE_${index}`] ?? ""]];
  });
}

/**
 * By what a git that somebody else starts knows who the user is: the variables of author and committer, where
 * the user's settings are, and what {@link userConfig} keeps.
 */
export function identityEnv(environment: Environment): Record<string, string> {
  const known = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && /^GIT_(?:AUTHOR|COMMITTER|CONFIG)_/.test(name) && KEPT.has(name)
      ? [[name, value] as const]
      : [],
  );
  const pairs = userConfig(environment);
  return { ...Object.fromEntries(known), ...(pairs.length > 0 && configVariables(pairs)) };
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
 * @see SPEC.md, "Durable writes"
 */
export function durableGitEnv(environment: Environment): Record<string, string> {
  return configVariables([DURABLE], configCount(environment));
}

/**
 * The variables that a git gets which somebody else starts, an agent or a check: who the user is, and that it
 * writes durably.
 *
 * @param environment - The user's.
 * @example spawn(agent, { env: { ...process.env, ...foreignGitEnv(process.env) } });
 * @see SPEC.md, "Durable writes"
 */
export function foreignGitEnv(environment: Environment): Record<string, string> {
  const identity = identityEnv(environment);
  return { ...identity, ...durableGitEnv(identity) };
}

function configCount(environment: Environment): number {
  const count = Number(environment["GIT_CONFIG_COUNT"] ?? 0);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}
