import type { AgentFailure } from "@quasar/agents";
import { INTERRUPTED, type Ending } from "../ending.ts";
import { isOverBudget } from "../money/money.ts";
import { isCancelled, type Run } from "../run.ts";
import type { CycleState } from "../state.ts";
import { awaitRetry } from "../transitions.ts";

/** What a turn that is started again inherits of the retries of its piece of work. */
export interface Retries {
  readonly retries: number;
  readonly kills: number;
}

export const NO_RETRIES: Retries = { retries: 0, kills: 0 };

/** Pauses before the first, the second … retry, in milliseconds; the last one is repeated. */
const PAUSES_MS = [5, 30, 180, 600].map((seconds) => seconds * 1000);

const LONGEST_PAUSE_MS = Math.max(...PAUSES_MS);

/** How often the same turn is retried because its agent was killed. */
const MOST_KILLS = 1;

type FailureKinds = ReadonlySet<AgentFailure["kind"]>;

/** A usage limit is waited for by the caller, and a cancelled turn is to stop. */
const NOT_RETRIED: FailureKinds = new Set(["rate-limit", "cancelled"]);

/** A reviewer has been asked a second time by then. */
const ASKED_TWICE: FailureKinds = new Set(["schema", "empty-answer"]);

/**
 * The retry of a turn that failed, if it is to have one; pure.
 *
 * @param most - How many retries one piece of work may have.
 * @param now - Milliseconds since 1970.
 * @see SPEC.md, "Retries"
 */
export function nextRetry(
  state: CycleState,
  { kind, retryable }: AgentFailure,
  most: number,
  now: number,
): (Retries & { readonly retryAt: string }) | undefined {
  const { turn } = state;
  if (turn === undefined || !retryable || NOT_RETRIED.has(kind)) return undefined;
  if (turn.role === "reviewer" && ASKED_TWICE.has(kind)) return undefined;
  const kills = turn.kills + (kind === "killed" ? 1 : 0);
  if (turn.retries >= most || kills > MOST_KILLS || isOverBudget(state)) return undefined;
  const pauseMs = PAUSES_MS[Math.min(turn.retries, PAUSES_MS.length - 1)] ?? LONGEST_PAUSE_MS;
  return { retries: turn.retries + 1, kills, retryAt: new Date(now + pauseMs).toISOString() };
}

/** How a turn's failure ends the run; `undefined`: it is retried, and that is stored. */
export async function retryOrEnd(run: Run, failure: AgentFailure): Promise<Ending | undefined> {
  if (scheduleRetry(run, failure)) return run.saveTurn();
  const retries = run.state.turn?.retries ?? 0;
  const tried = retries === 0 ? "" : ` (after ${retries === 1 ? "1 retry" : `${retries} retries`})`;
  return { outcome: "agent", message: `${failure.message}${tried}`, agentFailure: failure };
}

/** Whether the turn is retried. */
export function scheduleRetry(run: Run, failure: AgentFailure): boolean {
  const { settings, state } = run;
  const retry = nextRetry(state, failure, settings.retries, settings.now().getTime());
  if (retry === undefined) return false;
  run.state = awaitRetry(state, retry);
  return true;
}

/** The retries that the next start of a turn inherits: none where no retry is due, as a person sent it on. */
export function inheritedRetries({ turn }: CycleState): Retries {
  return turn === undefined || turn.retryAt === "" ? NO_RETRIES : turn;
}

/**
 * Waits until a retry is due, if one is. A run that is killed meanwhile waits for the rest when it is
 * resumed.
 */
export async function pauseBeforeRetry(run: Run): Promise<Ending | undefined> {
  const { settings, ports, state } = run;
  const { turn, cycle, failure: message } = state;
  const now = settings.now().getTime();
  const dueMs = Date.parse(turn?.retryAt ?? "") - now;
  if (turn === undefined || !(dueMs > 0)) return undefined;
  // A clock that was set back, or a file that was tampered with, does not make a pause longer.
  const waitMs = Math.min(dueMs, LONGEST_PAUSE_MS);
  const { id: turnId, role, retries: retry } = turn;
  const most = Math.max(retry, settings.retries);
  const until = new Date(now + waitMs).toISOString();
  const what = { cycle, role, turnId, retry, most, until, waitMs, message };
  await run.emit({ type: "turn_retry", ...what });
  await ports.waitUntil(now + waitMs, waitMs, settings.signal);
  // Edits of the tree meanwhile have to be seen.
  run.clean = false;
  run.seen = undefined;
  return isCancelled(run) ? INTERRUPTED : undefined;
}
