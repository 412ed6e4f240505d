import { rmSync } from "node:fs";
import { type Content, readContents } from "./content.ts";
import type { SignalOptions } from "./head.ts";
import { git, gitFailed } from "./run.ts";
import { pathBytes } from "./tree-stream.ts";

export interface PutBackOptions extends SignalOptions {
  /** The top folder of the work tree. */
  readonly root: string;
  readonly algorithm: "sha1" | "sha256";
  /** Each path with what was seen of it. */
  readonly seen: readonly Content[];
}

/**
 * Makes paths what they are in HEAD, in the work tree and in the index. One that does not hold any more
 * what was seen of it stays as it is, and so does a folder. The user's filters run, git hooks do not.
 *
 * @returns The paths that stay.
 * @throws {GitError} `ERR_SNAPSHOT_FAILED`, `ERR_GIT_FAILED`, `ERR_NOT_A_REPOSITORY`,
 *   `ERR_GIT_MISSING`; the signal's reason when aborted.
 * @see SPEC.md, "Putting back"
 */
export async function putBack(
  workDir: string,
  { root, algorithm, seen, signal }: PutBackOptions,
): Promise<readonly string[]> {
  const now = readContents(
    root,
    seen.map(({ path }) => path),
    algorithm,
  );
  const isSame = ({ mode, id }: Content, at: number): boolean =>
    mode !== "160000" && mode === now[at]?.mode && id === now[at].id;
  const same = seen.filter(isSame).map(({ path }) => path);
  const others = seen.filter((each, at) => !isSame(each, at)).map(({ path }) => path);
  if (same.length === 0) return others;
  const committed = await committedAmong(root, same, signal);
  const [theirs, ours] = [
    same.filter((path) => !committed.has(path)),
    same.filter((path) => committed.has(path)),
  ];
  for (const path of theirs) {
    rmSync(pathBytes(root, Buffer.from(path).toString("latin1")), { force: true });
  }
  await unstage(root, theirs, signal);
  if (ours.length > 0) {
    const args = ["restore", "--source=HEAD", "--staged", "--worktree", ...FROM_STDIN];
    await runOn(root, args, ours, signal);
  }
  return others;
}

const FROM_STDIN = ["--pathspec-from-file=-", "--pathspec-file-nul"];
const LITERAL = { GIT_LITERAL_PATHSPECS: "1" };

async function committedAmong(
  root: string,
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD", "--"];
  const found = new Set<string>();
  for (let at = 0; at < paths.length; at += MOST_ARGUMENTS) {
    const some = paths.slice(at, at + MOST_ARGUMENTS);
    const result = await git("read", root, [...args, ...some], { signal, env: LITERAL });
    if (result.exitCode !== 0) throw gitFailed(args, result);
    for (const path of result.stdout.split("\0")) if (path !== "") found.add(path);
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
  await runOn(
    root,
    ["rm", "--cached", "--quiet", "--ignore-unmatch", ...FROM_STDIN],
    paths,
    signal,
  );
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
