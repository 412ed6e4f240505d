import { workOnStep } from "../runs/work-on-step.ts";
import { reportOf } from "./agent-report.ts";
import type { RunningStep, StepExecutor, StepOutcome } from "./step.ts";

/** A step of type `ai`: one turn of an agent, which changes files only where its definition says so. */
export const aiStep: StepExecutor = { run };

async function run(input: RunningStep): Promise<StepOutcome> {
  const { prompt, definition } = input;
  const { access = "read", timeoutMs } = definition;
  const done = await workOnStep(input, { kind: "turn", prompt, access, timeoutMs });
  if (done.kind !== "done") return done;
  if (access === "read" && done.text.trim() === "") {
    const reason = "the agent has answered nothing";
    return { kind: "failed", reason, awaiting: "attempts", retryable: true, endsRun: true };
  }
  return { kind: "completed", ...reportOf(done, { summary: done.text, output: done.text }) };
}
