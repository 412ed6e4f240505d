import type {
  CheckpointLedgerEntry,
  CheckpointQuestion,
  CheckpointTurn,
  Phase,
} from "@quasar/checkpoint";
import { joinReports, subjectGiven } from "./commit/commit-message.ts";
import type { ProcessIdentity } from "@quasar/process";
import type { AgentRole } from "@quasar/agents";
import type { Finding } from "./review/finding.ts";
import { accumulate, applyVerifications, tagFindings } from "./review/findings.ts";
import { book, entryOf } from "./money/ledger.ts";
import type { Cost } from "./money/money.ts";
import { openBlockers } from "./question/relay.ts";
import type { ParsedReview } from "./review/review.ts";
import type { CycleState } from "./state.ts";
import { NO_PROCESS, storedProcess } from "./turn/turn-process.ts";

// The moves of the state machine: each takes a state and gives the next one.

/** A cycle begins. The findings of the one before stay: they are what the coder is to fix. */
export function beginCycle(state: CycleState, cycle: number): CycleState {
  const cleared = { lintOutput: "", reviewOutput: "", filterOutput: "", filterCheckName: "" };
  const fresh = { ...state, ...cleared, ...NOT_REFUSED, commitFixes: 0, lintFixes: 0 };
  return { ...fresh, phase: "bead_created", cycle };
}

export const NOT_REFUSED = { commitRefused: "", commitSubject: "" } as const;

/** The commit of the coder's work was refused: what was printed goes back to it. */
export function refuseCommit(
  state: CycleState,
  commitRefused: Exclude<CycleState["commitRefused"], "">,
  { output, subject }: { readonly output: string; readonly subject: string },
): CycleState {
  const named = commitRefused === "message" ? { commitSubject: subject } : {};
  return { ...state, ...named, commitRefused, lintOutput: output.toWellFormed() };
}

/** Whether the coder is to fix what was refused before its work is committed. */
export function isRefused({ commitRefused, turn }: CycleState): boolean {
  return commitRefused !== "" && turn?.status === "settled";
}

/** The phases that are turns of agents. */
export type TurnPhase = Extract<Phase, "coding" | "linting" | "reviewing">;

/** Whose turn a phase is. */
export const ROLES: Readonly<Record<TurnPhase, AgentRole>> = {
  coding: "coder",
  linting: "coder",
  reviewing: "reviewer",
};

export function isTurnPhase(phase: Phase): phase is TurnPhase {
  return Object.hasOwn(ROLES, phase);
}

/** Whether the last turn's work is still to be taken: only in the phase that is this turn. */
export function isPending({ phase, turn, reviewOutput }: CycleState): boolean {
  if (!isTurnPhase(phase) || turn?.role !== ROLES[phase]) return false;
  // A review that was given up has left its turn, and no output.
  return !(phase === "reviewing" && turn.status === "settled" && reviewOutput === "");
}

/** Whether a turn was begun and its end is unknown. */
export function isUnknown(state: CycleState): boolean {
  return isPending(state) && state.turn?.status === "started" && state.failure === "";
}

/** A turn is about to begin: from here on its cost counts, whatever becomes of it. */
export function startTurn(state: CycleState, phase: TurnPhase, turn: CheckpointTurn): CycleState {
  const isNewFix = phase === "linting" && !isPending(state);
  const lintFixes = state.lintFixes + (isNewFix ? 1 : 0);
  const commitFixes = state.commitFixes + (isRefused(state) ? 1 : 0);
  const fixes = { lintFixes, commitFixes };
  return { ...state, ...fixes, phase, turn, failure: "", retryAt: "", ...NOTHING_NEEDED };
}

const NOTHING_NEEDED = { neededBudgetUsd: 0, neededTurnBudgetUsd: 0 };

/** The turn has a process, which may do nothing yet. */
export function nameProcess(state: CycleState, process: ProcessIdentity): CycleState {
  const { turn } = state;
  return turn === undefined ? state : { ...state, turn: { ...turn, ...storedProcess(process) } };
}

/** Ids are short. A longer one is hostile, and would not fit the head of the file. */
const SESSION_ID_LENGTH = 256;

/** The agent named its conversation. */
export function nameSession(state: CycleState, sessionId: string): CycleState {
  const { turn } = state;
  if (turn === undefined || sessionId.length > SESSION_ID_LENGTH) return state;
  return turn.sessionId === sessionId ? state : { ...state, turn: { ...turn, sessionId } };
}

/** The conversation is of no use to a later turn. */
export function forgetSession(state: CycleState): CycleState {
  return nameSession(state, "");
}

/**
 * A turn ended well: its output and its cost are known, its work is still to be taken.
 *
 * @param questions - What its agent has asked.
 */
export function settleTurn(
  state: CycleState,
  output: string,
  cost: Cost,
  questions: readonly CheckpointQuestion[] = [],
): CycleState {
  const { turn } = state;
  if (turn === undefined) return state;
  const text = output.toWellFormed();
  return {
    ...state,
    ...(turn.role === "coder" ? settleCoder(state, text) : { reviewOutput: text }),
    ...book(state, entryOf(turn, state.cycle, "settled", cost)),
    questions: [...openBlockers(state), ...questions],
    // A prompt for a commit's subject alone has nothing else in it.
    humanResponses: state.commitRefused === "message" ? state.humanResponses : "",
    turn: { ...turn, status: "settled" },
  };
}

/** What a coder has said, by what it was asked. */
function settleCoder(state: CycleState, text: string): Partial<CycleState> {
  const { commitRefused, commitSubject, coderOutput } = state;
  switch (commitRefused) {
    case "":
      return { coderOutput: text };
    case "work":
      return { commitRefused: "", coderOutput: joinReports(coderOutput, text) };
    case "message":
      return { commitRefused: "", commitSubject: subjectGiven(text) ?? commitSubject };
  }
}

/** A turn failed: what it cost is spent, and it is to be started again. */
export function failTurn(
  state: CycleState,
  cost: Cost,
  failure: string,
  status: Exclude<CheckpointLedgerEntry["status"], "settled"> = "failed",
): CycleState {
  const { turn } = state;
  if (turn === undefined) return state;
  const books = book(state, entryOf(turn, state.cycle, status, cost));
  return { ...state, ...books, failure: failure.toWellFormed() };
}

/** A turn that failed is to be retried, by the run itself. */
export function awaitRetry(
  state: CycleState,
  retry: Pick<CheckpointTurn, "retries" | "kills" | "retryAt">,
): CycleState {
  const { turn } = state;
  return turn === undefined ? state : { ...state, turn: { ...turn, ...retry } };
}

/** A usage limit holds until then, as the agent says; what is no time is passed over. */
export function limitUntil(state: CycleState, retryAt: string | undefined): CycleState {
  const time = Date.parse(retryAt ?? "");
  return Number.isNaN(time) ? state : { ...state, retryAt: new Date(time).toISOString() };
}

/** A turn whose agent was never started: it is to be taken as if it had not been begun. */
export function rollBackUnstartedTurn(state: CycleState): CycleState {
  const { turn } = state;
  if (turn === undefined) return state;
  const { attempt, resumed, sessionId } = turn;
  const kept = { attempt: attempt - 1, sessionId: resumed ? sessionId : "", ...NO_PROCESS };
  return { ...state, turn: { ...turn, ...kept }, failure: "interrupted before its agent began" };
}

/** The coder's work is committed; `""` outside a repository, where nothing is. */
export function commitWork(state: CycleState, sha: string): CycleState {
  const cycleCommits = sha === "" ? state.cycleCommits : sealCommit(state, sha);
  const task = state.phase === "coding" ? closeRefactor(state) : state;
  return { ...task, ...NOT_REFUSED, phase: "code_complete", cycleCommits };
}

/** The cycle's commit has another one on top, which says the same of whose it is. */
export function sealHead(state: CycleState, sha: string): CycleState {
  return { ...state, cycleCommits: sealCommit(state, sha) };
}

/** A cycle has one commit at its own index, however often it is made anew. */
export function sealCommit(
  { cycle, cycleCommits }: Pick<CycleState, "cycle" | "cycleCommits">,
  sha: string,
): readonly string[] {
  const length = Math.max(cycleCommits.length, cycle);
  return Array.from({ length }, (_, at) => (at === cycle - 1 ? sha : (cycleCommits[at] ?? "")));
}

/** The refactored task is what the coder has worked on: from now on it is simply the task. */
function closeRefactor(state: CycleState): CycleState {
  return { ...state, refactored: false, originalDescription: "", refactorDescription: "" };
}

/** The task gets a new text while the loop runs. */
export function refactor(state: CycleState, description: string): CycleState {
  const text = description.toWellFormed();
  return {
    ...state,
    originalDescription: state.taskTitle,
    refactorDescription: text,
    taskTitle: text,
    refactored: true,
  };
}

/** What lint has to say; `""` when nothing. */
export function lintDone(state: CycleState, output: string): CycleState {
  return { ...state, lintOutput: output };
}

/** The filters are next, be it that lint is satisfied or that the coder may not try again. */
export function leaveLint(state: CycleState): CycleState {
  return { ...state, phase: "filtering" };
}

/**
 * The review is next. One that was taken of this very tree still counts.
 *
 * @param tree - What the checks have left.
 * @param checks - Names them.
 */
export function passFilters(state: CycleState, tree: string, checks: string): CycleState {
  const reviewOutput = state.reviewedTree === tree ? state.reviewOutput : "";
  return { ...state, phase: "reviewing", checkedTree: tree, checkedWith: checks, reviewOutput };
}

/** Other checks are to run on what was approved. */
export function checkAnew(state: CycleState): CycleState {
  return { ...state, phase: "code_complete" };
}

/** The checks and a new review are to run on what is there now. */
export function checkAgain(state: CycleState): CycleState {
  return { ...state, phase: "code_complete", reviewOutput: "" };
}

/** A cycle ends without a review: what a filter said is its one finding. */
export function bounce(
  state: CycleState,
  name: string,
  output: string,
  finding: Finding,
): CycleState {
  return closeCycle(
    { ...state, filterOutput: output, filterCheckName: name, reviewOutput: "" },
    [finding],
    state.allFindings,
  );
}

/** A cycle ends with a review. */
export function applyReview(state: CycleState, review: ParsedReview): CycleState {
  const earlier = applyVerifications(state.allFindings, review.verifications);
  return closeCycle(state, tagFindings(review.findings, state.cycle), earlier);
}

function closeCycle(
  state: CycleState,
  findings: readonly Finding[],
  earlier: readonly Finding[],
): CycleState {
  return {
    ...state,
    phase: "review_complete",
    findings,
    allFindings: accumulate(earlier, findings),
    filterHistory: sealFilter(state),
  };
}

/** One name a cycle, at the cycle's own index, as with the commits. */
function sealFilter({ cycle, filterHistory, filterCheckName }: CycleState): readonly string[] {
  const names = Array.from({ length: cycle - 1 }, (_, at) => filterHistory[at] ?? "");
  return [...names, filterCheckName];
}

export function approve(state: CycleState): CycleState {
  return { ...state, phase: "approved", failure: "" };
}

/** The next cycle is to fix what this one's review found. */
export function resolveIssues(state: CycleState): CycleState {
  return { ...state, phase: "resolving_issues" };
}

/**
 * The run ends before the task is done. A turn whose end is not known stays so: with a reason it
 * would be taken for one that has been counted. One that is to be retried keeps what it failed of.
 */
export function giveUp(state: CycleState, reason: string): CycleState {
  const isRetried = isPending(state) && state.failure !== "" && state.turn?.retryAt !== "";
  return isUnknown(state) || isRetried ? state : { ...state, failure: reason.toWellFormed() };
}
