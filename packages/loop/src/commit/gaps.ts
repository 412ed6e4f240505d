import type { Landed } from "@quasar/git/gaps";
import { hiddenWork, outsideRules } from "./protected.ts";
import type { Run } from "../run.ts";
import { listPaths } from "./untouchable.ts";
import { nestedRepositories, notHeld, seenOf } from "../repository/work-tree.ts";

/**
 * What looks committed and is not, in words for the coder: a repository within that became a link, a
 * folder that git cannot look into, a submodule with changed files, a file that is hidden from git or
 * that rules outside of the commits ignore. `""` where there is nothing of the kind.
 *
 * @see SPEC.md, "What a commit cannot hold"
 */
export async function commitGaps(run: Run, { links }: Landed): Promise<string> {
  const { repository } = run.ports;
  if (repository === undefined) return "";
  const seen = await seenOf(run, repository);
  const [hidden, ignored] = await Promise.all([
    hiddenWork(run, repository),
    outsideRules(run, repository, seen),
  ]);
  const submodules = links.length === 0 ? new Set() : repository.submodulePaths();
  const gaps: readonly Gap[] = [
    [nestedRepositories(run, seen), NESTED],
    [links.filter((path) => !submodules.has(path)), LINKED],
    [notHeld(run, seen.unread), UNREAD],
    [notHeld(run, seen.submodules), SUBMODULES],
    [hidden, HIDDEN],
    [ignored, IGNORED],
  ];
  return gaps
    .filter(([paths]) => paths.length > 0)
    .map(([paths, [what, advice]]) => `${what}: ${listPaths(paths).join(", ")}. ${advice}`)
    .join("\n");
}

type Gap = readonly [paths: readonly string[], words: readonly [what: string, advice: string]];

const NESTED = [
  "These folders are git repositories of their own, so their files are not committed",
  "Remove their .git, or add them as submodules.",
] as const;
const LINKED = [
  "These folders are committed as links to other repositories, without their files",
  "Remove their .git and run git rm --cached on them, or add them as submodules.",
] as const;
const UNREAD = [
  "Git cannot look into these folders, so nothing in them is committed",
  "Make them readable, and their paths shorter than 4096 bytes.",
] as const;
const SUBMODULES = [
  "These submodules have changed files, which no commit of this repository holds",
  "Undo the changes there, or commit them in the submodule.",
] as const;
const HIDDEN = [
  "Git is set to ignore changes of these files (assume-unchanged, skip-worktree), so their changes are not committed",
  "Undo the changes, or run git update-index --no-assume-unchanged and --no-skip-worktree on them.",
] as const;
const IGNORED = [
  "Rules that no commit holds (.git/info, core.excludesFile, core.attributesFile, ~/.config/git) have changed, so these files are not committed as they are",
  "Take the rules back. What is to be ignored belongs into .gitignore, attributes into .gitattributes.",
] as const;
