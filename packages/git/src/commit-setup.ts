import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { type Config, type Identity, missingIdentity, NEUTRAL, parseConfig } from "./config.ts";
import { isGone } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { COMMIT_HOOKS, hooksFolder, type HooksFolder } from "./hooks.ts";
import { isShallow, type Repository } from "./repository.ts";
import { git, gitFailed, gitOutput } from "./run.ts";
import { isToBeSigned } from "./signing.ts";

/** How commits are signed. */
export interface Signing {
  /** As `gpg.format` names it: `openpgp`, `ssh`, `x509`. */
  readonly format: string;
  /** `user.signingkey` as it is set; `undefined`: it is found by other means, such as the committer's name. */
  readonly key: string | undefined;
  /** Whether `gpg.ssh.defaultKeyCommand` names the key. */
  readonly hasKeyCommand: boolean;
  /** Name or path of the program that signs. */
  readonly program: string;
}

/** The git hooks that a commit of a work tree meets. */
export interface CommitHooks extends HooksFolder {
  readonly isThere: boolean;
  /** Those that git starts, in its order. */
  readonly active: readonly string[];
  /** Those that are there and may not be executed: git passes over them. */
  readonly inactive: readonly string[];
}

/** What the settings of git, of whoever and of the repository, and its state mean for the commits of a work tree. */
export interface CommitSetup {
  /** Settings that say who commits and are not set anywhere: {@link standIn} takes their place. */
  readonly unsetIdentity: readonly ("user.name" | "user.email")[];
  readonly standIn: Identity;
  /** Paths of files with unresolved conflicts, from the root of the work tree: nothing can be committed before. */
  readonly unmerged: readonly string[];
  /** Whether the history of the repository was cut off somewhere. */
  readonly isShallow: boolean;
  /** `undefined`: commits are not signed. */
  readonly signing: Signing | undefined;
  readonly hooks: CommitHooks;
  readonly lfs: {
    /** Tracked files that the attributes give to Git LFS. */
    readonly files: number;
    /** Whether its filter is set, as `git lfs install` does. */
    readonly isInstalled: boolean;
  };
}

const ASKED =
  "^(user\\.(name|email|signingkey)|(author|committer)\\.(name|email)|gpg\\..*|filter\\.lfs\\.(clean|process))$";

/**
 * What will matter when something is committed in a work tree. Changes nothing, signs nothing and starts nothing but
 * git; for whether a signature can be made, see `checkSigning`.
 *
 * @throws {GitError} `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function inspectCommitSetup(
  repository: Pick<Repository, "root" | "commonDir">,
  options: SignalOptions = {},
): Promise<CommitSetup> {
  const { root } = repository;
  const [config, isSigned, unmerged, shallow, hooks, files] = await Promise.all([
    readSettings(root, options),
    isToBeSigned(root, options),
    unmergedPaths(root, options),
    isShallow(repository),
    commitHooks(repository, options),
    lfsFiles(root, options),
  ]);
  const isInstalled = config.has("filter.lfs.clean") || config.has("filter.lfs.process");
  return {
    unsetIdentity: unsetIdentity(config),
    standIn: NEUTRAL,
    unmerged,
    isShallow: shallow,
    signing: isSigned ? signingOf(config) : undefined,
    hooks,
    lfs: { files, isInstalled },
  };
}

async function readSettings(root: string, options: SignalOptions): Promise<Config> {
  const args = ["config", "--null", "--get-regexp", ASKED];
  const result = await git("read", root, args, options);
  if (result.exitCode > 1) throw gitFailed(args, result);
  return parseConfig(result.stdout);
}

function unsetIdentity(config: Config): CommitSetup["unsetIdentity"] {
  const missing = Object.keys(missingIdentity(config, process.env));
  return (["name", "email"] as const)
    .filter((field) => missing.some((variable) => variable.endsWith(`_${field.toUpperCase()}`)))
    .map((field) => `user.${field}` as const);
}

const PROGRAMS: Readonly<Record<string, string>> = { ssh: "ssh-keygen", x509: "gpgsm" };

/** @see git-config(1), "gpg.program" and "gpg.<format>.program" */
function signingOf(config: Config): Signing {
  const format = config.get("gpg.format") || "openpgp";
  const own = config.get(`gpg.${format}.program`) || undefined;
  const common = format === "openpgp" ? config.get("gpg.program") || undefined : undefined;
  return {
    format,
    key: config.get("user.signingkey") || undefined,
    hasKeyCommand: (config.get("gpg.ssh.defaultkeycommand") ?? "") !== "",
    program: own ?? common ?? PROGRAMS[format] ?? "gpg",
  };
}

async function commitHooks(
  repository: Pick<Repository, "root" | "commonDir">,
  options: SignalOptions,
): Promise<CommitHooks> {
  const folder = await hooksFolder(repository, options);
  const there = await kept(COMMIT_HOOKS, (name) => may(join(folder.path, name), constants.F_OK));
  const active = await kept(there, (name) => may(join(folder.path, name), constants.X_OK));
  const inactive = there.filter((name) => !active.includes(name));
  return { ...folder, isThere: await may(folder.path, constants.F_OK), active, inactive };
}

async function kept(
  names: readonly string[],
  isKept: (name: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const are = await Promise.all(names.map(isKept));
  return names.filter((_, at) => are[at]);
}

async function may(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    if (error instanceof Error && "code" in error && error.code === "EACCES") return false;
    throw error;
  }
}

async function lfsFiles(root: string, options: SignalOptions): Promise<number> {
  const args = ["ls-files", "-z", "--", ":(top,attr:filter=lfs)"];
  return (await gitOutput("read", root, args, options)).split("\0").length - 1;
}

async function unmergedPaths(root: string, options: SignalOptions): Promise<readonly string[]> {
  const args = ["ls-files", "--full-name", "--unmerged", "-z", "--", ":/"];
  const lines = (await gitOutput("read", root, args, options)).split("\0").slice(0, -1);
  return [...new Set(lines.map((line) => line.slice(line.indexOf("\t") + 1)))];
}

/** The version of the git on the PATH: `2.47.3`; `""` where it tells none. */
export async function gitVersion(workTree: string, options: SignalOptions = {}): Promise<string> {
  const said = await gitOutput("read", workTree, ["--version"], options);
  return /\d+\.\d+(?:\.\d+)*/.exec(said)?.[0] ?? "";
}
