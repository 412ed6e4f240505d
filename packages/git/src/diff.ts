import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SignalOptions } from "./head.ts";
import { openRepository } from "./repository.ts";
import { checkSha } from "./revision.ts";
import { gitOutput } from "./run.ts";

/** What differs between two trees, in git's own words. */
export interface Diff {
  /** `git diff --stat`: a line a file, and the sum; `""` where nothing differs. */
  readonly stat: string;
  /** Unified, with binary files as they are: two trees that differ have a text of their own. */
  readonly text: string;
  /** The bytes of `text`, as `git apply` takes them: of a file that is not in UTF-8 the text has not all. */
  readonly patch: Uint8Array;
}

const PLAIN = [
  "-r",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--no-renames",
  "--no-relative",
];
const WHOLE = ["--full-index", "--binary", "--src-prefix=a/", "--dst-prefix=b/"];

/** Paths as they are, whatever is in them. */
export function onlyPaths(paths: readonly string[] | undefined): readonly string[] {
  return (paths ?? []).map((path) => `:(top,literal)${path}`);
}

/**
 * The differences between two commits or trees. Nothing that the repository names is started, and none
 * of its attributes is heard: a file is binary by its bytes, not because the repository calls it so.
 *
 * @param from - Full id of a commit or a tree, as `to`.
 * @param paths - Only of these files, from the root. All of them by default.
 * @throws {GitError} `ERR_BAD_REVISION` unless they are; `ERR_FOREIGN_WORK_TREE`,
 *   `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`, also where one of them is missing; the
 *   signal's reason when aborted.
 */
export async function diffTrees(
  workTree: string,
  from: string,
  to: string,
  { paths, ...options }: SignalOptions & { readonly paths?: readonly string[] | undefined } = {},
): Promise<Diff> {
  const trees = [checkSha(from), checkSha(to), "--", ...onlyPaths(paths)];
  const { commonDir } = await openRepository(workTree, options);
  const bare = bareRepository(from.length === 64 ? "sha256" : "sha1");
  try {
    const env = {
      GIT_DIR: bare,
      GIT_OBJECT_DIRECTORY: join(commonDir, "objects"),
      GIT_ATTR_NOSYSTEM: "1",
    };
    const config = [["core.attributesFile", "/dev/null"]] as const;
    const ask = (...form: string[]): Promise<string> => {
      const args = ["diff-tree", ...PLAIN, ...form, ...trees];
      return gitOutput("read", bare, args, { ...options, env, config, encoding: "latin1" });
    };
    const [stat, text] = await Promise.all([ask("--stat=100"), ask("--patch", ...WHOLE)]);
    const [files, patch] = [Buffer.from(stat, "latin1"), Buffer.from(text, "latin1")];
    return { stat: files.toString(), text: patch.toString(), patch };
  } finally {
    rmSync(bare, { recursive: true, force: true });
  }
}

/**
 * An empty one, to look at another's objects from: without work tree, index and `info/attributes`,
 * which would all have a say in what is shown.
 */
function bareRepository(algorithm: "sha1" | "sha256"): string {
  const dir = mkdtempSync(join(tmpdir(), "quasar-diff-"));
  mkdirSync(join(dir, "refs"));
  writeFileSync(join(dir, "HEAD"), "ref: refs/heads/none\n");
  const format = `[extensions]\n\tobjectFormat = ${algorithm}\n`;
  writeFileSync(
    join(dir, "config"),
    `[core]\n\tbare = true\n\trepositoryFormatVersion = 1\n${format}`,
  );
  return dir;
}
