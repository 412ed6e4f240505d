import type { Repository } from "@quasar/git";
import { previousBranch } from "@quasar/git/internal";
import { type WorkTreeOn, workTreesOn } from "@quasar/git/landing";
import { shellWord } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import type { Engine } from "../context/context.ts";

/** What keeps phases from landing. */
export interface LaneObstacle {
  readonly message: string;
  /** The command that gets nearer to removing it. */
  readonly shell: string;
}

/** Where a branch is, and until when that is asked. */
interface Where {
  readonly repository: Repository;
  readonly branch: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Why nothing may land now: a work tree has the branch checked out, whose files would then differ from it without
 * anybody having touched them. `undefined`: nothing is in the way.
 */
export async function findLaneObstacle({
  repository,
  branch,
  signal,
}: Where): Promise<LaneObstacle | undefined> {
  const [tree] = await workTreesOn(repository, branch, { signal });
  if (tree === undefined) return undefined;
  const before =
    tree.use === "checked-out" ? await freeBefore(repository, tree, signal) : undefined;
  return { message: branchInUse(branch, tree), shell: leavesBranch(tree, before) };
}

/** The same for an engine, with the command. */
export async function laneObstacle(engine: Engine): Promise<string | undefined> {
  const { repository, store, signal } = engine;
  const { branch } = store.current;
  const found = await findLaneObstacle({ repository, branch, signal });
  return found && `${found.message}:\n${found.shell}`;
}

/** Refuses to move the branch where that cannot wait for the lane. @throws {NebulaError} `ERR_BRANCH` */
export async function requireFreeLane(engine: Engine): Promise<void> {
  const obstacle = await laneObstacle(engine);
  if (obstacle !== undefined) throw new NebulaError("ERR_BRANCH", obstacle);
}

/** Why nothing lands on a branch that a work tree uses, with the command that ends that. */
export function branchObstacle(branch: string, tree: WorkTreeOn): string {
  return `${branchInUse(branch, tree)}:\n${leavesBranch(tree)}`;
}

function branchInUse(branch: string, { path, use }: WorkTreeOn): string {
  const what = use === "checked-out" ? "is checked out" : `is in a ${use}`;
  return `nothing lands while ${branch} ${what} in ${path}`;
}

/**
 * The command by which a work tree gets nearer to leaving the branch. What a rebase makes of it has no landing any more.
 *
 * @param before - The branch that it can be on instead. @default none
 */
export function leavesBranch({ path, use }: WorkTreeOn, before?: string): string {
  const leaves = before === undefined ? LEAVES[use] : `switch ${shellWord(before)}`;
  return `git -C ${shellWord(path)} ${leaves}`;
}

const LEAVES = {
  "checked-out": "switch --detach",
  rebase: "rebase --abort",
  bisect: "bisect reset",
} as const;

/** The branch that a work tree was on before, where no other one has that by now. */
async function freeBefore(
  repository: Repository,
  { path }: WorkTreeOn,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const before = await previousBranch(path, { signal });
  if (before === undefined || before.startsWith("-")) return undefined;
  return (await workTreesOn(repository, before, { signal })).length === 0 ? before : undefined;
}
