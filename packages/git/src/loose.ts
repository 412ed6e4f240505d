import { createHash } from "node:crypto";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { algorithmOfId } from "./blob.ts";
import { entryAt, plainFile } from "./plain-file.ts";
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

/** What HEAD of a work tree says: the id of a commit, or a branch, `refs/heads/…`. */
export function headIn(
  gitDir: string,
): { readonly id: string; readonly ref?: never } | { readonly ref: string } | undefined {
  const text = asFound(() => textOf(join(gitDir, "HEAD"), MAX_REF)) ?? "";
  const [, id, ref] =
    /^(?:([0-9a-f]{40}|[0-9a-f]{64})|ref: (refs\/heads\/\S+))\n$/u.exec(text) ?? [];
  if (id !== undefined) return { id };
  return ref === undefined ? undefined : { ref };
}

/** The commit that HEAD of a work tree names. */
export function plainHead({
  gitDir,
  commonDir,
}: Pick<Repository, "gitDir" | "commonDir">): string | undefined {
  const head = headIn(gitDir);
  if (head?.ref === undefined) return head?.id;
  return plainRef({ commonDir }, head.ref)?.id;
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

function digestOf(object: Buffer, id: string): string {
  return createHash(algorithmOfId(id)).update(object).digest("hex");
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
