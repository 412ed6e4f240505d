import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolders } from "@quasar/process/files";
import type { Algorithm } from "../blob.ts";
import { gitVersion } from "../commit-setup.ts";
import { algorithmOf, readConfig } from "../config.ts";
import type { ConfigPair } from "../environment.ts";
import { GitError } from "../errors.ts";
import type { SignalOptions } from "../head.ts";
import type { Repository } from "../repository.ts";
import { git, type GitResult, type Profile, type RunOptions } from "../run.ts";
import { quoted } from "../text.ts";
import { failedOrMissing } from "./missing-object.ts";

/**
 * A bare git folder of our own beside a repository, whose objects it borrows. What is done in it reads neither the
 * settings nor the attributes of the repository, the user or the machine: no driver, filter or git hook of theirs can
 * run, and the result depends on the objects and on git's version alone.
 */
export interface MergeFolder {
  /** Absolute. */
  readonly path: string;
  readonly repository: Repository;
  readonly algorithm: Algorithm;
  /** As `2.39.5`: another one may merge differently. */
  readonly gitVersion: string;
}

/**
 * Opens the merge folder of a repository, `<common dir>/quasar/merge.git`, and makes it where it is missing. One that
 * holds anything else than we put there is moved aside first, here and before each use.
 *
 * @throws {GitError} `ERR_GIT_TOO_OLD` before git 2.38; `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when
 *   aborted.
 */
export async function openMergeFolder(
  repository: Repository,
  options: SignalOptions = {},
): Promise<MergeFolder> {
  const { root, commonDir } = repository;
  const version = await gitVersion(root, options);
  requireMergeTree(version);
  const algorithm = algorithmOf(await readConfig(root, options));
  const path = join(commonDir, "quasar", "merge.git");
  const folder = { path, repository, algorithm, gitVersion: version };
  makeGood(folder);
  return folder;
}

/** Of git 2.38 is `git merge-tree --write-tree`. */
function requireMergeTree(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 2 || (major === 2 && minor >= 38)) return;
  const message = `git ${version} is too old: merging without a work tree needs git 2.38 or later`;
  throw new GitError("ERR_GIT_TOO_OLD", message);
}

/** Runs git in a merge folder, to its end. @throws {GitError} as `git` does. */
export async function folderGit(
  profile: Profile,
  folder: MergeFolder,
  args: readonly string[],
  options: RunOptions = {},
): Promise<GitResult> {
  makeGood(folder);
  const env = {
    GIT_DIR: folder.path,
    GIT_OBJECT_DIRECTORY: join(folder.repository.commonDir, "objects"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_ATTR_SOURCE: EMPTY_TREE[folder.algorithm],
    ...options.env,
  };
  const config = [NO_USER_ATTRIBUTES, ...(options.config ?? [])];
  return git(profile, folder.path, args, { ...options, env, config });
}

/** @throws {GitError} `ERR_MISSING_OBJECT`; `ERR_GIT_FAILED` unless git exits 0 and reports no error. */
export async function folderOutput(
  profile: Profile,
  folder: MergeFolder,
  args: readonly string[],
  options?: RunOptions,
): Promise<string> {
  const result = await folderGit(profile, folder, args, options);
  if (result.exitCode !== 0 || reportsError(result)) throw failedOrMissing(args, result);
  return result.stdout;
}

/** Git merges all the same where it cannot read a tree, as if it was empty: it only reports that. */
export function reportsError({ stderr }: GitResult): boolean {
  return /^(?:error|fatal): /mu.test(stderr);
}

/** Of a user who has `~/.config/git/attributes`, whichever settings are read. */
const NO_USER_ATTRIBUTES: ConfigPair = ["core.attributesFile", "/dev/null"];

/** Git knows them without an object. */
const EMPTY_TREE: Readonly<Record<Algorithm, string>> = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};

/** Tries until nobody else makes or moves the folder at the same time. */
function makeGood(folder: MergeFolder): void {
  const { path, algorithm, repository } = folder;
  const files = wantedFiles(algorithm, repository);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const found = stateOf(path, files);
    if (found === "good") return;
    if (found === "shallow") replaceShallow(path, files.get(SHALLOW));
    if (found === "foreign") moveIfThere(path, `${path}.left-${randomName()}`);
    if (found === "missing") make(path, files);
  }
  throw new GitError("ERR_GIT_FAILED", `${quoted(path)} is changed again and again`, { path });
}

const MOST_TRIES = 10;
const SHALLOW = "shallow";

/** Where history was cut off in the repository, it ends for us too. */
function wantedFiles(algorithm: Algorithm, { commonDir }: Repository): ReadonlyMap<string, Buffer> {
  const config = [
    ...["[core]", "bare = true", "repositoryFormatVersion = 1"],
    ...["[extensions]", `objectFormat = ${algorithm}`],
  ];
  const shallow = plainFile(join(commonDir, SHALLOW));
  return new Map([
    ["HEAD", Buffer.from("ref: refs/heads/none\n")],
    ["config", Buffer.from(`${config.join("\n")}\n`)],
    ...(shallow === undefined ? [] : ([[SHALLOW, shallow]] as const)),
  ]);
}

/** `shallow`: good but for what it says of where history is cut off. */
type FolderState = "good" | "shallow" | "foreign" | "missing";

function stateOf(path: string, files: ReadonlyMap<string, Buffer>): FolderState {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return "missing";
  if (!entry.isDirectory()) return "foreign";
  const names = new Set(entriesOf(path));
  const isOurs =
    [...names].every((name) => KNOWN.has(name)) &&
    FIXED.every((name) => isFileWith(join(path, name), files.get(name))) &&
    isEmptyFolder(join(path, "refs"));
  const found = plainFile(join(path, SHALLOW));
  if (!isOurs || (found === undefined && names.has(SHALLOW))) return "foreign";
  const wanted = files.get(SHALLOW);
  const isSame = wanted === undefined ? found === undefined : found?.equals(wanted) === true;
  return isSame ? "good" : "shallow";
}

const FIXED = ["HEAD", "config"] as const;
const KNOWN: ReadonlySet<string> = new Set([...FIXED, "refs", SHALLOW]);

function isEmptyFolder(path: string): boolean {
  const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder && entriesOf(path).length === 0;
}

function entriesOf(folder: string): readonly string[] {
  return unlessMoved(() => readdirSync(folder)) ?? [];
}

function isFileWith(path: string, bytes: Buffer | undefined): boolean {
  return bytes !== undefined && plainFile(path)?.equals(bytes) === true;
}

/** A pipe that stands in its place is not waited for. */
function plainFile(path: string): Buffer | undefined {
  const isFile = lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? unlessMoved(() => readFileSync(path)) : undefined;
}

function make(path: string, files: ReadonlyMap<string, Buffer>): void {
  const half = `${path}.${randomName()}.tmp`;
  makeFolders(join(half, "refs"));
  for (const [name, bytes] of files) writeFileSync(join(half, name), bytes);
  try {
    renameSync(half, path);
  } catch (error) {
    rmSync(half, { recursive: true, force: true });
    if (!hasCode(error, "ENOTEMPTY", "EEXIST")) throw error; // else somebody was quicker
  }
}

function replaceShallow(path: string, bytes: Buffer | undefined): void {
  const file = join(path, SHALLOW);
  if (bytes === undefined) return rmSync(file, { force: true });
  const half = `${path}.${randomName()}.tmp`;
  writeFileSync(half, bytes);
  unlessMoved(() => renameSync(half, file));
  rmSync(half, { force: true });
}

function moveIfThere(from: string, to: string): void {
  unlessMoved(() => renameSync(from, to));
}

function unlessMoved<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

function randomName(): string {
  return randomBytes(8).toString("hex");
}
