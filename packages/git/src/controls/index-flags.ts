import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { hiddenPaths } from "../hidden.ts";
import type { SignalOptions } from "../head.ts";
import { different } from "./changes.ts";
import { git, gitOutput } from "../run.ts";
import type { Repository } from "../repository.ts";
import { readable } from "./digest.ts";

const ASSUMED = "assume-unchanged";
/** As all files are outside of a sparse checkout. */
export const SKIPPED = "skip-worktree";
const HIDDEN = "hidden from git";

/** How long the ids of objects are, in bytes. */
const [SHA1, SHA256] = [20, 32];

export type Flags = Readonly<Record<string, string>>;

/**
 * Paths that git was told not to look at, with how. Read from the index itself, without a git process, and again only
 * when that has changed; git is asked where the index is split.
 *
 * @see gitformat-index(5)
 */
export function openIndexFlags(
  { root, gitDir }: Repository,
  options: SignalOptions,
): () => Promise<Flags> {
  const file = join(gitDir, "index");
  let last: { readonly stamp: string; readonly flags: Flags } | undefined;
  return async () => {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    const stamp =
      stat === undefined ? "" : [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join();
    if (last?.stamp !== stamp) last = { stamp, flags: await readFlags(root, file, options) };
    return last.flags;
  };
}

async function readFlags(root: string, file: string, options: SignalOptions): Promise<Flags> {
  const index = readable(() => readFileSync(file));
  if (typeof index !== "object") return {};
  const found =
    parseFlags(index, SHA1) ??
    parseFlags(index, SHA256) ??
    [...(await hiddenPaths(root, options))].map((path) => [path, HIDDEN] as const);
  const utf8 = (path: string): string => Buffer.from(path, "latin1").toString("utf8");
  return Object.fromEntries(found.map(([path, how]) => [utf8(path), how]));
}

/**
 * Makes the flags of the index what they were.
 *
 * @returns The paths of which they were others.
 * @throws {GitError} `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function restoreFlags(
  root: string,
  { was, is }: { readonly was: Flags; readonly is: Flags },
  options: SignalOptions,
): Promise<readonly string[]> {
  const [before, now] = [new Map(Object.entries(was)), new Map(Object.entries(is))];
  const paths = different(was, is).map(([path]) => path);
  for (const flag of [ASSUMED, SKIPPED]) {
    const has = (flags: ReadonlyMap<string, string>, path: string): boolean =>
      [HIDDEN, flag].some((each) => flags.get(path)?.includes(each));
    const toTakeOff = paths.filter((path) => !has(before, path) && has(now, path));
    if (toTakeOff.length > 0) {
      const input = toTakeOff.map((path) => `${path}\0`).join("");
      const args = ["update-index", `--no-${flag}`, "-z", "--stdin"];
      await gitOutput("keep", root, args, { ...options, input });
    }
    for (const path of paths.filter((path) => has(before, path) && !has(now, path))) {
      // One that is not in the index any more has no flags.
      await git("keep", root, ["update-index", `--${flag}`, "--", path], options);
    }
  }
  return paths;
}

const HEADER = 12;
/** Times, device, inode, mode, owner and size. */
const STAT = 40;

/**
 * @param idBytes - How long an object's id is.
 * @returns `undefined` for what is no whole index with ids of that length, or only a part of one.
 */
export function parseFlags(
  index: Buffer,
  idBytes: number,
): readonly (readonly [path: string, how: string])[] | undefined {
  if (index.length < HEADER + idBytes || index.toString("latin1", 0, 4) !== "DIRC")
    return undefined;
  const version = index.readUInt32BE(4);
  const end = index.length - idBytes;
  if (version < 2 || version > 4) return undefined;
  const flags: [string, string][] = [];
  let at = HEADER;
  let path = "";
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const start = at;
    at += STAT + idBytes;
    if (at + 4 > end) return undefined;
    const word = index.readUInt16BE(at);
    at += 2;
    const isExtended = (word & 0x4000) !== 0;
    const more = isExtended ? index.readUInt16BE(at) : 0;
    if (isExtended) at += 2;
    let kept = "";
    if (version === 4) {
      // How much of the path before is left out, in a number of git's of variable length.
      let byte = index[at++] ?? 0;
      let cut = byte & 0x7f;
      while ((byte & 0x80) !== 0) {
        byte = index[at++] ?? 0;
        cut = ((cut + 1) << 7) | (byte & 0x7f);
      }
      kept = path.slice(0, path.length - cut);
    }
    const nul = index.indexOf(0, at);
    if (nul < 0 || nul >= end) return undefined;
    path = kept + index.toString("latin1", at, nul);
    at = version === 4 ? nul + 1 : start + ((nul - start + 8) & ~7);
    const how = [(word & 0x8000) !== 0 && ASSUMED, (more & 0x4000) !== 0 && SKIPPED];
    const said = how.filter((each) => each !== false).join(", ");
    if (said !== "") flags.push([path, said]);
  }
  return endsWell(index, at, end) ? flags : undefined;
}

/** What follows are extensions: the sum of their lengths says that the entries were read right. */
function endsWell(index: Buffer, from: number, end: number): boolean {
  let at = from;
  while (at + 8 <= end) {
    // The entries are in another file, too.
    if (index.toString("latin1", at, at + 4) === "link") return false;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at === end;
}
