import { TRAILER } from "@quasar/git";
import type { HookFile, StepRecord } from "@quasar/hookfile";
import { parseReview } from "@quasar/loop/review";
import type { RunFacts } from "@quasar/runs/facts";
import { fence, sectionText, verdictLine, workParts } from "@quasar/runs/report";
import { fenced } from "../fenced.ts";
import { plainLine, plainText } from "../plain.ts";
import type { TaskRecord } from "../task-record.ts";

/** GitHub takes 65,536 characters. */
const LONGEST_BODY = 60_000;
const LONGEST_DESCRIPTION = 8_000;
const LONGEST_OUTPUT = 2_000;
const NEWEST_RECEIPTS = 50;
/** How much a pull request says of a step's run. */
const LIMITS = { rows: 20, text: LONGEST_OUTPUT };

/**
 * What a pull request says of its task: what was asked for, what the steps before did, the receipts.
 *
 * Agents wrote some of it and could mean others than its readers: all that is not ours stands in fences and code,
 * in which GitHub calls nobody, closes no issue and loads no picture.
 *
 * @param runs - The facts of the runs of its steps, by the steps' names, without secrets.
 * @param trailers - Its last lines after `Quasar-Task`: ours, not others'.
 */
export function pullRequestBody(
  task: TaskRecord,
  hook: HookFile,
  redact: (text: string) => string,
  runs: ReadonlyMap<string, RunFacts>,
  trailers: Readonly<Record<string, string>>,
): string {
  const done = hook.steps.filter(({ status }) => status === "completed" || status === "skipped");
  const parts = [
    "## What was asked for",
    quoted(cut(redact(task.description), LONGEST_DESCRIPTION)),
    "## Steps",
    quoted(done.map((step) => plainLine(redact(stepLine(step)))).join("\n")),
    ...receiptsPart(hook, redact),
    ...done.flatMap((step) => agentPart(task, step, runs.get(step.name), redact)),
  ];
  const id = plainLine(task.id, 100).replaceAll(/[^\w.-]/g, "_");
  const lines = Object.entries({ [TRAILER.task]: id, ...trailers });
  const end = lines.map(([name, value]) => `${name}: ${value}`).join("\n");
  const fitting: string[] = [];
  let length = end.length;
  for (const part of parts) {
    length += part.length + 2;
    if (length <= LONGEST_BODY) fitting.push(part);
  }
  return `${[...fitting, end].join("\n\n")}\n`;
}

function stepLine({ name, type, status, attempts, note }: StepRecord): string {
  const tries = attempts > 1 ? `, ${attempts} attempts` : "";
  const why = note === undefined ? "" : `: ${note}`;
  return `${name} (${type}): ${status}${tries}${why}`;
}

function receiptsPart({ receipts }: HookFile, redact: (text: string) => string): readonly string[] {
  if (receipts.length === 0) return [];
  const lines = receipts
    .slice(-NEWEST_RECEIPTS)
    .map(({ receiptId, exitCode, command }) =>
      plainLine(`${receiptId}: exit code ${exitCode}: ${redact(command)}`),
    );
  const how = "Each can be checked with `atlas hook verify-receipt <id>` where the keys are.";
  return ["## Receipts of validation commands", quoted(lines.join("\n")), how];
}

/** What the agents of a step came to: by the facts of its run, else in their own words. */
function agentPart(
  task: TaskRecord,
  step: StepRecord,
  run: RunFacts | undefined,
  redact: (text: string) => string,
): readonly string[] {
  if (step.type !== "ai" && step.type !== "loop" && step.type !== "verify") return [];
  if (run === undefined || run.turns.length === 0) return outputPart(task, step, redact);
  const summary = run.turns.findLast((turn) => turn.summary !== "")?.summary ?? "";
  const said = summary === "" ? [] : [fence(summary, LIMITS.text)];
  const parts = workParts(run, LIMITS).map((part) => sectionText(part, "###"));
  // One part, so that no heading is left without what it announces.
  const texts = [`## What ${plainLine(step.name, 40)} did`, verdictLine(run), ...said, ...parts];
  return [texts.join("\n\n")];
}

function outputPart(
  { stepResults }: TaskRecord,
  { name }: StepRecord,
  redact: (text: string) => string,
): readonly string[] {
  const said = stepResults.findLast(({ stepName }) => stepName === name)?.output.trim() ?? "";
  const output = withoutForm(said);
  if (output === "") return [];
  // One part, so that no heading is left without what it announces.
  return [`## What ${plainLine(name, 40)} said\n\n${quoted(cut(redact(output), LONGEST_OUTPUT))}`];
}

/** What of a reviewer's answer is for readers: not the words by which a program reads it. */
function withoutForm(output: string): string {
  const [, work, review] = /^(.*?)(?:^|\n\n)---\n\n(?=APPROVED:|REPORT:)(.*)$/su.exec(output) ?? [];
  if (work === undefined || review === undefined) return output;
  const { report } = parseReview(review);
  const [, approval = ""] = /^APPROVED:[ \t]*(.*)$/mu.exec(review) ?? [];
  const summary = report?.summary.trim() || approval.trim();
  return [work, summary].filter((part) => part !== "").join("\n\n");
}

function cut(text: string, limit: number): string {
  const points = Array.from(text.slice(0, limit * 2));
  return points.length <= limit ? text : `${points.slice(0, limit - 1).join("")}…`;
}

function quoted(text: string): string {
  return fenced(plainText(text), "text");
}
