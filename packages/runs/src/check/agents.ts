import { relative } from "node:path";
import { listRunProcesses, type RunProcess } from "@quasar/agents/turns";
import { GitError, openRepository } from "@quasar/git";
import { endLeftover } from "../driving/orphans.ts";
import { runIds, summarize } from "../look/list.ts";
import { hasEnded } from "../look/summary.ts";
import { isRunId } from "../run-id.ts";
import { processes } from "../text/format.ts";
import type { Workspace } from "../workspace.ts";
import { allRunIds } from "./git.ts";
import type { Place, Problem } from "./problem.ts";

/** Agents in this work tree that no run will ever ask about again. */
export async function* lookAtAgents({ workspace }: Place): AsyncGenerator<Problem, undefined> {
  const all = (listRunProcesses() ?? []).filter(({ runId }) => isRunId(runId));
  const known = new Set(runIds(workspace));
  const everywhere = new Set(allRunIds(workspace));
  for (const runId of new Set(all.map((each) => each.runId))) {
    const { here, others } = await placed(
      workspace,
      all.filter((each) => each.runId === runId),
    );
    const isElsewhere = everywhere.has(runId) && !known.has(runId);
    if (here.length === 0 || isElsewhere) continue;
    const [run] = await summarize(workspace, known.has(runId) ? [runId] : []);
    if (run !== undefined && !hasEnded(run)) continue; // its runner or a resume follows it
    const pids = here.map(({ pid }) => pid);
    const why = run === undefined ? "which is gone" : `which is ${run.status}`;
    const isOurs = run !== undefined || others.length === 0;
    yield {
      code: "AGENT_LEFT",
      message: `an agent works for run ${runId}, ${why}: ${processes(pids)}`,
      // A run that is not known here may be one of another repository, and continue there.
      fix: isOurs ? { does: "end it", run: () => endLeftover({ runId, pids }) } : undefined,
      next: [{ shell: `kill ${pids.join(" ")}` }],
    };
  }
}

interface Placed {
  /** In this work tree. */
  readonly here: readonly RunProcess[];
  /** In other ones, such as one inside this. */
  readonly others: readonly RunProcess[];
}

async function placed({ root }: Workspace, processes: readonly RunProcess[]): Promise<Placed> {
  const here: RunProcess[] = [];
  const others: RunProcess[] = [];
  for (const each of processes) {
    const { workTree = "" } = each;
    const tree = workTree === "" ? undefined : await rootOf(workTree);
    if (tree === root || (tree === undefined && isBelow(root, workTree))) here.push(each);
    else if (tree !== undefined) others.push(each);
  }
  return { here, others };
}

function isBelow(root: string, workTree: string): boolean {
  const path = relative(root, workTree);
  return workTree !== "" && path !== ".." && !path.startsWith("../");
}

/** The work tree that a folder is in; `undefined` for none, also where the folder is gone. */
async function rootOf(workTree: string): Promise<string | undefined> {
  try {
    return (await openRepository(workTree)).root;
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}
