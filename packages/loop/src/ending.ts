import type { AgentFailure, AgentRole } from "@quasar/agents";
import {
  dollars,
  dollarsAllowed,
  dollarsNeeded,
  MORE,
  spentWords,
  upToCent,
} from "./money/money.ts";
import { type RunKind, LOOP } from "./run-kind.ts";
import type { RefusedTurn } from "./money/next-turns.ts";
import type { TaskResult } from "./options.ts";
import type { WayBack } from "./resume/way-back.ts";
import type { CycleState } from "./state.ts";

/** How a run ends. */
export interface Ending {
  readonly outcome: TaskResult["outcome"];
  /** One or two sentences for a person. */
  readonly message: string;
  readonly agentFailure?: AgentFailure | undefined;
  /** What one turn has to be allowed in US dollars, where a cap on turns stopped the run. */
  readonly neededTurnUsd?: number | undefined;
  /** The turn that was not started, because it may spend too little. */
  readonly refused?: RefusedTurn | undefined;
  /** Where the work tree is not as a resume takes it: what to type. */
  readonly wayBack?: WayBack | undefined;
  /** The folder whose disk has no room, where that stopped the run; `""`: the work tree's. */
  readonly fullDisk?: string | undefined;
}

export const INTERRUPTED: Ending = {
  outcome: "interrupted",
  message: "Interrupted. The run can be resumed.",
};

/** Another process has the lock of the run, or may have it. */
export const SUPERSEDED: Ending = {
  outcome: "superseded",
  message:
    "The run's lock was removed, and another process may drive the run. Stopped without a change.",
};

/** The words for an end that follows from the state alone. */
export function endingOf(
  outcome: Ending["outcome"],
  state: CycleState,
  { isLoop, done }: RunKind = LOOP,
): Ending {
  if (outcome === "approved") {
    return { outcome, message: isLoop ? withLint(done, state) : done };
  }
  return { outcome, message: MESSAGES[outcome]?.(state) ?? `The run ended: ${outcome}.` };
}

/** Lint keeps no reviewer from approving, but an approval says that it did not pass, or could not be run. */
function withLint(message: string, { lintOutput }: CycleState): string {
  return lintOutput === "" ? message : `${message} ${LINT_FAILS}`;
}

const LINT_FAILS = "Lint did not pass: the reviewer has seen what it printed.";

/** The ending of an approval that has changed nothing. */
export function withoutChanges(state: CycleState): Ending {
  const message = withLint("The reviewer approved. No changes were made.", state);
  return { outcome: "approved", message };
}

const MESSAGES: Readonly<Partial<Record<Ending["outcome"], (state: CycleState) => string>>> = {
  budget: (state) => `The budget is used up: ${spentOf(state)}.`,
  max_cycles: ({ maxCycles }) =>
    `Max cycles reached (${maxCycles}). Manual review recommended; resume with more cycles to continue.`,
  struggling: () =>
    "The loop goes in circles: the same problems come back. Split the task into smaller ones.",
};

function spentOf(state: CycleState): string {
  return `${spentWords(state)} of ${dollars(state.maxBudgetUsd)} spent`;
}

/** A turn is not started that would be stopped before it gets anywhere. */
export function tooLittle(
  state: CycleState,
  role: AgentRole,
  { allowanceUsd, leastUsd, capUsd }: Allowed,
): Ending {
  const turn = `The ${role}'s next turn needs at least ${dollarsNeeded(leastUsd)}`;
  const refused = { role, leastUsd };
  if (capUsd > 0 && capUsd < leastUsd) {
    const message = `${turn}; the limit for one turn is ${dollarsAllowed(capUsd)}.`;
    return { outcome: "budget", message, neededTurnUsd: upToCent(leastUsd), refused };
  }
  const message = `${turn} and may spend ${dollarsAllowed(allowanceUsd)} (${spentOf(state)}).`;
  return { outcome: "budget", message, refused };
}

/** What a run has to be given that money stopped. */
export function neededWords({
  neededBudgetUsd,
  neededTurnBudgetUsd,
}: Pick<CycleState, "neededBudgetUsd" | "neededTurnBudgetUsd">): string {
  const needs = [
    neededTurnBudgetUsd > 0 && `${dollarsNeeded(neededTurnBudgetUsd)} for one turn`,
    neededBudgetUsd > 0 && `a budget of ${dollarsNeeded(neededBudgetUsd)}`,
  ].filter((need) => need !== false);
  return needs.length === 0 ? "" : ` Resume with ${needs.join(" and ")}.`;
}

/**
 * The turn was stopped when it had spent what it may.
 *
 * @param capUsd - The cap on each turn; 0: none.
 */
export function turnLimit(
  { turn, maxBudgetUsd }: CycleState,
  agentFailure: AgentFailure,
  capUsd: number,
): Ending {
  const whole = maxBudgetUsd === 0 ? "" : ` of ${dollars(maxBudgetUsd)}`;
  const { allowanceUsd = 0 } = turn ?? {};
  const message = `This turn reached its limit (${dollarsAllowed(allowanceUsd)}${whole}).`;
  const isCapped = capUsd > 0 && allowanceUsd >= capUsd;
  return {
    ...{ outcome: "budget", message, agentFailure },
    ...(isCapped && { neededTurnUsd: upToCent(MORE * allowanceUsd) }),
  };
}

/** What a turn may spend, and what it would have to be allowed. */
interface Allowed {
  readonly allowanceUsd: number;
  readonly leastUsd: number;
  /** The cap on each turn; 0: none. */
  readonly capUsd: number;
}
