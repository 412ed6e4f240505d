import { currentHead } from "@quasar/git";
import { isAncestor, refSha } from "@quasar/git/history";
import { isUnfinished, type NebulaState } from "@quasar/nebula";

/** Where the branch of a nebula that has ended stands: `open` where the person's own HEAD has not all of it. */
export type BranchStands = "open" | "merged" | "gone";

/** @param root - The person's work tree. */
export async function branchStands(root: string, state: NebulaState): Promise<BranchStands> {
  if (isUnfinished(state)) return "open";
  const tip = await refSha(root, `refs/heads/${state.branch}`);
  if (tip === undefined) return "gone";
  const { head } = await currentHead(root);
  return head !== "" && (await isAncestor(root, tip, head)) ? "merged" : "open";
}
