import { refSha } from "@quasar/git/history";
import { listNebulae } from "@quasar/nebula";
import { canRetry, moveBranchCommand } from "@quasar/nebula/internal";
import type { NebulaSpec } from "@quasar/nebula/spec";
import type { Workspace } from "@quasar/runs";
import { shellWord } from "@quasar/runs/text";
import { withRemark } from "../../shared/remark.ts";

/** What begins it: anew, where one of the same folder has ended; after somebody's branch of that name has made room. */
export async function beginSteps(
  { repositoryId, root }: Workspace,
  {
    spec,
    dir,
    named,
    branch,
  }: {
    readonly spec: NebulaSpec;
    readonly dir: string;
    readonly named: string;
    readonly branch: string;
  },
): Promise<readonly string[]> {
  if (spec.phases.length === 0) return [];
  const ended = listNebulae(repositoryId).find(
    (state) => state.dir === dir && state.archivedFrom === "",
  );
  const apply = `quasar nebula apply ${shellWord(named)} --auto`;
  if (ended !== undefined) {
    const status = `quasar nebula status ${ended.id}`;
    const retry = withRemark(status, "how to retry what failed of the last one");
    return [...(canRetry(ended) ? [retry] : []), `${apply} --fresh`];
  }
  const isTaken = (await refSha(root, `refs/heads/${branch}`)) !== undefined;
  return isTaken ? [await moveBranchCommand({ root }, branch), apply] : [apply];
}
