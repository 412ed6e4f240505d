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

/**
 * Stages what has changed: where that is little, by name, so that git looks at no other file. Starts one git
 * process, two where a file has gone meanwhile.
 */
export async function stage(root: string, { changed, excluded, run }: Staging): Promise<GitResult> {
  const holdsExcluded = (path: string): boolean =>
    excluded.some((each) => each.startsWith(`${path}/`));
  const isFew = changed.length > 0 && changed.length <= FEW_PATHS;
  if (isFew && changed.every((path) => canBeNamed(path) && !holdsExcluded(path))) {
    const named = changed.map((path) => `:(top,literal)${path}`);
    const added = await git("write", root, ["add", "-A", "--", ...named], run);
    if (added.exitCode === 0) return added;
  }
  const others = excluded.flatMap(excluding);
  return git("write", root, ["add", "-A", "--", ":/", ...others], run);
}

/** Not bytes that are no UTF-8; nor a repository within, which git looks into by its name. */
function canBeNamed(path: string): boolean {
  return !path.includes("\ufffd") && !path.endsWith("/");
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
