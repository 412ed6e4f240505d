import { lstatSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { type Content, readContents } from "./content.ts";
import type { SignalOptions } from "./head.ts";
import { git, gitFailed } from "./run.ts";
import { pathBytes } from "./tree-stream.ts";

export interface PutBackOptions extends SignalOptions {
  readonly algorithm: "sha1" | "sha256";
  /** Each path with what was seen of it. */
  readonly seen: readonly Content[];
}

/**
 * Makes paths what they are in HEAD, in the work tree and in the index. One that does not hold any more
 * what was seen of it stays as it is, and so does a folder, but for one in the place of a file that is empty once
 * its own files are gone. The user's filters run, git hooks do not.
 *
 * @param root - The top folder of the work tree.
 * @returns The paths that stay.
 * @throws {GitError} `ERR_SNAPSHOT_FAILED`, `ERR_GIT_FAILED`, `ERR_NOT_A_REPOSITORY`,
 *   `ERR_GIT_MISSING`; the signal's reason when aborted.
 */
export async function putBack(
  root: string,
  { algorithm, seen, signal }: PutBackOptions,
): Promise<readonly string[]> {
  const now = readContents(
    root,
    seen.map(({ path }) => path),
    algorithm,
  );
  const isSame = ({ mode, id }: Content, at: number): boolean =>
    mode === now[at]?.mode && id === now[at].id;
  const others = seen.filter((each, at) => !isSame(each, at)).map(({ path }) => path);
  const same = seen.filter(isSame);
  if (same.length === 0) return others;
  const committed = await filesAmong(root, pathsOf(same), signal);
  const theirs = same.filter(({ path, mode }) => !committed.has(path) && mode !== FOLDER);
  for (const { path, mode } of theirs) {
    // What is not there may be behind a link: nothing is to be removed there.
    if (mode !== NOTHING) rmSync(fileOf(root, path), { force: true });
  }
  await unstage(root, pathsOf(theirs), signal);
  const folders = same.filter(({ mode }) => mode === FOLDER);
  const stay = folders.filter(
    ({ path }) => !committed.has(path) || !removeEmpty(fileOf(root, path).toString("latin1")),
  );
  const ours = same.filter((each) => committed.has(each.path) && !stay.includes(each));
  if (ours.length > 0) {
    const args = ["restore", "--source=HEAD", "--staged", "--worktree", ...FROM_STDIN];
    await runOn(root, args, pathsOf(ours), signal);
  }
  return [...others, ...pathsOf(stay)];
}

const FOLDER = "160000";
const NOTHING = "000000";

function pathsOf(contents: readonly Content[]): readonly string[] {
  return contents.map(({ path }) => path);
}

function fileOf(root: string, path: string): Buffer {
  return pathBytes(root, Buffer.from(path).toString("latin1"));
}

/**
 * Removes a folder that holds nothing but empty folders.
 *
 * @param folder - Bytes, one a character.
 * @returns Whether it is gone.
 */
function removeEmpty(folder: string): boolean {
  const path = Buffer.from(folder, "latin1");
  const isEmpty = readdirSync(path, { encoding: "latin1" }).every((name) => {
    const within = `${folder}/${name}`;
    return lstatSync(Buffer.from(within, "latin1")).isDirectory() && removeEmpty(within);
  });
  if (isEmpty) rmdirSync(path);
  return isEmpty;
}

const FROM_STDIN = ["--pathspec-from-file=-", "--pathspec-file-nul"];
const LITERAL = { GIT_LITERAL_PATHSPECS: "1" };

/** Those that are files or links in HEAD. */
async function filesAmong(
  root: string,
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", "HEAD", "--"];
  const found = new Set<string>();
  for (let at = 0; at < paths.length; at += MOST_ARGUMENTS) {
    const some = paths.slice(at, at + MOST_ARGUMENTS);
    const result = await git("read", root, [...args, ...some], { signal, env: LITERAL });
    if (result.exitCode !== 0) throw gitFailed(args, result);
    for (const entry of result.stdout.split("\0").slice(0, -1)) {
      const [about = "", path = ""] = entry.split(/\t([^]*)/u);
      if (about.startsWith("100") || about.startsWith("120")) found.add(path);
    }
  }
  return found;
}

const MOST_ARGUMENTS = 500;

/** What is in the index only. */
async function unstage(
  root: string,
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  if (paths.length === 0) return;
  await runOn(root, ["update-index", "--force-remove", "-z", "--stdin"], paths, signal);
}

async function runOn(
  root: string,
  args: readonly string[],
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const input = `${paths.join("\0")}\0`;
  const result = await git("write", root, args, { signal, input, env: LITERAL });
  if (result.exitCode !== 0) throw gitFailed(args, result);
}
