import type { Phase } from "@quasar/checkpoint";
import { carriesMark, type Commit, TRAILER } from "@quasar/git";
import type { LoopEventData } from "../event.ts";
import { accumulate } from "../review/findings.ts";
import { balanced, book, entryOf } from "../money/ledger.ts";
import { type Bounds, type Cost, lostCost, unlearnedCost } from "../money/money.ts";
import { NO_RETRIES } from "../turn/retry.ts";
import type { CycleState } from "../state.ts";
import {
  beginCycle,
  commitWork,
  failTurn,
  isUnknown,
  NOT_REFUSED,
  sealHead,
  settleTurn,
} from "../transitions.ts";
import { isTurnOf, turnNumber } from "../turn/turn-id.ts";
import { NO_PROCESS } from "../turn/turn-process.ts";

/** What becomes of a checkpoint without a `turn` entry: the rules of the seed. */
export type RestartRule =
  /** The cycle begins, or begins again; what its coder said is discarded. */
  | "same cycle"
  /** The coder's work is taken if the cycle's commit is HEAD, else the cycle begins again. */
  | "checks"
  /** The cycle is whole: the next one begins, or the task is finished if its review approves. */
  | "next cycle"
  /** The task is finished: nothing is run. */
  | "finish"
  /** Such a checkpoint is refused before it comes to this. */
  | "refuse";

/** @see SPEC.md, "Resume" */
export const RESTART_RULES: Readonly<Record<Phase, RestartRule>> = {
  idle: "same cycle",
  bead_created: "same cycle",
  coding: "same cycle",
  code_complete: "checks",
  linting: "checks",
  filtering: "checks",
  reviewing: "same cycle",
  review_complete: "next cycle",
  resolving_issues: "next cycle",
  approved: "finish",
  error: "refuse",
};

/** The state that a run continues from. A checkpoint with a `turn` entry says itself how far it got. */
export function restart(state: CycleState, head: string): CycleState {
  const books = { ...state, ...balanced(state) };
  const kept = isCounted(state) ? books : { ...books, failure: "" };
  // What refused the commit may have been put right: it is tried first.
  if (state.turn?.status === "settled") return { ...kept, commitRefused: "" };
  if (state.turn !== undefined) return kept;
  return RESTARTS[RESTART_RULES[state.phase]](kept, head);
}

const RESTARTS: Readonly<Record<RestartRule, (state: CycleState, head: string) => CycleState>> = {
  "same cycle": beginAgain,
  checks: (state, head) => (isCommitted(state, head) ? afterCoder(state) : beginAgain(state)),
  "next cycle": (state) => ({
    ...state,
    allFindings: accumulate(state.allFindings, state.findings),
  }),
  finish: (state) => state,
  refuse: (state) => state,
};

/**
 * The state once what a coder's turn did is gone before it was committed, and the turn is booked: from the cycle's commit
 * on, where that is HEAD, else from the cycle's beginning.
 */
export function workAgain(state: CycleState, head: string): CycleState {
  const { turn } = state;
  const closed = turn && ({ ...turn, status: "settled", retryAt: "" } as const);
  const kept = { ...state, ...NOT_REFUSED, turn: closed, failure: "" };
  return RESTARTS.checks(kept, head);
}

function isCommitted({ cycle, cycleCommits }: CycleState, head: string): boolean {
  return head !== "" && cycleCommits[cycle - 1] === head;
}

function afterCoder(state: CycleState): CycleState {
  return { ...state, phase: "code_complete" };
}

function beginAgain(state: CycleState): CycleState {
  return { ...state, phase: "bead_created", cycle: Math.max(1, state.cycle), coderOutput: "" };
}

/** Whether the failure is that of a turn which is to be started again. */
function isCounted(state: CycleState): boolean {
  return isUnknown({ ...state, failure: "" });
}

/** Whether a commit carries the marks that a run gives to those it makes. */
export function isMarked(
  commit: Pick<Commit, "trailers">,
  { runId, taskBeadId }: Pick<CycleState, "runId" | "taskBeadId">,
): boolean {
  const turns = commit.trailers.get(TRAILER.turn) ?? [];
  return turns.some((id) => isTurnOf(runId, id)) && carriesMark(commit, { taskId: taskBeadId });
}

/** Whether a commit was made in one of a run's turns, as the reflog has it: its agents' own are. */
export function isOfTurn(
  action: string | undefined,
  { runId }: Pick<CycleState, "runId">,
): boolean {
  const prefix = `quasar:${runId}/`;
  return (
    runId !== "" && action?.startsWith(prefix) === true && /^\d+/u.test(action.slice(prefix.length))
  );
}

/** Whether the commits lead from one commit to another in a single line. */
export function isLine(from: string, commits: readonly Commit[]): boolean {
  let last = from;
  return commits.every(({ sha, parents }) => {
    const [parent = "", ...merged] = parents;
    const follows = parent === last && merged.length === 0;
    last = sha;
    return follows;
  });
}

export interface Adoption {
  readonly state: CycleState;
  /** Told of each commit that brought the state further: whoever made it may not have come to it. */
  readonly committed: readonly LoopEventData[];
}

/**
 * The state once commits of the run's own are taken into account, and what is to be told of them.
 *
 * @param at - What to take for the time of a turn that only a commit knows: RFC 3339.
 * @param boundsUsd - What such a turn counts with.
 */
export function adoptCommits(
  state: CycleState,
  commits: readonly Commit[],
  at: string,
  boundsUsd: Bounds = {},
): Adoption {
  let last = state;
  const committed: LoopEventData[] = [];
  for (const commit of commits) {
    const next = adoptCommit(last, commit, { at, boundsUsd });
    const { cycle, turn } = next;
    const turnId = turn?.id ?? "";
    if (next !== last) committed.push({ type: "committed", cycle, turnId, sha: commit.sha });
    last = next;
  }
  return { state: last, committed };
}

interface Unseen {
  readonly at: string;
  readonly boundsUsd: Bounds;
}

/**
 * The state once a commit of the run's own is taken into account that it does not know of.
 *
 * Turns that only the commit knows have cost something.
 *
 * @see lostCost
 */
function adoptCommit(state: CycleState, commit: Commit, known: Unseen): CycleState {
  const id = commit.trailers.get(TRAILER.turn)?.[0] ?? "";
  const cycle = Number(commit.trailers.get(TRAILER.cycle)?.[0]);
  const unseen = turnNumber(id) - turnNumber(state.turn?.id);
  if (unseen < 0 || !isNextCycle(cycle, state)) return state;
  if (unseen === 0) return adoptKnown(state, commit.sha, known);
  const counted = isUnknown(state) ? failTurn(state, unlearned(state, known), "", "lost") : state;
  const between = unseen === 1 ? counted : bookUnseen(counted, unseen - 1, known);
  const fix = cycle === state.cycle && isCoded(state);
  const begun = fix ? between : beginCycle(between, cycle);
  const cost = lostCost(begun, known.boundsUsd, ["coder"]);
  const turn = {
    id,
    role: "coder",
    attempt: 1,
    status: "started",
    allowanceUsd: 0,
    reservedUsd: cost.totalUsd,
    unmetered: false,
    startedAt: known.at,
    sessionId: "",
    resumed: false,
    treeMark: "",
    ...NO_PROCESS,
    ...NO_RETRIES,
    retryAt: "",
  } as const;
  const started = { ...begun, phase: fix ? "linting" : "coding", turn, failure: "" } as const;
  const committed = commitWork(settleTurn(started, "", cost), commit.sha);
  const lintFixes = committed.lintFixes + (fix ? 1 : 0);
  // A turn of which there is no trace may have begun to fix lint: what it left is committed first.
  return { ...committed, lintFixes, phase: "linting" };
}

/** Turns of which nothing is known but that there were so many. */
function bookUnseen(state: CycleState, turns: number, { at, boundsUsd }: Unseen): CycleState {
  const cost = lostCost(state, boundsUsd, ["coder", "reviewer"], turns);
  const { totalUsd: reservedUsd } = cost;
  const unseen = { id: "", role: "coder", attempt: 0, reservedUsd, startedAt: at } as const;
  const entry = entryOf(unseen, state.cycle, "lost", cost);
  return { ...state, ...book(state, entry) };
}

/** Trailers can be written by anybody: they do not take a run beyond its cycles. */
function isNextCycle(cycle: number, state: CycleState): boolean {
  const last = Math.max(state.cycle + 1, state.maxCycles);
  return Number.isSafeInteger(cycle) && cycle >= state.cycle && cycle <= last;
}

/** The commit is that of the state's last turn, or one on top of what lint, a check or a git hook changed. */
function adoptKnown(state: CycleState, sha: string, known: Unseen): CycleState {
  if (CHECKING.has(state.phase)) return sealHead(state, sha);
  if (state.phase !== "coding" && state.phase !== "linting") return state;
  const { turn } = state;
  if (turn?.role !== "coder") return state;
  if (turn.status === "settled") return commitWork(state, sha);
  const settled = settleTurn({ ...state, failure: "" }, "", unlearned(state, known));
  return commitWork(settled, sha);
}

/** What the state's last turn counts with, whose end is not known. */
function unlearned({ turn }: CycleState, { boundsUsd }: Unseen): Cost {
  return unlearnedCost(turn, turn !== undefined && boundsUsd[turn.role] !== undefined);
}

/** The phases in which checks run on what is committed. */
const CHECKING: ReadonlySet<Phase> = new Set(["code_complete", "filtering"]);

/** Whether the cycle's first coder turn has been taken. */
function isCoded({ phase }: CycleState): boolean {
  return phase === "code_complete" || phase === "linting" || phase === "filtering";
}
