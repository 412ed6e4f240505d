import { relative } from "node:path";
import { listRunProcesses, type RunProcess } from "@quasar/agents";
import { GitError, openRepository } from "@quasar/git";
import { isRunId, runIds, summarize, type Workspace } from "@quasar/runs";
import { processes } from "@quasar/runs/text";
import { endRun } from "@quasar/runs/tree";
import { CliError } from "../../shared/errors.ts";
import type { Ground, Problem } from "./problem.ts";
import { allRunIds } from "./git.ts";

/** Agents in this work tree that no run will ever ask about again. */
export async function lookAtAgents({ workspace }: Ground): Promise<readonly Problem[]> {
  const all = (listRunProcesses() ?? []).filter(({ runId }) => isRunId(runId));
  const known = runIds(workspace);
  const elsewhere = new Set(allRunIds(workspace).filter((id) => !known.includes(id)));
  const problems: Problem[] = [];
  for (const runId of new Set(all.map((each) => each.runId))) {
    const { here, others } = await placed(
      workspace,
      all.filter((each) => each.runId === runId),
    );
    if (here.length === 0 || elsewhere.has(runId)) continue;
    const [run] = await summarize(workspace, known.includes(runId) ? [runId] : []);
    const goesOn = run !== undefined && run.status !== "approved" && run.status !== "abandoned";
    if (goesOn) continue; // its runner or a resume follows it
    const pids = here.map(({ pid }) => pid);
    const why = run === undefined ? "which is gone" : `which is ${run.status}`;
    const isOurs = run !== undefined || others.length === 0;
    problems.push({
      message: `an agent works for run ${runId}, ${why}: ${processes(pids)}`,
      // A run that is not known here may be one of another repository, and go on there.
      fix: isOurs ? { does: "end it", run: () => endAll(runId, pids) } : undefined,
      next: [`kill ${pids.join(" ")}`],
    });
  }
  return problems;
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
    const { workDir = "" } = each;
    const tree = workDir === "" ? undefined : await rootOf(workDir);
    if (tree === root || (tree === undefined && isBelow(root, workDir))) here.push(each);
    else if (tree !== undefined) others.push(each);
  }
  return { here, others };
}

function isBelow(root: string, workDir: string): boolean {
  const path = relative(root, workDir);
  return workDir !== "" && path !== ".." && !path.startsWith("../");
}

/** The work tree that a folder is in; `undefined` for none, also where the folder is gone. */
async function rootOf(workDir: string): Promise<string | undefined> {
  try {
    return (await openRepository(workDir)).root;
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

async function endAll(runId: string, pids: readonly number[]): Promise<void> {
  const left = (await endRun(runId)) ?? pids;
  if (left.length === 0) return;
  throw new CliError("ERR_STATE", `processes of run ${runId} do not end: ${left.join(" ")}`);
}
