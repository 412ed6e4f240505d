import type { Checkpoint } from "@quasar/checkpoint";
import { readCommitState } from "@quasar/git/internal";
import { upToCent } from "@quasar/loop/internal";
import { limitOf, patienceOf, withoutPause } from "@quasar/runs/internal";
import { driveRun, type DriveRunOptions, type RunDriver } from "@quasar/runs/tree";
import { controlsOptions } from "../git-controls.ts";
import { outgoing } from "../outgoing.ts";
import { type BudgetStop, doneOf, failed, limited, outcomeOf, timedOut } from "./agent-outcome.ts";
import type { AgentWorkResult } from "./agent-work.ts";
import { commitWords } from "./commit-words.ts";
import { listenTo } from "./listen.ts";
import type { StepRun } from "./step-run.ts";
import { synopsisOf, withSynopsis } from "./synopsis.ts";
import { costOf, readRuns } from "./task-cost.ts";
import { isTreeAccepted, treeRefusal } from "./tree.ts";

/** Starts a run, or resumes it. */
export async function takeRun(run: StepRun, driver: RunDriver): Promise<AgentWorkResult> {
  const { input, work, turn, left } = run;
  const money = await moneyOf(run);
  if (typeof money === "string") return failed("attempts", money);
  // What is approved is finished only, and who reads has no use of where HEAD is.
  const isAnyTree = left?.phase === "approved" || turn === "reader";
  const acceptHead = isAnyTree || isTreeAccepted(input.hook, input.step.name);
  const { worktree, signal } = input;
  const seen = left === undefined ? await readCommitState(worktree, { signal }) : undefined;
  const refusal = isAnyTree ? undefined : await treeRefusal(input, { left, seen }, acceptHead);
  if (refusal !== undefined) return failed("interrupted", refusal);

  const { retries = 0, waitLimitMs = 0, asksAtOnce = false } = input.ports;
  const waits = left !== undefined && waitLimitMs > 0 && !asksAtOnce;
  const retryAt = waits ? limitOf(left) : undefined;
  const wait = retryAt === undefined ? undefined : patienceOf(retryAt, waitLimitMs);
  if (wait?.isEnough === false)
    return limited("a usage limit stopped the run", { retryAt, limit: wait.words });
  const { timeoutMs } = work;
  const options = { loop: { ...loopOptions(run, money), acceptHead }, waitLimitMs, timeoutMs };
  const asked = asksAtOnce && left !== undefined ? withoutPause(left) : left;
  const end = await driveRun({ ...run, left: asked, seen, retryAt }, driver, options);
  if (end.isLate) return timedOut(timeoutMs ?? 0);
  return end.result.outcome === "approved"
    ? doneOf(end.result.checkpoint, work.kind, false)
    : outcomeOf(end, money.stop(end.result.checkpoint), retries > 0);
}

/** What the same run is always told, but for what is left of the task's money. */
function loopOptions({ input, turn }: StepRun, money: Money): DriveRunOptions["loop"] {
  const { task, worktree, hook, ports } = input;
  const synopsis = synopsisOf(hook, ports.home);
  const { elsewhereUsd, leftUsd } = money;
  return {
    workTree: worktree,
    coder: withSynopsis(ports.coder, synopsis),
    reviewer: withSynopsis(ports.reviewer, synopsis),
    commit: commitWords(input),
    ...(turn === undefined && { maxCycles: task.config.maxCycles, detectStruggle: true }),
    // 0 is no limit.
    maxBudgetUsd: leftUsd === 0 ? NOTHING_USD : (leftUsd ?? 0),
    commands: task.config.validation.commands.map(({ command }) => command),
    conventions: ports.conventions,
    leash: ports.leash,
    retries: ports.retries,
    redact: ports.redact,
    redactCommit: outgoing(ports, worktree),
    controls: controlsOptions(input),
    onEvent: listenTo(input, elsewhereUsd),
    now: ports.now,
  };
}

/** A budget of which nothing is left, as 0 is none at all. */
const NOTHING_USD = 1e-9;

/** What is left of a task's budget for one of its runs. */
interface Money {
  /** US dollars spent in other runs. */
  readonly elsewhereUsd: number;
  /** US dollars of which this run may have spent some already; `undefined` without a limit. */
  readonly leftUsd: number | undefined;
  /** That it is too small, given how far this run has come. */
  readonly stop: (run: Checkpoint) => BudgetStop;
}

/** A string: why nobody can know. */
async function moneyOf({ input, name, turn }: StepRun): Promise<Money | string> {
  const { maxBudgetUsd, maxCycles } = input.task.config;
  const { runs, problems } = await readRuns(input.taskDir);
  if (maxBudgetUsd > 0 && problems.length > 0) {
    return `what the task has cost cannot be known: ${problems.join("; ")}`;
  }
  const others = runs.filter((other) => other.name !== name);
  const elsewhereUsd = others.reduce((sum, other) => sum + costOf(other).spentUsd, 0);
  return {
    elsewhereUsd,
    leftUsd: maxBudgetUsd === 0 ? undefined : Math.max(0, maxBudgetUsd - elsewhereUsd),
    stop: ({ totalCostUsd, neededBudgetUsd: ofRun, ledger }) => {
      const spentUsd = elsewhereUsd + totalCostUsd;
      // What a turn of a run costs that has had none is unknown: each counts as one of the task's.
      const turns = turn === undefined ? 2 : 1;
      const leastUsd = ledger.length > 0 ? 0 : (turns * maxBudgetUsd) / (2 * maxCycles);
      const neededBudgetUsd = upToCent(elsewhereUsd + Math.max(ofRun, leastUsd));
      const what = spentUsd < maxBudgetUsd ? "too small for the next turn" : "used up";
      const message =
        `The task's budget is ${what}: $${spentUsd.toFixed(2)} of $${maxBudgetUsd.toFixed(2)} are ` +
        `spent. Raise it to at least $${neededBudgetUsd.toFixed(2)}.`;
      return { kind: "stopped", why: "budget", message, neededBudgetUsd };
    },
  };
}
