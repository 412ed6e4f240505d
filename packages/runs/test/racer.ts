// A program with the library alone that begins or resumes a run: racer.ts start|resume <repository> <model>. It prints
// what came of it, or the code of the refusal.
import { createScriptedAgent } from "@quasar/agents";
import { openRuns, RunsError } from "../src/index.ts";

const [, , what, repo = "", model] = process.argv;
const coder = createScriptedAgent({
  turns: [{ role: "coder", says: ["Reading"], text: "Written.", files: { "work.txt": "right\n" } }],
  model,
});
const reviewer = createScriptedAgent({
  turns: [{ role: "reviewer", says: ["Reading"], text: "APPROVED: it is there" }],
  model,
});
const runs = await openRuns(repo);
try {
  const { result } = await (what === "start"
    ? runs.start({ task: "Write", coder, reviewer })
    : runs.resume({ coder, reviewer }));
  const { outcome, totalCostUsd, unknownCostUsd } = result;
  process.stdout.write(JSON.stringify({ outcome, totalCostUsd, unknownCostUsd }));
} catch (error) {
  if (!(error instanceof RunsError)) throw error;
  process.stdout.write(JSON.stringify({ code: error.code }));
}
