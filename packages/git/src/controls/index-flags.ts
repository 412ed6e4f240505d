import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { hiddenPaths } from "../hidden.ts";
import type { SignalOptions } from "../head.ts";
import { ASSUMED, parseFlags, SKIPPED } from "../parse-index.ts";
import { different } from "./changes.ts";
import { git, gitOutput } from "../run.ts";
import type { Repository } from "../repository.ts";
import { readable } from "./digest.ts";

const HIDDEN = "hidden from git";

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
    parseFlags(index) ??
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
