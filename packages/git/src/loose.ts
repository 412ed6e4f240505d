import { createHash } from "node:crypto";
import { lstatSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { isGone } from "./errors.ts";
import type { Repository } from "./repository.ts";

// What git keeps of refs and commits in files that are plain to read is read there, as freshly as git reads it, without
// a process. Of all else (packed objects, symbolic refs, refs kept in another way, damage) `undefined` has git asked.

type Folders = Pick<Repository, "commonDir">;

/**
 * What a ref names; `id` is `undefined` where there is no such ref.
 *
 * @param ref - `refs/…`, of those that all work trees share.
 * @see gitrepository-layout(5), "refs" and "packed-refs"
 */
export function plainRef(
  { commonDir }: Folders,
  ref: string,
): { readonly id: string | undefined } | undefined {
  return asFound(() => refIn(commonDir, ref));
}

function refIn(commonDir: string, ref: string): ReturnType<typeof plainRef> {
  const path = join(commonDir, ref);
  const id = /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?=\n$)/u.exec(textOf(path, MAX_REF) ?? "")?.[0];
  if (id !== undefined) return { id };
  if (!isKeptInFiles(commonDir) || entryAt(path) !== undefined) return undefined;
  return packedIn(commonDir)?.includes(` ${ref}\n`) === false ? { id: undefined } : undefined;
}

/** The commit that HEAD of a work tree names. */
export function plainHead({
  gitDir,
  commonDir,
}: Pick<Repository, "gitDir" | "commonDir">): string | undefined {
  const text = asFound(() => textOf(join(gitDir, "HEAD"), MAX_REF)) ?? "";
  const [, id, ref] =
    /^(?:([0-9a-f]{40}|[0-9a-f]{64})|ref: (refs\/heads\/\S+))\n$/u.exec(text) ?? [];
  return ref === undefined ? id : plainRef({ commonDir }, ref)?.id;
}

/** Whether it is plain to see that there are no refs below a folder of refs, `refs/…/`. */
export function hasPlainlyNoRefs({ commonDir }: Folders, prefix: string): boolean {
  return asFound(() => isKeptInFiles(commonDir) && isFolderFree(commonDir, prefix)) === true;
}

function isFolderFree(commonDir: string, prefix: string): boolean {
  if (entryAt(join(commonDir, prefix)) !== undefined) return false;
  return packedIn(commonDir)?.includes(` ${prefix}`) === false;
}

function isKeptInFiles(commonDir: string): boolean {
  return entryAt(join(commonDir, "refs/heads"))?.isDirectory() === true;
}

/** Look there last: git packs a ref before it removes the file. */
function packedIn(commonDir: string): string | undefined {
  const file = join(commonDir, "packed-refs");
  return entryAt(file) === undefined ? "" : textOf(file, MAX_PACKED);
}

const MAX_REF = 256;
const MAX_PACKED = 2 ** 24;

/** What is in a commit before its message. */
export interface LooseCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  /** When it was committed, in seconds since 1970; `undefined` where that is no plain number. */
  readonly atSeconds: number | undefined;
}

/** A commit, whole: its bytes are those of its id. */
export function looseCommit({ commonDir }: Folders, id: string): LooseCommit | undefined {
  const path = join(commonDir, "objects", id.slice(0, 2), id.slice(2));
  const object = asFound(() => inflated(plainFile(path, MAX_COMMIT)));
  if (object === undefined || digestOf(object, id) !== id) return undefined;
  const text = object.toString("latin1");
  if (!text.startsWith("commit ")) return undefined;
  const [header = ""] = text.slice(text.indexOf("\0") + 1).split("\n\n", 1);
  const lines = header.split("\n");
  const [, tree] = /^tree ([0-9a-f]+)$/u.exec(lines[0] ?? "") ?? [];
  if (tree === undefined) return undefined;
  const parents = lines.flatMap((line) => /^parent ([0-9a-f]+)$/u.exec(line)?.[1] ?? []);
  const committer = lines.find((line) => line.startsWith("committer ")) ?? "";
  const [, seconds] = /> (\d{1,12}) [+-]\d{4}$/u.exec(committer) ?? [];
  return { tree, parents, atSeconds: seconds === undefined ? undefined : Number(seconds) };
}

const MAX_COMMIT = 2 ** 20;

/** Whether a commit is in another one's past, or that one, by what a few commits in between say; `false`: not by them. */
export function isSeenBehind(folders: Folders, ancestor: string, descendant: string): boolean {
  const seen = new Set([descendant]);
  let read = 0;
  for (const id of seen) {
    const commit = read < MOST_READ ? looseCommit(folders, id) : undefined;
    if (id === ancestor) return commit !== undefined;
    read += 1;
    for (const parent of commit?.parents ?? []) seen.add(parent);
  }
  return false;
}

const MOST_READ = 32;
const SHA256_DIGITS = 64;

function digestOf(object: Buffer, id: string): string {
  const algorithm = id.length === SHA256_DIGITS ? "sha256" : "sha1";
  return createHash(algorithm).update(object).digest("hex");
}

function inflated(bytes: Buffer | undefined): Buffer | undefined {
  return bytes && inflateSync(bytes, { maxOutputLength: MAX_COMMIT });
}

function asFound<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined; // git says what is wrong with it
  }
}

function textOf(path: string, maxBytes: number): string | undefined {
  return plainFile(path, maxBytes)?.toString("latin1");
}

/** Follows no link, and waits for no pipe that stands in a file's place. */
function plainFile(path: string, maxBytes: number): Buffer | undefined {
  const stat = entryAt(path);
  if (stat?.isFile() !== true || stat.size > maxBytes) return undefined;
  return unlessGone(() => readFileSync(path));
}

function entryAt(path: string): Stats | undefined {
  return unlessGone(() => lstatSync(path));
}

function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
