import { type WorkTreeOn, workTreesOn } from "@quasar/git/landing";
import { shellWord } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import type { Engine } from "../context/context.ts";

/**
 * Why nothing may land now: a work tree has the branch checked out, whose files would then differ from it without
 * anybody having touched them. `undefined`: nothing is in the way.
 */
export async function laneObstacle(engine: Engine): Promise<string | undefined> {
  const { repository, store, signal } = engine;
  const { branch } = store.current;
  const [tree] = await workTreesOn(repository, branch, { signal });
  return tree && branchObstacle(branch, tree);
}

/** Refuses to move the branch where that cannot wait for the lane. @throws {NebulaError} `ERR_BRANCH` */
export async function requireFreeLane(engine: Engine): Promise<void> {
  const obstacle = await laneObstacle(engine);
  if (obstacle !== undefined) throw new NebulaError("ERR_BRANCH", obstacle);
}

/** Why nothing lands on a branch that a work tree uses. */
export function branchObstacle(branch: string, tree: WorkTreeOn): string {
  const { path, use } = tree;
  const what = use === "checked-out" ? "is checked out" : `is in a ${use}`;
  return `nothing lands while ${branch} ${what} in ${path}: ${leavesBranch(tree)}`;
}

/** The command by which a work tree gets nearer to leaving the branch. What a rebase makes of it has no landing any more. */
export function leavesBranch({ path, use }: WorkTreeOn): string {
  return `git -C ${shellWord(path)} ${LEAVES[use]}`;
}

const LEAVES = {
  "checked-out": "switch --detach",
  rebase: "rebase --abort",
  bisect: "bisect reset",
} as const;
