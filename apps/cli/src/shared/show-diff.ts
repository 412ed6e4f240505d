import { countChanges, diffTrees } from "@quasar/git/history";
import { jsonLine } from "@quasar/runs/text";
import { EXIT } from "./exit-codes.ts";
import { result } from "./output/json.ts";
import { ALL_FILES, fileLines } from "./output/changes.ts";
import { diffLines } from "./output/diff.ts";
import { writePaged } from "./output/pager.ts";
import { viewOf, write } from "./output/reporter.ts";
import type { DiffLine } from "./schemas/diff.ts";

/** Two trees or commits of a repository. */
export interface Span {
  /** Any folder of a work tree of it. */
  readonly root: string;
  readonly from: string;
  readonly to: string;
  /** Only these files. @default all of them */
  readonly paths?: readonly string[] | undefined;
}

export interface ShowDiffOptions {
  /** Whose change it is, for `--json`. */
  readonly of: Pick<DiffLine, "runId" | "taskId" | "phaseId">;
  /** Only which files, and how much. */
  readonly stat?: true | undefined;
  readonly json?: true | undefined;
}

/**
 * Prints what differs: on a terminal for reading, paged; elsewhere as a patch that `git apply` takes.
 *
 * @throws {GitError} as `diffTrees`.
 */
export async function showDiff(span: Span, { of, stat, json }: ShowDiffOptions): Promise<void> {
  const { facts, lines, patch } = stat === true ? await filesOf(span) : await textOf(span);
  const { stdout, stderr } = process;
  if (json === true) {
    const { from: fromSha, to: toSha } = span;
    const line = result("diff", { ...of, fromSha, toSha, ...facts }, EXIT.ok) satisfies DiffLine;
    stdout.write(jsonLine(line));
  } else if (patch === undefined || stdout.isTTY) {
    await writePaged(lines);
  } else if (patch.length === 0) {
    write(stderr, lines);
  } else {
    stdout.write(patch);
  }
}

interface Shown {
  readonly facts: Pick<DiffLine, "files" | "stat" | "text">;
  readonly lines: readonly string[];
  readonly patch?: Uint8Array | undefined;
}

async function filesOf({ root, from, to, paths }: Span): Promise<Shown> {
  const files = await countChanges(root, from, to, { paths });
  const lines = files.length === 0 ? ["nothing has changed"] : fileLines(files, ALL_FILES);
  return { facts: { files }, lines };
}

async function textOf({ root, from, to, paths }: Span): Promise<Shown> {
  const { patch, ...diff } = await diffTrees(root, from, to, { paths });
  return { facts: diff, lines: diffLines(diff, viewOf(process.stdout).paint), patch };
}
