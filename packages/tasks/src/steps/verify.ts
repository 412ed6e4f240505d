import type { WorkOnStep } from "./agent-work.ts";
import type { RunningStep, StepExecutor, StepOutcome } from "./step.ts";
import { parseVerdict } from "./verdict.ts";

export interface VerifyStepOptions {
  readonly workOnStep: WorkOnStep;
}

/** Of the answer's form, for an agent that is not held to one. */
const FORM = [
  "Change nothing. Unless you are held to another form, answer with one JSON object and nothing else:",
  '{"passed": true or false, "issues": ["one sentence each"], "summary": "one sentence"}',
].join("\n");

/**
 * The executor of `verify` steps: another agent looks at what was done, and a person decides about what it
 * finds. An answer that says nothing is a failure, and is asked for anew.
 *
 * @see SPEC.md, "Verification"
 */
export function createVerifyStep({ workOnStep }: VerifyStepOptions): StepExecutor {
  return { run: (input) => verify(input, workOnStep) };
}

async function verify(input: RunningStep, workOnStep: WorkOnStep): Promise<StepOutcome> {
  const { definition, prompt } = input;
  const work = await workOnStep(input, {
    kind: "review",
    access: "read",
    prompt: `${prompt}\n\n${FORM}`,
    timeoutMs: definition.timeoutMs,
  });
  if (work.kind !== "done") return work;
  const { text, sessionId, numTurns, costUsd } = work;
  const report = { output: text, sessionId, numTurns, costUsd };
  const verdict = parseVerdict(text);
  if (verdict === undefined) {
    const reason =
      text.trim() === "" ? "the verification's answer is empty" : "its answer says no verdict";
    // The same run would give the same answer again.
    return {
      kind: "failed",
      awaiting: "attempts",
      reason,
      retryable: true,
      endsRun: true,
      ...report,
    };
  }
  const { issues, summary } = verdict;
  if (issues.length === 0) {
    return { kind: "completed", summary: summary || "the verification found no issue", ...report };
  }
  const reason = reasonOf(issues);
  return { kind: "awaiting", awaiting: "review", reason, summary: reason, ...report };
}

const MOST_ISSUES = 10;
const ISSUE_LENGTH = 300;

function reasonOf(issues: readonly string[]): string {
  const listed = issues
    .slice(0, MOST_ISSUES)
    .map((issue, index) => `${index + 1}. ${issue.slice(0, ISSUE_LENGTH).toWellFormed()}`);
  const rest = issues.length - listed.length;
  const more = rest > 0 ? ` and ${rest} more` : "";
  const count = issues.length === 1 ? "an issue" : `${issues.length} issues`;
  return `the verification found ${count}: ${listed.join("; ")}${more}`;
}
