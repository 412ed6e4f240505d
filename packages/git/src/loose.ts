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
  const isKeptInFiles = entryAt(join(commonDir, "refs/heads"))?.isDirectory() === true;
  if (!isKeptInFiles || entryAt(path) !== undefined) return undefined;
  // In this order: git packs a ref before it removes the file.
  const file = join(commonDir, "packed-refs");
  const packed = entryAt(file) === undefined ? "" : textOf(file, MAX_PACKED);
  return packed === undefined || packed.includes(` ${ref}\n`) ? undefined : { id: undefined };
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
