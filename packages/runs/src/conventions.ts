import { join } from "node:path";
import { createOnce, readWholeFile } from "@quasar/durable";
import { GitError } from "@quasar/git";
import { type Conventions, readConventions } from "@quasar/loop/internal";
import { makeFolders } from "@quasar/process/files";

/** 64 KiB of files, and their names. */
const MAX_BYTES = 128 * 1024;

export interface ConventionsOptions {
  /** Of the run or the task: what was read once is kept in it. */
  readonly dir: string;
  readonly workTree: string;
  /** The commit that the work began at; `""` where there was none. */
  readonly commit: string;
  /** What was read of that commit just before. @default it is read */
  readonly read?: Conventions | undefined;
  readonly warn: (message: string) => void;
}

/**
 * What the repository asks of agents, as it was when the work began: a resume has the same. Where the commit
 * has gone before it was read, nothing.
 */
export async function conventionsOf(options: ConventionsOptions): Promise<string> {
  const { dir, workTree, commit, read, warn } = options;
  const kept = keptConventions(dir);
  if (kept !== undefined) return kept;
  try {
    const { text, left } = read ?? (await readConventions(workTree, commit));
    if (left.length > 0) warn(`not given to agents: ${left.join(", ")}`);
    makeFolders(dir);
    createOnce(pathIn(dir), Buffer.from(text));
    return text;
  } catch (error) {
    if (!(error instanceof GitError && error.code === "ERR_BAD_REVISION")) throw error;
    warn(`CLAUDE.md and AGENTS.md cannot be read: ${error.message}`);
    return "";
  }
}

/** What a run or a task keeps of them; `undefined` before they were read. */
export function keptConventions(dir: string): string | undefined {
  const kept = readWholeFile(pathIn(dir), { maxBytes: MAX_BYTES });
  return kept && Buffer.from(kept).toString();
}

const pathIn = (dir: string): string => join(dir, "conventions.md");
