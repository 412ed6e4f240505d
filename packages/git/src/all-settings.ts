import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileDigest, NOT_A_FILE, UNREADABLE } from "./controls/digest.ts";
import { type ConfigPair, userConfig } from "./environment.ts";
import type { SignalOptions } from "./head.ts";
import { gitFoldersAt, type Repository } from "./repository.ts";
import { gitOutput } from "./run.ts";
import { namedPath, userFiles } from "./user-files.ts";

/** A setting of git's, as it stands in one place. */
export interface Setting {
  /** `system`, `global`; `local`, `worktree`: of the repository; `command`: of the environment. */
  readonly scope: string;
  /** Absolute path of the file that it is in; `""`: in none. */
  readonly file: string;
  /** Section and key in lower case. */
  readonly name: string;
  /** `undefined`: it stands alone, which is true. */
  readonly value: string | undefined;
}

/** What git's settings are, and of which files. */
export interface AllSettings {
  /** Each place of one; of several with one name the last one counts. */
  readonly settings: readonly Setting[];
  /** A digest of each file that was read; `""` of one that would have been if it were there. */
  readonly sources: ReadonlyMap<string, string>;
}

interface Remembered extends AllSettings {
  /** What else decides which files are read. */
  readonly environment: string;
  /** Whether they are what the files hold, and depend on nothing else. */
  readonly isSure: boolean;
}

/** By the git folder that the settings are of. */
const remembered = new Map<string, Remembered>();
const MOST_REMEMBERED = 64;

/**
 * All settings of git that hold in a work tree. Starts one git process, and none as long as every file that they come
 * from holds what it did, byte by byte: each is read each time.
 *
 * @throws {GitError} `ERR_GIT_FAILED`, and as `currentGitSha` does.
 */
export async function allSettings(workTree: string, options: SignalOptions): Promise<AllSettings> {
  options.signal?.throwIfAborted();
  const folders = await gitFoldersAt(workTree);
  if (folders === undefined) {
    return { settings: await listSettings(workTree, options), sources: new Map() };
  }
  const own = join(folders.gitDir, "config.worktree");
  // Work trees share their settings, but for one that has some of its own.
  const isShared = !existsSync(own);
  const place = isShared ? folders.commonDir : folders.gitDir;
  const usual = [...usualFiles(folders), ...(isShared ? [] : [own])];
  const last = remembered.get(place);
  const found = isCurrent(last) ? last : await read(workTree, { usual, last }, options);
  remember(place, found);
  return isShared ? { ...found, sources: new Map([...found.sources, [own, ""]]) } : found;
}

async function read(
  workTree: string,
  { usual, last }: { readonly usual: readonly string[]; readonly last: Remembered | undefined },
  options: SignalOptions,
): Promise<Remembered> {
  const environment = environmentNow();
  const before = digestsOf([...usual, ...(last?.sources.keys() ?? [])]);
  const settings = await listSettings(workTree, options);
  const after = digestsOf([...usual, ...sourcesOf(settings)]);
  const isSame = ([file, digest]: readonly [string, string]): boolean =>
    before.get(file) === digest;
  // Where somebody has written while git read, what it has read is unknown.
  const sources = [...after].map(
    ([file, digest]) =>
      [file, (before.get(file) ?? digest) === digest ? digest : CHANGING] as const,
  );
  return {
    settings,
    sources: new Map(sources),
    environment,
    isSure:
      [...after].every((each) => isSame(each) && isTold(each)) && !settings.some(dependsOnMore),
  };
}

/** Whether a digest tells that a file is as it was. */
function isTold([file, digest]: readonly [string, string]): boolean {
  return file === "/dev/null" || (digest !== NOT_A_FILE && digest !== UNREADABLE);
}

/** No file has this digest. */
const CHANGING = "changing";

function isCurrent(last: Remembered | undefined): last is Remembered {
  if (last?.isSure !== true || last.environment !== environmentNow()) return false;
  return isUnchanged(last.sources);
}

/** Whether each file still has the digest that it had. */
export function isUnchanged(sources: Iterable<readonly [file: string, digest: string]>): boolean {
  return [...sources].every(([file, digest]) => (fileDigest(file) ?? "") === digest);
}

function remember(place: string, found: Remembered): void {
  remembered.delete(place);
  remembered.set(place, found);
  const [oldest] = remembered.keys();
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}

async function listSettings(workTree: string, options: SignalOptions): Promise<readonly Setting[]> {
  const args = ["config", "--list", "--null", "--show-scope", "--show-origin"];
  const fields = (await gitOutput("read", workTree, args, options)).split("\0");
  const settings: Setting[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = "", origin = "", entry = ""] = fields.slice(at, at + 3);
    const isOfFile = origin.startsWith("file:");
    const file = isOfFile ? resolve(workTree, origin.slice("file:".length)) : "";
    const end = entry.indexOf("\n");
    const [name, value] =
      end < 0 ? [entry, undefined] : [entry.slice(0, end), entry.slice(end + 1)];
    settings.push({ scope, file, name, value });
  }
  return settings;
}

/** Whether it may have git read a file by something else than what files hold: a condition, another user's home. */
function dependsOnMore({ name, value = "" }: Setting): boolean {
  return name.startsWith("includeif.") || (name === "include.path" && /^(?:~[^/]|%)/u.test(value));
}

/** The files that settings come from, and those that they include. */
function sourcesOf(settings: readonly Setting[]): readonly string[] {
  return settings.flatMap(({ file, name, value = "" }) => {
    if (file === "") return [];
    const isInclude = /^include(?:if\..*)?\.path$/su.test(name);
    return isInclude ? [file, namedPath(value, dirname(file))] : [file];
  });
}

/** Where git looks for settings, whether there are any or not. */
function usualFiles({ commonDir }: Pick<Repository, "commonDir">): readonly string[] {
  const { GIT_CONFIG_GLOBAL = "", GIT_CONFIG_SYSTEM = "" } = process.env;
  const ofUser =
    GIT_CONFIG_GLOBAL === ""
      ? userFiles({ root: commonDir }, new Map()).settings
      : [GIT_CONFIG_GLOBAL];
  const ofSystem = GIT_CONFIG_SYSTEM === "" ? "/etc/gitconfig" : GIT_CONFIG_SYSTEM;
  return [ofSystem, ...ofUser, join(commonDir, "config")];
}

function environmentNow(): string {
  const { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM, PATH } =
    process.env;
  const own: readonly ConfigPair[] = userConfig(process.env);
  const files = [GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM];
  return JSON.stringify([HOME, XDG_CONFIG_HOME, ...files, PATH, own]);
}

function digestsOf(files: readonly string[]): ReadonlyMap<string, string> {
  return new Map(files.map((file) => [file, fileDigest(file) ?? ""]));
}
