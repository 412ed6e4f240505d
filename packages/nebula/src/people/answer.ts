import { lockUnlessEngine } from "../state/lock.ts";
import { NebulaError } from "../errors.ts";
import { noPhase } from "../state/no-phase.ts";
import { readSpec } from "../state/copy.ts";
import { type NebulaHome, nebulaHome } from "../state/home.ts";
import type { NebulaState } from "../state/state.ts";
import { requireState } from "../state/store.ts";
import { type Decision, keptReason } from "./decision.ts";
import { leaveDecision } from "./inbox.ts";
import { judge, takeDecisionsOf } from "./take-decisions.ts";
import { withNotesTaken } from "./take-notes.ts";

/** What a person says of a phase. */
export interface Answer extends Pick<Decision, "verb" | "phase"> {
  /** Why, for the agents and the record. A rejection that is not final needs it. @default "" */
  readonly reason?: string | undefined;
  /** Of a rejection: it is not tried again. @default false */
  readonly isFinal?: boolean | undefined;
}

/** What became of an answer. */
export type Answered =
  | { readonly kind: "done" }
  /** An engine works on the nebula: it takes the answer within a second. */
  | { readonly kind: "left" }
  /** No engine does, and only the next one can know whether the phase has landed: it takes the answer first of all. */
  | { readonly kind: "kept" }
  | { readonly kind: "refused"; readonly why: string };

/**
 * Answers a question about a phase, or decides what becomes of one. It is about the attempt and the change that the
 * state names: an answer to anything else is refused.
 *
 * @param state - As the person was shown it.
 * @throws {NebulaError} `ERR_NOT_FOUND`; `ERR_USAGE` for a reason of over 16,384 characters, and a rejection without any.
 */
export function answerPhase(
  commonDir: string,
  state: NebulaState,
  { verb, phase, reason: said = "", isFinal = false }: Answer,
): Answered {
  const shown = state.phases.find(({ id }) => id === phase);
  if (shown === undefined) throw noPhase(state, phase);
  const { attempt, digest } = shown;
  const reason = keptReason(said);
  if (verb === "reject" && !isFinal && reason === "") {
    throw new NebulaError("ERR_USAGE", "a rejection says what is wrong: its agents read it");
  }
  const decision: Decision = { verb, phase, attempt, digest, reason, isFinal };
  const home = nebulaHome(commonDir, state.id);
  const lock = lockUnlessEngine(home);
  if (lock === undefined) return leave(home, requireState(home), decision) ?? { kind: "left" };
  return withNotesTaken({ home, lock, phase }, (taker) => {
    const refused = leave(home, taker.store.current, decision);
    if (refused !== undefined) return refused;
    if (taker.inLane.has(phase)) return { kind: "kept" };
    takeDecisionsOf(taker, phase);
    return { kind: "done" };
  });
}

/**
 * Leaves a decision to be taken, in place of those about the same phase: whatever dies before it is taken, it is the one
 * that counts.
 *
 * @returns Why it is not left; `undefined`: it is.
 */
function leave(
  home: NebulaHome,
  state: NebulaState,
  decision: Decision,
): Extract<Answered, { readonly kind: "refused" }> | undefined {
  const now = new Date();
  const decided = judge(state, { spec: readSpec(home, state.revision), now: () => now }, decision);
  if (decided.kind === "refused") return decided;
  leaveDecision(home, decision, now);
  return undefined;
}
