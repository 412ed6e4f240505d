import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { nearestGitEntry } from "./discovery.ts";
import { git, type GitResult, type RunOptions } from "./run.ts";

export interface Staging {
  /** Paths that differ from the index, as `status` lists them. */
  readonly changed: readonly string[];
  /** Literal paths of files and folders that are left as they are in the index; none of them is `changed`. */
  readonly excluded: readonly string[];
  readonly run: RunOptions;
}

/** Of more, git looks for each in all that it knows: then it is quicker to have it look at all files. */
const FEW_PATHS = 100;

/** What git says of a name that is no more what `status` has listed, in the words of `LC_ALL=C`. */
const NAMED_IN_VAIN =
  /did not match any file|beyond a symbolic link|ignored by one of your|outside of your sparse-checkout/u;

/**
 * Stages what has changed: where that is little, by name, so that git looks at no other file. Starts one git
 * process, two where a file has meanwhile become another thing. Where there are submodules all is checked: a
 * repository's settings may keep one out of `status`, not out of a commit.
 */
export async function stage(
  workTree: string,
  { changed, excluded, run }: Staging,
): Promise<GitResult> {
  const holdsExcluded = (path: string): boolean =>
    excluded.some((each) => each.startsWith(`${path}/`));
  const isFew = changed.length > 0 && changed.length <= FEW_PATHS;
  const areNamed = isFew && changed.every((path) => canBeNamed(path) && !holdsExcluded(path));
  if (areNamed && !(await mayHaveSubmodules(workTree))) {
    const named = changed.map((path) => `:(top,literal)${path}`);
    const added = await git("write", workTree, ["add", "-A", "--", ...named], run);
    if (added.exitCode === 0 || !NAMED_IN_VAIN.test(added.stderr)) return added;
  }
  const others = excluded.flatMap(excluding);
  return git("write", workTree, ["add", "-A", "--", ":/", ...others], run);
}

async function mayHaveSubmodules(workTree: string): Promise<boolean> {
  const entry = await nearestGitEntry(workTree, process.env);
  return entry === undefined || existsSync(join(dirname(entry), ".gitmodules"));
}

/** Not bytes that are no UTF-8; nor a repository within, which git looks into by its name; nor where submodules were. */
function canBeNamed(path: string): boolean {
  return !path.includes("\ufffd") && !path.endsWith("/") && path !== ".gitmodules";
}

/**
 * The pathspecs that leave out a path as `status` has told it. Bytes that are no UTF-8 cannot be passed
 * on: whatever stands in their place is left out, if it begins with what is no plain ASCII.
 */
export function excluding(path: string): readonly string[] {
  if (!path.includes("\ufffd")) return [`:(top,literal,exclude)${path}`];
  const pattern = path.replaceAll(/[\\*?[\]]/g, "\\$&").replaceAll(/\ufffd+/g, "[^ -~]*");
  return [`:(top,glob,exclude)${pattern}`, `:(top,glob,exclude)${pattern}/**`];
}
