import { tryCheck } from "./checks.ts";
import { messageOf } from "./emitter.ts";
import { type Ending, endingOf, INTERRUPTED } from "./ending.ts";
import type { LoopEventData } from "./event.ts";
import type { Finding } from "./finding.ts";
import { filterFinding } from "./findings.ts";
import type { TaskResult } from "./options.ts";
import { parseReview } from "./parse-review.ts";
import { marksOf, type Run } from "./run.ts";
import type { CycleState } from "./state.ts";
import { cycleToBegin, nextStep, type Step } from "./steps.ts";
import { commitSubject } from "./subject.ts";
import { trimSpace } from "./text.ts";
import {
  applyReview,
  approve,
  beginCycle,
  bounce,
  commitWork,
  giveUp,
  leaveLint,
  lintDone,
  lintFixes,
  passFilters,
  refactor,
  resolveIssues,
  type TurnPhase,
} from "./transitions.ts";
import { takeTurnAgain } from "./again.ts";
import { letGo } from "./ready.ts";
import { recoverTurn } from "./recover.ts";
import type { TurnFailure } from "./settle.ts";
import { takeTurn } from "./turn.ts";
import { listPaths } from "./untouchable.ts";

/**
 * Takes a run to its end: asks what comes next, does it, keeps what came of it.
 *
 * @param opening - Told before anything else: how the run came to be where it is.
 */
export async function drive(run: Run, opening: readonly LoopEventData[]): Promise<TaskResult> {
  for (const event of opening) await run.emit(event);
  try {
    for (;;) {
      const ending = run.broken ?? (await goOn(run));
      if (ending !== undefined) return await finish(run, ending);
    }
  } finally {
    letGo(run);
  }
}

async function goOn(run: Run): Outcome {
  const next = nextStep(run.state, run);
  if ("end" in next) return endingOf(next.end, run.state, run.part);
  if (run.settings.signal?.aborted === true) return INTERRUPTED;
  const ending = await STEPS[next.step](run);
  // In the others agents or checks work, after which nothing holds that was seen before.
  run.clean &&= next.step === "recover";
  return ending;
}

/** A step changes the run's state, or ends the run. */
type Outcome = Promise<Ending | undefined>;

const STEPS: Readonly<Record<Step, (run: Run) => Outcome>> = {
  begin,
  recover,
  again,
  commit,
  lint,
  filter,
  review,
  judge,
  approve: move(approve),
  resolve: move(resolveIssues),
};

function move(transition: (state: CycleState) => CycleState): (run: Run) => Outcome {
  return async (run) => {
    run.state = transition(run.state);
    return undefined;
  };
}

// --- Turns ---------------------------------------------------------------------------------------

async function begin(run: Run): Outcome {
  const cycle = cycleToBegin(run.state);
  run.state = beginCycle(run.state, cycle);
  await run.emit({ type: "cycle_start", cycle });
  return work(run, "coding");
}

function review(run: Run): Outcome {
  return work(run, "reviewing");
}

async function again(run: Run): Outcome {
  return outcomeOf(await takeTurnAgain(run));
}

async function work(run: Run, phase: TurnPhase): Outcome {
  return outcomeOf(await takeTurn(run, phase));
}

function outcomeOf(failure: TurnFailure): Ending | undefined {
  if (failure === undefined || "outcome" in failure) return failure;
  return { outcome: "agent", message: failure.message, agentFailure: failure };
}

/** How a turn failed while nobody listened is old news, unless a limit holds that it ran into. */
async function recover(run: Run): Outcome {
  const failure = await recoverTurn(run);
  if (failure === undefined || "outcome" in failure) return failure;
  return isLimited(run) ? outcomeOf(failure) : undefined;
}

function isLimited({ state, settings }: Run): boolean {
  return state.retryAt !== "" && Date.parse(state.retryAt) > settings.now().getTime();
}

// --- Between turns -------------------------------------------------------------------------------

/** What git and the user's git hooks have said: those print what they like, as checks do. */
function saidBy({ settings: { redact } }: Run, error: unknown): string {
  const said = messageOf(error);
  try {
    return redact?.(said) ?? said;
  } catch (failure) {
    return `what git said cannot be told: ${messageOf(failure)}`;
  }
}

async function commit(run: Run): Outcome {
  const { state } = run;
  const { repository } = run.ports;
  const { signal } = run.settings;
  if (repository === undefined) {
    run.state = commitWork(state, "");
    return undefined;
  }
  const { cycle, taskBeadId, untouchablePaths } = state;
  const turnId = state.turn?.id ?? "";
  let sha: string | undefined;
  try {
    sha = await repository.commit({
      subject: commitSubject(state, run.settings.commit?.subject),
      trailers: run.settings.commit?.trailers ?? {},
      taskId: taskBeadId,
      cycle,
      turnId,
      exclude: untouchablePaths,
      env: marksOf(state),
      signal,
      seen: run.seen,
    });
    // Not the commit's own id: a git hook may have amended it, the agent have made one itself.
    run.head = await repository.head();
    run.seen = undefined;
  } catch (error) {
    if (signal?.aborted === true) return INTERRUPTED;
    return { outcome: "git", message: `the work could not be committed: ${saidBy(run, error)}` };
  }
  const known = [state.baseCommitSha, ...state.cycleCommits].includes(run.head);
  if (sha === undefined && known && untouchablePaths.length > 0) {
    const list = listPaths(untouchablePaths).join(", ");
    await run.warn(`cycle ${cycle} has nothing to commit: changes in ${list} are never committed`);
  }
  run.state = commitWork(state, run.head);
  await run.emit({ type: "committed", cycle, turnId, sha: sha && run.head });
  if (state.refactored && !run.state.refactored) await run.emit({ type: "refactored", cycle });
  return undefined;
}

async function lint(run: Run): Outcome {
  const reports: string[] = [];
  for (const check of run.settings.lint) {
    const result = await tryCheck(run, "lint", check);
    if ("outcome" in result) return result;
    if (result.status === "broken") await run.warn(broken(check.name, result.output));
    if (result.status === "failed") reports.push(`${check.name}:\n${trimSpace(result.output)}`);
  }
  run.state = lintDone(run.state, reports.join("\n\n"));
  if (reports.length === 0 || lintFixes(run.state) >= run.settings.maxLintRetries) {
    run.state = leaveLint(run.state);
    return undefined;
  }
  return work(run, "linting");
}

async function filter(run: Run): Outcome {
  for (const check of run.settings.filters) {
    const result = await tryCheck(run, "filter", check);
    if ("outcome" in result) return result;
    const { status, output } = result;
    if (status === "broken") return { outcome: "check", message: broken(check.name, output) };
    if (status === "failed") {
      const finding = filterFinding(check.name, output, run.state.cycle);
      run.state = bounce(run.state, check.name, output, finding);
      return closeCycle(run, false);
    }
  }
  run.state = passFilters(run.state);
  return undefined;
}

function broken(name: string, output: string): string {
  return `${name} could not be run: ${trimSpace(output) || "the shell does not know it"}`;
}

/** Takes what the reviewer said. */
async function judge(run: Run): Outcome {
  const parsed = parseReview(run.state.reviewOutput);
  run.state = applyReview(run.state, parsed);
  const children = await createChildren(run, run.state.findings);
  run.state = { ...run.state, childBeadIds: [...run.state.childBeadIds, ...children] };
  return closeCycle(run, parsed.verdict === "approved");
}

async function closeCycle(run: Run, approved: boolean): Outcome {
  if (!approved) await takeRefactor(run);
  const { cycle, findings } = run.state;
  await run.emit({ type: "review_complete", cycle, approved, findings });
  return undefined;
}

async function createChildren(run: Run, findings: readonly Finding[]): Promise<readonly string[]> {
  const ids: string[] = [];
  if (findings.length === 0) return ids;
  for (const hook of run.settings.hooks) {
    try {
      ids.push(...((await hook.createFindings?.(run.state.taskBeadId, findings)) ?? []));
    } catch (error) {
      await run.warn(`findings could not be put on record: ${messageOf(error)}`);
    }
  }
  return ids;
}

async function takeRefactor(run: Run): Promise<void> {
  try {
    const description = run.settings.takeRefactor?.();
    if (description !== undefined && trimSpace(description) !== "") {
      run.state = refactor(run.state, description);
    }
  } catch (error) {
    await run.warn(`the new text of the task could not be read: ${messageOf(error)}`);
  }
}

// --- The end -------------------------------------------------------------------------------------

async function finish(run: Run, ending: Ending): Promise<TaskResult> {
  const { outcome, message } = ending;
  const { cycle } = run.state;
  const report = outcome === "approved" ? parseReview(run.state.reviewOutput).report : undefined;
  if (outcome === "approved") {
    await run.emit({ type: "task_success", cycle, report });
    if (run.unrecorded !== undefined) return finish(run, run.unrecorded);
    await removeCheckpoint(run);
  } else if (outcome === "struggling") {
    await run.emit({ type: "struggle_detected", cycle, message });
  } else {
    run.state = giveUp(run.state, message);
    await run.emit({ type: "task_failed", cycle, reason: outcome, message });
  }
  const { state } = run;
  return {
    outcome,
    taskId: state.taskBeadId,
    runId: state.runId,
    cycle,
    totalCostUsd: state.totalCostUsd,
    unknownCostUsd: state.unknownCostUsd,
    message,
    report,
    findings: state.findings,
    allFindings: state.allFindings,
    baseCommitSha: state.baseCommitSha,
    finalCommitSha: run.head,
    cycleCommits: state.cycleCommits,
    checkpoint: run.checkpoint(),
    agentFailure: ending.agentFailure,
  };
}

/** What is finished must not be resumed. */
async function removeCheckpoint(run: Run): Promise<void> {
  const { checkpoint } = run.settings;
  try {
    await checkpoint?.store.remove(checkpoint.phaseId);
  } catch (error) {
    await run.warn(`the checkpoint of the finished task could not be removed: ${messageOf(error)}`);
  }
}
