import type { Repository, SignalOptions } from "@quasar/git";
import { listRefs } from "@quasar/git/snapshots";
import { shellWord } from "@quasar/runs/text";

const HEADS = "refs/heads/";

/** Names of all branches of a repository, without `refs/heads/`. */
export async function branchNames(
  { root }: Pick<Repository, "root">,
  options: SignalOptions = {},
): Promise<readonly string[]> {
  return (await listRefs(root, HEADS, options)).map(({ ref }) => ref.slice(HEADS.length));
}

/** Whether git has one of two branches only: a name is a folder of the other. */
export function excludes(one: string, other: string): boolean {
  return one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

/**
 * A name for a branch that makes room: no branch of `names` has or excludes it, and it does not exclude `room`.
 *
 * @param room - The branch that is to be made: that name, or one that it excludes.
 */
export function nameBeside(branch: string, room: string, names: readonly string[]): string {
  const folder = branch.startsWith(`${room}/`) ? room : branch;
  const rest = branch.slice(folder.length);
  // The branch itself is gone by then.
  const others = [room, ...names.filter((name) => name !== branch)];
  for (let n = 1; ; n += 1) {
    const name = `${folder}-before${n === 1 ? "" : `-${n}`}${rest}`;
    if (!others.some((other) => other === name || excludes(other, name))) return name;
  }
}

/** The command that renames a branch so that another one can be made. @param room - That one. @default the same name */
export async function moveBranchCommand(
  repository: Pick<Repository, "root">,
  branch: string,
  room = branch,
): Promise<string> {
  const free = nameBeside(branch, room, await branchNames(repository));
  return `git branch --move ${shellWord(branch)} ${shellWord(free)}`;
}
