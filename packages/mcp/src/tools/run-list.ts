import { listNebulae, type NebulaState } from "@quasar/nebula";
import { isUnfinished, progressOf } from "@quasar/nebula/internal";
import { runIds, runsElsewhere, summarize } from "@quasar/runs/internal";
import * as z from "zod/v4";
import { tool } from "./tool.ts";

export const runList = tool({
  name: "run_list",
  title: "List runs and nebulae",
  description:
    "Lists the runs of this work tree, newest first, those of other work trees of the repository, and its nebulae. All ids that other tools take are from here.",
  input: z.strictObject({
    limit: z.int().min(1).max(100).default(20).describe("Most runs and most nebulae"),
  }),
  async call({ limit }, { workspace }) {
    const [runs, elsewhere] = await Promise.all([
      summarize(workspace, runIds(workspace).slice(0, limit)),
      runsElsewhere(workspace),
    ]);
    const facts = {
      runs: runs.map(({ id, status, task, reason, cycle, spentUsd, savedAt }) => {
        return { id, status, task, reason, cycle, spentUsd, savedAt };
      }),
      elsewhere: elsewhere.slice(0, limit).map(({ id, status }) => ({ id, status })),
      nebulae: listNebulae(workspace.repositoryId).slice(0, limit).map(nebulaFacts),
    };
    return { origin: "runs of this repository", facts };
  },
});

function nebulaFacts(state: NebulaState) {
  const { id, name, branch, createdAt } = state;
  return {
    nebulaId: id,
    name,
    branch,
    isUnfinished: isUnfinished(state),
    ...progressOf(state),
    createdAt,
  };
}
