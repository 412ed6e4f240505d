import { workOnStep } from "../runs/work-on-step.ts";
import { reportOf } from "./agent-report.ts";
import type { RunningStep, StepExecutor, StepOutcome } from "./step.ts";

/** A step of type `loop`: a coder works and a reviewer judges until it approves. */
export const loopStep: StepExecutor = { run };

async function run(input: RunningStep): Promise<StepOutcome> {
  const { prompt, definition } = input;
  const done = await workOnStep(input, { kind: "loop", prompt, timeoutMs: definition.timeoutMs });
  if (done.kind !== "done") return done;
  const { text, review, report, cycles, commits } = done;
  const said = report?.summary ?? "";
  const unchanged = commits.length === 0 ? "no changes were made; " : "";
  const summary = `${unchanged}approved in cycle ${cycles}${said === "" ? "" : `: ${said}`}`;
  const output = `${text.trim()}\n\n---\n\n${review.trim()}\n`;
  return { kind: "completed", ...reportOf(done, { summary, output }) };
}
