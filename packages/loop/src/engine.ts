import { tryCheck } from "./checks/checks.ts";
import type { AgentRole } from "@quasar/agents";
import type { Committed } from "@quasar/git";
import { commitMessage } from "./commit/commit-message.ts";
import { refused } from "./commit/commit-refused.ts";
import { messageOf } from "./emitter.ts";
import {
  type Ending,
  endingOf,
  INTERRUPTED,
  neededWords,
  turnLimit,
  withoutChanges,
} from "./ending.ts";
import type { LoopEventData } from "./event.ts";
import type { Finding } from "./review/finding.ts";
import { namedChecks } from "./checks/checks-named.ts";
import { filterFinding } from "./review/findings.ts";
import type { TaskResult } from "./options.ts";
import { parseReview } from "./review/parse-review.ts";
import { budgetForMore } from "./money/money.ts";
import { askPeople, takeAnswers } from "./question/people.ts";
import { marksOf, type Run, unsavedEnd } from "./run.ts";
import type { CycleState } from "./state.ts";
import { cycleToBegin, mayBuy, nextStep, type Step } from "./steps.ts";
import { trimSpace } from "./text.ts";
import {
  applyReview,
  approve,
  beginCycle,
  bounce,
  checkAgain,
  checkAnew,
  commitWork,
  giveUp,
  leaveLint,
  lintDone,
  passFilters,
  refactor,
  resolveIssues,
  type TurnPhase,
} from "./transitions.ts";
import { commitLeftover } from "./commit/leftover.ts";
import { protectedWork, tellReplaced } from "./commit/protected.ts";
import { makeAsCloned } from "./commit/as-cloned.ts";
import { commitGaps } from "./commit/gaps.ts";
import { hasChanged, whatDiffers, whatMoved } from "./repository/outcome.ts";
import {
  changedOwn,
  gitEnding,
  misplaced,
  neverCommitted,
  seenOf,
  temporaryFiles,
  treeOf,
  uncommitted,
  takenBack,
} from "./repository/work-tree.ts";
import { takeTurnAgain } from "./turn/again.ts";
import { recoverTurn } from "./turn/recover.ts";
import { retryOrEnd, scheduleRetry } from "./turn/retry.ts";
import type { TurnFailure } from "./turn/settle.ts";
import { budgetToContinue, nextBound } from "./money/next-turns.ts";
import { takeTurn } from "./turn/turn.ts";
import { otherControls, refuseControls, reportControls } from "./repository/controls.ts";
import { leftAside } from "./commit/left-aside.ts";
import { listPaths } from "./commit/untouchable.ts";

/**
 * Takes a run to its end: asks what comes next, does it, keeps what came of it.
 *
 * @param opening - Told before anything else: how the run came to be where it is.
 */
export async function drive(run: Run, opening: readonly LoopEventData[]): Promise<TaskResult> {
  for (const event of opening) await run.emit(event);
  const moved = run.superseded ?? (await refuseControls(run)) ?? (await confirmApproval(run));
  if (moved !== undefined) return finish(run, moved);
  for (;;) {
    const ending = run.superseded ?? run.broken ?? (await runNextStep(run));
    if (ending !== undefined) return finish(run, ending);
  }
}

async function runNextStep(run: Run): Outcome {
  const waiting = askPeople(run);
  if (waiting !== undefined) return waiting;
  const next = nextStep(run.state, run);
  if ("end" in next) return endingOf(next.end, run.state, run.runKind);
  if (run.settings.signal?.aborted === true) return INTERRUPTED;
  if (mayBuy(next.step) && !mayBeginTurn(run)) return INTERRUPTED;
  const ending = await STEPS[next.step](run);
  if (run.superseded === undefined) await reportControls(run);
  // In the others agents or checks work, after which nothing holds that was seen before.
  run.clean &&= next.step === "recover";
  return ending;
}

function mayBeginTurn({ settings }: Run, role?: AgentRole): boolean {
  return settings.mayBeginTurn?.(role) !== false;
}

/** A step changes the run's state, or ends the run. */
type Outcome = Promise<Ending | undefined>;

const STEPS: Readonly<Record<Step, (run: Run) => Outcome>> = {
  begin,
  recover,
  again,
  commit,
  fix,
  lint,
  filter,
  review,
  judge,
  approve: finishApproved,
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
  return outcomeOf(run, await takeTurnAgain(run));
}

async function work(run: Run, phase: TurnPhase): Outcome {
  const role = phase === "reviewing" ? "reviewer" : "coder";
  if (!mayBeginTurn(run, role)) return INTERRUPTED;
  const unread = takeAnswers(run);
  if (unread !== undefined) return unread;
  return outcomeOf(run, await takeTurn(run, phase));
}

async function outcomeOf(run: Run, failure: TurnFailure): Outcome {
  if (failure === undefined || "outcome" in failure) return failure;
  if (failure.kind === "budget") {
    return turnLimit(run.state, failure, run.settings.maxTurnBudgetUsd);
  }
  return retryOrEnd(run, failure);
}

/**
 * How a turn failed while nobody listened is old news, unless a limit holds that it ran into. One that
 * was listened to has its pause, if it may be retried.
 */
async function recover(run: Run): Outcome {
  const { failure, isNews } = await recoverTurn(run);
  if (failure === undefined || "outcome" in failure) return failure;
  if (isLimited(run)) return outcomeOf(run, failure);
  return isNews && scheduleRetry(run, failure) ? run.saveTurn() : undefined;
}

function isLimited({ state, settings }: Run): boolean {
  return state.retryAt !== "" && Date.parse(state.retryAt) > settings.now().getTime();
}

// --- Between turns -------------------------------------------------------------------------------

async function commit(run: Run): Outcome {
  const { state } = run;
  const { repository } = run.ports;
  const { signal, redact, redactCommit = redact } = run.settings;
  if (repository === undefined) {
    run.state = commitWork(state, "");
    return undefined;
  }
  const { cycle, taskBeadId, untouchablePaths } = state;
  const turnId = state.turn?.id ?? "";
  const message = commitMessage(state, {
    title: run.settings.commit?.subject,
    redact: redactCommit,
  });
  let made: Committed | undefined;
  let held = state.protectedPaths;
  let temporary: readonly string[] = [];
  let takenOut: readonly string[] = [];
  try {
    const seen = await seenOf(run, repository);
    const away = await misplaced(run, repository, seen);
    if (away !== undefined) return away;
    temporary = temporaryFiles(seen);
    const own = await protectedWork(run, repository, seen);
    if ("outcome" in own) return own;
    held = own.held;
    const before = repository.changeTimes(uncommitted(run, seen));
    made = await repository.commit({
      ...message,
      trailers: run.settings.commit?.trailers ?? {},
      taskId: taskBeadId,
      cycle,
      turnId,
      exclude: neverCommitted(run, seen),
      tree: own.tree,
      env: marksOf(state),
      signal,
      seen,
    });
    // Not the commit's own id: a git hook may have amended it, the agent have made one itself.
    run.seen = await repository.look(seen);
    const sha = made?.sha;
    if (sha === run.seen.head) run.head = sha;
    const moved = takenBack(sha, seen, run.seen) ?? (await misplaced(run, repository, run.seen));
    if (moved !== undefined) return moved;
    run.head = run.seen.head;
    takenOut = await repository.takenOut(before, seen, run.seen);
  } catch (error) {
    if (signal?.aborted === true) return INTERRUPTED;
    // Formatting hooks leave files that nobody has seen.
    run.seen = undefined;
    return refused(run, error, message);
  }
  const known = [state.baseCommitSha, ...state.cycleCommits].includes(run.head);
  if (made === undefined && known && untouchablePaths.length > 0) {
    const list = listPaths(untouchablePaths).join(", ");
    await run.warn(
      `cycle ${cycle} has nothing to commit: uncommitted changes in ${list} are not the run's`,
    );
  }
  if (takenOut.length > 0) {
    const list = listPaths(takenOut).join(", ");
    await run.warn(
      `a git hook has taken these changes out of the commit: ${list}\ngit fsck --lost-found finds them`,
    );
  }
  if (temporary.length > 0) {
    const list = listPaths(temporary).join(", ");
    await run.warn(`temporary files of the agent are left, and not committed: ${list}`);
  }
  run.state = { ...commitWork(state, run.head), protectedPaths: held };
  // A git hook that has amended the commit has changed more than git said.
  const changes = made?.sha === run.head ? made.changes : undefined;
  const facts = { cycle, turnId, sha: made && run.head, changes };
  await run.emit({ type: "committed", ...facts });
  if (state.refactored && !run.state.refactored) await run.emit({ type: "refactored", cycle });
  const left = await commitLeftover(run, "git hook");
  // What was refused is tried again before lint, which has the coder fix it.
  return typeof left === "object" && "outcome" in left ? left : undefined;
}

async function fix(run: Run): Outcome {
  return work(run, run.state.phase === "linting" ? "linting" : "coding");
}

async function lint(run: Run): Outcome {
  const lint = await runLint(run);
  if ("outcome" in lint) return lint;
  const { reports, unrun } = lint;
  run.state = lintDone(run.state, [...reports, ...unrun].join("\n\n"));
  if (reports.length === 0 || run.state.lintFixes >= run.settings.maxLintRetries) {
    if (reports.length > 0) await run.warn(STILL_FAILS);
    run.state = leaveLint(run.state);
    return undefined;
  }
  return work(run, "linting");
}

const STILL_FAILS =
  "lint still fails, and the coder may not try again: the reviewer gets what it printed";

/** What lint has to say. */
interface Lint {
  /** Of those that failed: the coder's to fix. */
  readonly reports: readonly string[];
  /** Of those that could not be run. */
  readonly unrun: readonly string[];
}

/** One that fixes files and fails is asked once more. */
async function runLint(run: Run): Promise<Lint | Ending> {
  // What is uncommitted when a run continues here was left by a step that was killed.
  const before = run.seen === undefined ? await commitLeftover(run, "checks") : false;
  if (typeof before === "object") {
    return "report" in before ? { reports: [before.report], unrun: [] } : before;
  }
  if (run.settings.lint.length === 0) return { reports: [], unrun: [] };
  for (let isAgain = false; ; isAgain = true) {
    const reports: string[] = [];
    const unrun: string[] = [];
    for (const check of run.settings.lint) {
      const result = await tryCheck(run, "lint", check);
      if ("outcome" in result) return result;
      const output = trimSpace(result.output);
      if (result.status === "broken") {
        await run.warn(broken(check.name, result.output));
        unrun.push(`${check.name} could not be run:\n${output}`);
      }
      if (result.status === "failed") reports.push(`${check.name}:\n${output}`);
    }
    const left = await commitLeftover(run, "checks");
    if (typeof left === "object") {
      return "report" in left ? { reports: [...reports, left.report], unrun } : left;
    }
    if (!left || isAgain || reports.length === 0) return { reports, unrun };
  }
}

async function filter(run: Run): Outcome {
  const ending = (await bounceGaps(run)) ?? (await bounceJudged(run)) ?? (await runFilters(run));
  if (ending !== undefined) return ending === "bounced" ? undefined : ending;
  const tree = await checkedTree(run);
  if (typeof tree === "object") return tree;
  run.state = passFilters(run.state, tree, namedChecks(run.settings));
  return undefined;
}

/** What no commit can hold goes back to the coder like a check that failed. */
async function bounceGaps(run: Run): Promise<"bounced" | Ending | undefined> {
  const landed = await makeAsCloned(run);
  if (landed === undefined || "outcome" in landed) return landed;
  try {
    const gaps = await commitGaps(run, landed);
    if (gaps === "") return undefined;
    const { cycle, allFindings } = run.state;
    const finding = filterFinding("commit", gaps, cycle);
    const wasAsked = allFindings.some(({ id, cycle: of }) => id === finding.id && of === cycle - 1);
    // Who was asked to put it right has not, or cannot: it is the person's.
    if (wasAsked)
      return { outcome: "work-tree", message: `after another turn of the coder, too: ${gaps}` };
    run.state = bounce(run.state, "commit", gaps, finding);
  } catch (error) {
    return gitEnding("what was committed could not be read", error);
  }
  await closeCycle(run, false);
  return "bounced";
}

/** What the caller finds wrong with the commit goes back to the coder like a check that failed. */
async function bounceJudged(run: Run): Promise<"bounced" | Ending | undefined> {
  const { judgeCommit, signal } = run.settings;
  if (judgeCommit === undefined || run.head === "") return undefined;
  try {
    const wrong = await judgeCommit(run.head);
    if (wrong === "") return undefined;
    run.state = bounce(run.state, "commit", wrong, filterFinding("commit", wrong, run.state.cycle));
  } catch (error) {
    if (signal?.aborted === true) return INTERRUPTED;
    return { outcome: "check", message: `the commit could not be judged: ${messageOf(error)}` };
  }
  await closeCycle(run, false);
  return "bounced";
}

/** Those that change files run once more, on what they have made of them; then they are to leave it alone. */
async function runFilters(run: Run): Promise<"bounced" | Ending | undefined> {
  if (run.settings.filters.length === 0) return undefined;
  for (let isAgain = false; ; isAgain = true) {
    const before = run.head;
    const failed = await failedFilter(run);
    if (failed !== undefined && "outcome" in failed) return failed;
    const left = await commitLeftover(run, "checks");
    if (typeof left === "object" && "outcome" in left) return left;
    const refusal = typeof left === "object" ? { name: "commit", output: left.report } : undefined;
    const failure =
      failed ?? refusal ?? (left && isAgain ? await restless(run, before) : undefined);
    if (failure === undefined && left) {
      const landed = await makeAsCloned(run);
      if (landed !== undefined && "outcome" in landed) return landed;
      continue;
    }
    if (failure === undefined) return undefined;
    if ("outcome" in failure) return failure;
    const { name, output } = failure;
    run.state = bounce(run.state, name, output, filterFinding(name, output, run.state.cycle));
    await closeCycle(run, false);
    return "bounced";
  }
}

/** A required check that did not let an approval pass. */
interface FailedCheck {
  readonly name: string;
  readonly output: string;
}

/** Checks that change what they judge each time have passed on nothing that a commit could hold. */
async function restless(run: Run, before: string): Promise<FailedCheck | Ending> {
  try {
    const paths = (await run.ports.repository?.changedPaths(before, run.head)) ?? [];
    const output =
      `The checks change these files whenever they run, so they have passed on nothing that is committed: ` +
      `${listPaths(paths).join(", ")}. Have git ignore the files, if nobody needs them, or the checks leave them as they are.`;
    return { name: "checks", output };
  } catch (error) {
    return gitEnding("what the checks changed could not be read", error);
  }
}

async function failedFilter(run: Run): Promise<FailedCheck | Ending | undefined> {
  for (const check of run.settings.filters) {
    const result = await tryCheck(run, "filter", check);
    if ("outcome" in result) return result;
    const { status, output } = result;
    if (status === "broken") return { outcome: "check", message: broken(check.name, output) };
    if (status === "failed") return { name: check.name, output };
  }
  return undefined;
}

async function checkedTree(run: Run): Promise<string | Ending> {
  const { repository } = run.ports;
  if (repository === undefined) return "";
  try {
    return await treeOf(run, repository);
  } catch (error) {
    return gitEnding("the tree that the checks left could not be read", error);
  }
}

function broken(name: string, output: string): string {
  return `${name} could not be run: ${trimSpace(output) || "the shell does not know it"}`;
}

/** An approval counts where it is true of the repository. */
async function finishApproved(run: Run): Outcome {
  if (run.runKind.isLoop && run.state.checkedWith !== namedChecks(run.settings)) {
    run.state = checkAnew(run.state);
    return undefined;
  }
  const differs = await whatDiffers(run);
  if (differs !== undefined) return withdraw(run, differs);
  const { repository } = run.ports;
  const own =
    run.seen === undefined || repository === undefined ? [] : changedOwn(run, repository, run.seen);
  if (own.length > 0) {
    const list = listPaths(own).join(", ");
    await run.warn(`Quasar's own files changed in this run; they are not committed: ${list}`);
  }
  run.state = approve(run.state);
  return undefined;
}

/** One that is stored counts where it still is. */
async function confirmApproval(run: Run): Outcome {
  if (run.state.phase !== "approved") return undefined;
  const moved = await whatMoved(run);
  return moved === undefined ? undefined : withdraw(run, moved);
}

/** A resume has what is there checked and reviewed. */
function withdraw(run: Run, ending: Ending): Ending {
  if (ending.outcome === "approved-differs") run.state = checkAgain(run.state);
  return ending;
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

/** The end of a run is reported even where git cannot be asked. */
async function tellOfReplaced(run: Run): Promise<void> {
  try {
    await tellReplaced(run);
  } catch (error) {
    await run.warn(`your uncommitted files could not be read: ${messageOf(error)}`);
  }
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
    const description = run.settings.takeRefactor?.(run.state.taskTitle);
    if (description !== undefined && trimSpace(description) !== "") {
      run.state = refactor(run.state, description);
    }
  } catch (error) {
    await run.warn(`the new text of the task could not be read: ${messageOf(error)}`);
  }
}

// --- The end -------------------------------------------------------------------------------------

/** Nobody judges yet what a run has made that ended so. */
const SOON_AGAIN: ReadonlySet<Ending["outcome"]> = new Set(["superseded", "interrupted"]);

/** An approval whose commits would go elsewhere, or be made by other programs, waits for a person. */
async function approvable(run: Run, planned: Ending): Promise<Ending> {
  return (planned.outcome === "approved" ? await refuseControls(run) : undefined) ?? planned;
}

async function finish(run: Run, planned: Ending): Promise<TaskResult> {
  const ending = run.superseded ?? (await approvable(run, planned));
  const { outcome } = ending;
  const { cycle } = run.state;
  const changed = await hasChanged(run);
  if (outcome !== "superseded" && run.runKind.isLoop) await tellOfReplaced(run);
  const isEmpty = outcome === "approved" && !changed && run.runKind.isLoop;
  let message =
    isEmpty && run.ports.repository ? withoutChanges(run.state).message : ending.message;
  if (outcome === "budget") {
    const { neededTurnUsd: neededTurnBudgetUsd = 0 } = ending;
    const neededBudgetUsd =
      budgetToContinue(run.state, run.settings, ending.refused) || budgetAfterStop(run, ending);
    run.state = { ...run.state, neededBudgetUsd, neededTurnBudgetUsd };
    message += neededWords(run.state);
  }
  if (run.runKind.isLoop && !SOON_AGAIN.has(outcome)) {
    message = [message, ...(await leftAside(run, outcome === "approved"))].join(" ");
  }
  if (!SOON_AGAIN.has(outcome)) message = `${message} ${await otherControls(run, message)}`.trim();
  const report = outcome === "approved" ? parseReview(run.state.reviewOutput).report : undefined;
  if (outcome === "approved") {
    await run.emit({ type: "task_success", cycle, report });
    const unsaved = run.unrecorded ?? run.unsavedEnd ?? (await removeCheckpoint(run));
    if (unsaved !== undefined) return finish(run, unsaved);
  } else if (outcome === "superseded") {
    // It is not reported: a listener may store it.
  } else if (outcome === "struggling") {
    await run.emit({ type: "struggle_detected", cycle, message });
  } else {
    run.state = giveUp(run.state, message);
    await run.emit({ type: "task_failed", cycle, reason: outcome, message });
  }
  const back = ending.wayBack ?? (outcome === "agent" ? await wayBackFrom(run) : undefined);
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
    changed,
    cycleCommits: state.cycleCommits,
    caches: run.caches,
    checkpoint: run.checkpoint(),
    agentFailure: ending.agentFailure,
    ...(back !== undefined && { wayBack: back }),
    ...(ending.fullDisk !== undefined && { fullDisk: ending.fullDisk || run.settings.workTree }),
  };
}

/** What an agent that failed has left of the tree may keep a resume from continuing. */
async function wayBackFrom(run: Run): Promise<Ending["wayBack"]> {
  const { repository } = run.ports;
  if (repository === undefined || run.runKind.readsOnly) return undefined;
  try {
    return (await misplaced(run, repository, await repository.look()))?.wayBack;
  } catch {
    // A resume looks again, and says what it finds.
    return undefined;
  }
}

/** The budget for a turn that was stopped at what it may spend: it would be again; 0 where it needs no larger one. */
function budgetAfterStop({ state, settings, runKind }: Run, { agentFailure }: Ending): number {
  const { totalCostUsd, maxBudgetUsd, turn } = state;
  if (maxBudgetUsd === 0 || agentFailure?.kind !== "budget" || turn === undefined) return 0;
  const reviewUsd = runKind.isLoop ? nextBound(state, "reviewing", settings) : undefined;
  const more = budgetForMore({ totalCostUsd }, turn, reviewUsd);
  return more > maxBudgetUsd ? more : 0;
}

/** What is finished must not be resumed. */
async function removeCheckpoint(run: Run): Promise<Ending | undefined> {
  const { checkpoint } = run.settings;
  try {
    await checkpoint?.store.remove(checkpoint.phaseId);
    return undefined;
  } catch (error) {
    if (run.requiresSaves) return unsavedEnd(error);
    await run.warn(`the checkpoint of the finished task could not be removed: ${messageOf(error)}`);
    return undefined;
  }
}
