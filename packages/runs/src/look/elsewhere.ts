import { existsSync } from "node:fs";
import { join } from "node:path";
import { gitDirAt } from "@quasar/git/internal";
import { listWorktrees } from "@quasar/git/work-trees";
import type { NextStep } from "../next-step.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import { ownBranch } from "../work-tree.ts";
import { openRunIds, runIds, summaries } from "./list.ts";
import { isUnfinished, type RunStatus } from "./summary.ts";

/** A run in another work tree of the same repository. */
export interface RunElsewhere {
  readonly id: string;
  readonly status: RunStatus;
  /** The top folder of its work tree. */
  readonly root: string;
  /** What resumes it, or shows one that has ended. */
  readonly next: NextStep;
}

/**
 * The unfinished runs of a repository's other work trees, newest first, and those that have ended in a tree that was
 * made for them. A tree that cannot be read has none.
 */
export async function runsElsewhere({ root }: Workspace): Promise<readonly RunElsewhere[]> {
  const trees = (await listWorktrees(root)).filter(({ path }) => path !== root);
  const found = await Promise.all(trees.map((tree) => runsIn(tree).catch(() => [])));
  return found.flat().toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

type Tree = Awaited<ReturnType<typeof listWorktrees>>[number];

async function runsIn({ path, branch }: Tree): Promise<readonly RunElsewhere[]> {
  // Most trees of a repository never had a run: git is asked about the others only.
  const gitDir = await gitDirAt(path);
  if (gitDir === undefined || !existsSync(join(gitDir, "quasar", "runs"))) return [];
  const workspace = await openWorkspace(path);
  const { root } = workspace;
  const found: RunElsewhere[] = [];
  const own = runIds(workspace).filter((id) => ownBranch(id) === branch);
  const ids = new Set([...own, ...openRunIds(workspace)]);
  for await (const { id, status, next } of summaries(workspace, [...ids])) {
    const [step] = isUnfinished({ status }) ? next : [];
    if (isUnfinished({ status }) || own.includes(id)) {
      found.push({
        id,
        status,
        root,
        next: { ...(step ?? { do: "show", runId: id }), workTree: root },
      });
    }
  }
  return found;
}
