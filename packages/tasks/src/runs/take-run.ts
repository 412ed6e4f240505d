import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEnd } from "@quasar/agents";
import type { Checkpoint } from "@quasar/checkpoint";
import { openRepository } from "@quasar/git";
import {
  createCheckpointHook,
  type LoopOptions,
  resumeTurn,
  runFromCheckpoint,
  runTask,
  runTurn,
  type TaskResult,
  type TurnOptions,
  upToCent,
} from "@quasar/loop";
import { messageOf } from "../errors.ts";
import { freeAfterAgents } from "../free-git.ts";
import { outgoing } from "../outgoing.ts";
import { type BudgetStop, doneOf, failed, outcomeOf, timedOut } from "./agent-outcome.ts";
import type { AgentWorkResult } from "./agent-work.ts";
import { commitWords } from "./commit-words.ts";
import { forgetSeed, listenTo, seedStore } from "./listen.ts";
import { stepStore } from "./run-store.ts";
import type { StepRun } from "./step-run.ts";
import { synopsisOf, withoutSynopsis, withSynopsis } from "./synopsis.ts";
import { costOf, readRuns } from "./task-cost.ts";
import { isTreeAccepted, treeRefusal } from "./tree.ts";

/**
 * Begins a run, or goes on with it.
 *
 * @param left - As it was left; `undefined`: nothing of it was ever saved.
 */
export async function takeRun(
  run: StepRun,
  left: Checkpoint | undefined,
): Promise<AgentWorkResult> {
  const { input, work, turn } = run;
  const money = await moneyOf(run);
  if (typeof money === "string") return failed("attempts", money);
  // What is approved is finished only, and who reads has no use of where HEAD is.
  const isAnyTree = left?.phase === "approved" || turn === "reader";
  const acceptHead = isAnyTree || isTreeAccepted(input.hook, input.step.name);
  const refusal = isAnyTree ? undefined : await treeRefusal(input, left, acceptHead);
  if (refusal !== undefined) return failed("interrupted", refusal);

  const { signal } = input;
  const deadline = work.timeoutMs === undefined ? undefined : AbortSignal.timeout(work.timeoutMs);
  const options: TurnOptions = {
    ...fixedOptions(run, money),
    repository: await openRepository(input.worktree, { signal }),
    acceptHead,
    signal: deadline === undefined ? signal : AbortSignal.any([signal, deadline]),
  };
  const result = await workOn(run, left, options);
  if (result.outcome === "approved") await forgetSeed(run);
  const isLate = deadline?.aborted === true && !signal.aborted;
  if (isLate && result.outcome === "interrupted") return timedOut(work.timeoutMs ?? 0);
  return result.outcome === "approved"
    ? doneOf(result.checkpoint, work.kind, false)
    : outcomeOf(result, money.stop(result.checkpoint), (input.ports.retries ?? 0) > 0);
}

/** In a turn by itself, or in a loop. */
function workOn(
  { input, work, turn }: StepRun,
  left: Checkpoint | undefined,
  options: TurnOptions,
): Promise<TaskResult> {
  const task = { id: input.task.id, title: withoutSynopsis(work.prompt) };
  if (turn !== undefined) {
    return left === undefined ? runTurn(turn, task, options) : resumeTurn(turn, left, options);
  }
  const { maxCycles } = input.task.config;
  const ofLoop: LoopOptions = { ...options, maxCycles, detectStruggle: true };
  return left === undefined ? runTask(task, ofLoop) : runFromCheckpoint(left, ofLoop);
}

/** What the same run is always told, but for what is left of the task's money. */
function fixedOptions(run: StepRun, { elsewhereUsd, leftUsd }: Money): TurnOptions {
  const { input, turn, runId, dir, store } = run;
  const { task, worktree, hook, step, ports } = input;
  const synopsis = synopsisOf(hook, ports.home);
  const turnsDir = join(dir, "turns");
  mkdirSync(turnsDir, { recursive: true, mode: 0o700 });
  const free = () => freeAfterAgents(input);
  const seed = createCheckpointHook({
    store: seedStore(run),
    phaseId: step.name,
    now: ports.now,
    onError: (error) => input.tell({ type: "warning", message: messageOf(error) }),
  });
  return {
    workDir: worktree,
    runId,
    coder: afterEnd(withSynopsis(ports.coder, synopsis), free),
    reviewer: afterEnd(withSynopsis(ports.reviewer, synopsis), free),
    commit: commitWords(input),
    // 0 is no limit.
    maxBudgetUsd: leftUsd === 0 ? NOTHING_USD : (leftUsd ?? 0),
    checkpoint: { store: stepStore(store, ports.holdsLock), granularity: "turn" },
    holdsLock: ports.holdsLock,
    hooks: turn === undefined ? [seed] : [],
    commands: task.config.validation.commands.map(({ command }) => command),
    conventions: ports.conventions,
    turnsDir,
    leash: ports.leash,
    retries: ports.retries,
    redact: ports.redact,
    redactCommit: outgoing(ports, worktree),
    onEvent: listenTo(run, elsewhereUsd),
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
