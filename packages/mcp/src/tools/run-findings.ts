import { readRun } from "../places/read.ts";
import { ofRun } from "./inputs.ts";
import { tool } from "./tool.ts";

export const runFindings = tool({
  name: "run_findings",
  title: "Findings of a run",
  description: "What reviewers of a run have found, and what became of it.",
  input: ofRun,
  async call({ id }, { workspace }) {
    const { findings, verdict } = await readRun(workspace, id);
    return { origin: `reviewer of run ${id}`, facts: { id, findings, verdict } };
  },
});
