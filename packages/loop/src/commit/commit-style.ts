import type { CommitStyle } from "@quasar/checkpoint";
import type { CommitWords } from "../options.ts";
import type { LoopRepository } from "../repository/repository.ts";

/** How the commits of a new run are worded. */
export async function newCommitStyle(
  { style = "seed" }: CommitWords = {},
  repository: LoopRepository | undefined,
): Promise<CommitStyle> {
  if (style !== "auto") return style;
  return (await repository?.usesConventionalCommits()) === true ? "conventional" : "plain";
}

/** How those of a run that is resumed are: as they were, unless the caller says a style. */
export function keptCommitStyle(stored: CommitStyle, { style }: CommitWords = {}): CommitStyle {
  return style === undefined || style === "auto" ? stored : style;
}
