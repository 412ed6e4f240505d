import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { dirtyPaths } from "@quasar/git";
import { unpushedSubmodules } from "@quasar/git/landing";
import { shellWord } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";

/**
 * Refuses to remove a work tree with commits that no ref of the repository can hold: those of a repository within it, and
 * those of a submodule that no remote has.
 *
 * @param path - Absolute, of a nebula's work tree, whether it is there or not.
 * @throws {NebulaError} `ERR_BRANCH`, with what saves the commits and what gives them up; `GitError`
 */
export async function requireSaved(path: string): Promise<void> {
  if (!existsSync(join(path, ".git"))) return;
  const [submodule] = await unpushedSubmodules(path);
  if (submodule !== undefined) {
    throw onlyCopy(path, `no remote has the commit of its submodule ${submodule}`, [
      { shell: pushOf(path, submodule), note: "saves it" },
    ]);
  }
  const nested = (await dirtyPaths(path)).find((each) => each.path.endsWith("/"));
  if (nested === undefined) return;
  throw onlyCopy(path, `${join(path, nested.path)} is a repository, which nothing keeps`);
}

function onlyCopy(path: string, why: string, next: NebulaError["next"] = []): NebulaError {
  const gone = { shell: `git worktree remove --force ${shellWord(path)}`, note: "gives it up" };
  return new NebulaError("ERR_BRANCH", `the work tree ${path} stays: ${why}`, {
    next: [...next, gone],
  });
}

/** Pushes HEAD and all branches of a submodule under names that nobody else has. */
function pushOf(path: string, submodule: string): string {
  const to = `refs/heads/kept/${basename(dirname(path))}/${basename(path)}`;
  const refspecs = [`HEAD:${to}/head`, `refs/heads/*:${to}/*`].map(shellWord);
  return `git -C ${shellWord(join(path, submodule))} push origin ${refspecs.join(" ")}`;
}
