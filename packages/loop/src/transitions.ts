import type { CheckpointLedgerEntry, CheckpointTurn, Phase } from "@quasar/checkpoint";
import type { AgentProcess, AgentRole } from "./agent.ts";
import type { Finding } from "./finding.ts";
import { accumulate, applyVerifications, tagFindings } from "./findings.ts";
import { book, entryOf } from "./ledger.ts";
import type { Cost } from "./money.ts";
import type { ParsedReview } from "./review.ts";
import type { CycleState } from "./state.ts";
import { NO_PROCESS, storedProcess } from "./turn-process.ts";

// The moves of the state machine: each takes a state and gives the next one.

/** A cycle begins. The findings of the one before stay: they are what the coder is to mend. */
export function beginCycle(state: CycleState, cycle: number): CycleState {
  const cleared = { lintOutput: "", reviewOutput: "", filterOutput: "", filterCheckName: "" };
  return withLintFixes({ ...state, ...cleared, phase: "bead_created", cycle }, 0);
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
export function isPending({ phase, turn }: CycleState): boolean {
  return isTurnPhase(phase) && turn?.role === ROLES[phase];
}

/** Whether a turn was begun and nobody knows how it ended. */
export function isUnknown(state: CycleState): boolean {
  return isPending(state) && state.turn?.status === "started" && state.failure === "";
}

/** A turn is about to begin: from here on its cost counts, whatever becomes of it. */
export function startTurn(state: CycleState, phase: TurnPhase, turn: CheckpointTurn): CycleState {
  const isNewFix = phase === "linting" && !isPending(state);
  const counted = isNewFix ? withLintFixes(state, lintFixes(state) + 1) : state;
  return { ...counted, phase, turn, failure: "", retryAt: "" };
}

/** The turn has a process, which may do nothing yet. */
export function nameProcess(state: CycleState, process: AgentProcess): CycleState {
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

/** A turn ended well: its output and its cost are known, its work is still to be taken. */
export function settleTurn(state: CycleState, output: string, cost: Cost): CycleState {
  const { turn } = state;
  if (turn === undefined) return state;
  const text = output.toWellFormed();
  return {
    ...state,
    ...(turn.role === "coder" ? { coderOutput: text } : { reviewOutput: text }),
    ...book(state, entryOf(turn, state.cycle, "settled", cost)),
    turn: { ...turn, status: "settled" },
  };
}

/** A turn came to nothing: what it cost is spent, and it is to be started again. */
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

/** A usage limit holds until then, as the agent says; what is no time is passed over. */
export function limitUntil(state: CycleState, retryAt: string | undefined): CycleState {
  const time = Date.parse(retryAt ?? "");
  return Number.isNaN(time) ? state : { ...state, retryAt: new Date(time).toISOString() };
}

/** A turn whose agent was never started: it is to be taken as if it had not been begun. */
export function takeBackTurn(state: CycleState): CycleState {
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
  return { ...task, phase: "code_complete", cycleCommits };
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

/** The review is next. */
export function passFilters(state: CycleState): CycleState {
  return { ...state, phase: "reviewing" };
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

/** The next cycle is to mend what this one's review found. */
export function resolveIssues(state: CycleState): CycleState {
  return { ...state, phase: "resolving_issues" };
}

/**
 * The run ends before the task is done. A turn whose end is not known stays so: with a reason it
 * would be taken for one that has been counted.
 */
export function giveUp(state: CycleState, reason: string): CycleState {
  return isUnknown(state) ? state : { ...state, failure: reason.toWellFormed() };
}

/** Key of the number of lint fixes that the present cycle has had, among the state's extra keys. */
const LINT_FIXES = "lint_fixes";

export function lintFixes({ extra }: CycleState): number {
  const value = extra[LINT_FIXES];
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : 0;
}

export function withLintFixes(state: CycleState, fixes: number): CycleState {
  const { [LINT_FIXES]: _, ...others } = state.extra;
  return { ...state, extra: fixes === 0 ? others : { ...others, [LINT_FIXES]: fixes } };
}
