import { relative } from "node:path";
import { endRunProcesses, listRunProcesses } from "@quasar/agents";
import { processes } from "../output/format.ts";
import { runIds, summarize } from "../runs/list.ts";
import type { Ground, Problem } from "./checks.ts";

/** Agents in this work tree that no run will ever ask about again. */
export async function lookAtAgents({ workspace }: Ground): Promise<readonly Problem[]> {
  const all = (await listRunProcesses()) ?? [];
  const here = all.filter(({ workDir }) => {
    const path = relative(workspace.root, workDir);
    return workDir !== "" && path !== ".." && !path.startsWith("../");
  });
  const known = runIds(workspace);
  const problems: Problem[] = [];
  for (const runId of new Set(here.map((each) => each.runId))) {
    const [run] = await summarize(workspace, known.includes(runId) ? [runId] : []);
    const goesOn = run !== undefined && run.status !== "approved" && run.status !== "abandoned";
    if (goesOn) continue; // its runner or a resume follows it
    const pids = here.filter((each) => each.runId === runId).map(({ pid }) => pid);
    const why = run === undefined ? "which is gone" : `which is ${run.status}`;
    problems.push({
      message: `an agent works for run ${runId}, ${why}: ${processes(pids)}`,
      fix: { does: "end it", run: () => endAll(runId) },
      next: [`kill ${pids.join(" ")}`],
    });
  }
  return problems;
}

async function endAll(runId: string): Promise<void> {
  await endRunProcesses(runId, { signal: "SIGINT", graceMs: 2000 });
}
