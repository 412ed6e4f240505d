import { existsSync } from "node:fs";
import { join } from "node:path";
import { gitDirAt } from "@quasar/git/internal";
import { listWorktrees } from "@quasar/git/work-trees";
import { shellWord } from "../text/format.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import { openRunIds, summaries } from "./list.ts";
import { isUnfinished } from "./summary.ts";

/** An unfinished run in another work tree of the same repository. */
export interface RunElsewhere {
  readonly id: string;
  /** The top folder of its work tree. */
  readonly root: string;
  /** The command that resumes it from any folder. */
  readonly command: string;
}

/** The unfinished runs of a repository's other work trees, newest first. A tree that cannot be read has none. */
export async function runsElsewhere({ root }: Workspace): Promise<readonly RunElsewhere[]> {
  const trees = (await listWorktrees(root)).filter(({ path }) => path !== root);
  const found = await Promise.all(trees.map(({ path }) => unfinishedIn(path).catch(() => [])));
  return found.flat().toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

async function unfinishedIn(path: string): Promise<readonly RunElsewhere[]> {
  // Most trees of a repository never had a run: git is asked about the others only.
  const gitDir = await gitDirAt(path);
  if (gitDir === undefined || !existsSync(join(gitDir, "quasar", "runs"))) return [];
  const workspace = await openWorkspace(path);
  const { root } = workspace;
  const found: RunElsewhere[] = [];
  for await (const run of summaries(workspace, openRunIds(workspace))) {
    const [resume = ""] = run.next;
    const command = `cd ${shellWord(root)} && ${resume}`;
    if (isUnfinished(run)) found.push({ id: run.id, root, command });
  }
  return found;
}
