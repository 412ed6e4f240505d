import type { Checkpoint } from "@quasar/checkpoint";
import type { TaskResult } from "@quasar/loop";
import { failureOptions } from "@quasar/loop/internal";
import { parseReview } from "@quasar/loop/review";
import type { AgentFailureKind } from "@quasar/agents";
import type { RunEnd } from "@quasar/runs";
import { quotedWord } from "@quasar/runs/text";
import { CONTROLS_ADVICE } from "../git-controls.ts";
import type { AgentWork, AgentWorkDone, AgentWorkResult } from "./agent-work.ts";

/** What came of a run that is done, as its last checkpoint says. */
export function doneOf(
  checkpoint: Checkpoint,
  kind: AgentWork["kind"],
  isKept: boolean,
): AgentWorkDone {
  const { runId, coderOutput, reviewOutput, findings, cycle, ledger, turn } = checkpoint;
  const { totalCostUsd: costUsd, unknownCostUsd, baseCommitSha, cycleCommits } = checkpoint;
  const commits = new Set(cycleCommits.filter((sha) => sha !== "" && sha !== baseCommitSha));
  return {
    kind: "done",
    runId,
    text: kind === "review" ? reviewOutput : coderOutput,
    review: reviewOutput,
    report: kind === "turn" ? undefined : parseReview(reviewOutput).report,
    findings: kind === "turn" ? [] : findings,
    cycles: cycle,
    commits: [...commits],
    turns: ledger,
    costUsd,
    unknownCostUsd,
    numTurns: ledger.length,
    sessionId: turn === undefined || turn.sessionId === "" ? undefined : turn.sessionId,
    isKept,
  };
}

/** What a person has to do about an agent's failure, where it takes a person. */
const PERSON: Readonly<Partial<Record<AgentFailureKind, string>>> = {
  auth: "log in to the agent's program, or set its API key; then atlas retry",
  billing: "look at the account's credit; then atlas retry",
  "not-installed": "install the agent's program; then atlas retry",
  "refused-permissions": "look at what the agent was not allowed to do; then atlas retry",
  "turn-limit": "see what keeps its turn going; then atlas retry",
};

/**
 * What a run that is not done means for its step.
 *
 * @param budget - What it means where the task's money has stopped it.
 * @param isRetried - Whether the run has retried by itself what fails of something that passes.
 */
export function outcomeOf(
  { result: { outcome, message, agentFailure, wayBack }, limit }: RunEnd,
  budget: BudgetStop,
  isRetried: boolean,
): Exclude<AgentWorkResult, AgentWorkDone> {
  switch (outcome) {
    case "max_cycles":
    case "struggling":
      return { ...failed("attempts", message), endsRun: true };
    case "budget":
      return budget;
    case "interrupted":
    case "superseded":
      return { kind: "stopped", why: "interrupted", message };
    case "checkpoint":
    case "storage":
      return { kind: "stopped", why: "storage", message };
    case "git":
      return failed("git", message);
    case "work-tree":
      if (wayBack?.asItIs?.includes("accept-settings") === true)
        return failed("git", `${message} ${CONTROLS_ADVICE}`);
      return failed("interrupted", message);
    case "approved-differs":
      return failed("interrupted", message);
    case "agent":
      return outcomeOfAgent({ message, agentFailure, limit }, budget, isRetried);
    case "approved":
    case "check":
      return failed("attempts", message);
  }
}

function outcomeOfAgent(
  {
    message,
    agentFailure: failure,
    limit,
  }: Pick<TaskResult, "message" | "agentFailure"> & Pick<RunEnd, "limit">,
  budget: BudgetStop,
  isRetried: boolean,
): Exclude<AgentWorkResult, AgentWorkDone> {
  if (failure === undefined) return failed("attempts", message);
  const { kind, retryable, retryAt } = failure;
  if (kind === "rate-limit") return limited(message, { retryAt, limit });
  if (kind === "budget") return { ...budget, message: `${message} ${budget.message}` };
  const advice = PERSON[kind];
  const resume = resumedWith(failureOptions(failure));
  if (advice !== undefined) return failed("attempts", `${message} (${advice}${resume})`);
  return { ...failed("attempts", message), retryable: retryable && !isRetried };
}

/** The command that comes after it, for a shell; `""` where none would change anything. */
function resumedWith({
  allowedTools = [],
  maxRequests,
}: ReturnType<typeof failureOptions>): string {
  const flags = [
    ...allowedTools.map((rule) => `--allow-tool ${quotedWord(rule)}`),
    ...(maxRequests === undefined ? [] : [`--max-requests ${maxRequests}`]),
  ];
  return flags.length === 0 ? "" : `, and atlas resume ${flags.join(" ")}`;
}

type Stop = Extract<AgentWorkResult, { readonly kind: "stopped" }>;

/** Money has stopped a task. */
export type BudgetStop = Stop;

/** A usage limit has stopped it. */
export function limited(
  message: string,
  { retryAt, limit }: Pick<Stop, "retryAt" | "limit">,
): Stop {
  return { kind: "stopped", why: "limit", message, retryAt, limit };
}

type Failed = Extract<AgentWorkResult, { readonly kind: "failed" }>;

/** The time of a deadline's work is up. What is there stays, and the run continues with another attempt. */
export function timedOut(timeoutMs: number): Failed {
  const reason = `the agents were not done after ${Math.ceil(timeoutMs / 1000)} s`;
  return { ...failed("attempts", reason), retryable: true };
}

/** It takes a person, and the run continues when they have seen to it. */
export function failed(awaiting: Failed["awaiting"], reason: string): Failed {
  return { kind: "failed", awaiting, reason, retryable: false };
}
