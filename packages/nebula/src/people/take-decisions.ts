import type { NebulaSpec } from "../spec/types.ts";
import type { NebulaEvent } from "../events.ts";
import { whyArchived } from "../state/archived.ts";
import type { NebulaHome } from "../state/home.ts";
import { note } from "../state/report.ts";
import type { NebulaState } from "../state/state.ts";
import type { StateStore } from "../state/store.ts";
import { type Decided, type Decision, decide } from "./decision.ts";
import { waitingDecisions } from "./inbox.ts";
import { type NoteToTake, removeNote } from "./notes.ts";

interface Decider {
  readonly store: StateStore;
  readonly spec: NebulaSpec;
  readonly now: () => Date;
}

/** What a decision changes of a state. Changes nothing. */
export function judge(
  state: NebulaState,
  { spec, now }: Pick<Decider, "spec" | "now">,
  decision: Decision,
): Decided {
  const why = whyArchived(state);
  if (why !== undefined) return { kind: "refused", why };
  return decide(state, decision, (id) => dependentsOf(spec, id), now());
}

/** Carries a decision out, durably. Call it under the nebula's lock. */
function carryOut({ store, spec, now }: Decider, decision: Decision): Decided {
  const decided = judge(store.current, { spec, now }, decision);
  if (decided.kind === "refused") return decided;
  store.changeAll(decided.changes, eventOf(decision, decided));
  return decided;
}

function eventOf(
  { verb, phase, attempt, reason }: Decision,
  { changes }: Extract<Decided, { readonly kind: "changes" }>,
): NebulaEvent {
  const isResumed = changes.get(phase)?.status === "running" || undefined;
  return { type: "decision", phase, attempt, verb, reason, isResumed };
}

interface Taker extends Decider {
  readonly home: NebulaHome;
  readonly tell: (event: NebulaEvent) => void;
  /** Ids of the phases whose landing is under way. */
  readonly inLane: ReadonlySet<string>;
}

/**
 * The decisions that people have left and that can be taken now, oldest first. One about a phase that is landing waits: the
 * lane takes it where it can still stop, and else it comes after the landing.
 */
export function decisionsToTake(taker: Taker): readonly NoteToTake[] {
  return toTake(taker, (phase) => phase === undefined || !taker.inLane.has(phase));
}

/** Takes those of one phase: who lands it, or decides about it under the nebula's lock. */
export function takeDecisionsOf(taker: Taker, id: string): void {
  for (const { take } of toTake(taker, (phase) => phase === id)) take();
}

/** Of several about a phase the last one counts: those before go first, so that a crash leaves that one. */
function toTake(
  taker: Taker,
  isMeant: (phase: string | undefined) => boolean,
): readonly NoteToTake[] {
  const waiting = waitingDecisions(taker.home).filter(({ said }) => isMeant(said?.phase));
  const last = new Map(waiting.map((each) => [each.said?.phase, each]));
  return waiting.map((each) => ({
    path: each.path,
    phase: each.said?.phase,
    take() {
      const { said: decision } = each;
      const isLast = decision !== undefined && last.get(decision.phase) === each;
      if (isLast) takeDecision(taker, decision);
      const kept = removeNote(each);
      if (kept === undefined) return;
      note(taker, { type: "warning", message: `no answer of Quasar's: kept as ${kept}` });
    },
  }));
}

/** Carries one out, and reports what came of it; a refusal is kept on record for the person who decided. */
export function takeDecision(
  decider: Decider & { readonly tell: (event: NebulaEvent) => void },
  decision: Decision,
): void {
  const decided = carryOut(decider, decision);
  if (decided.kind === "refused") {
    const { verb, phase } = decision;
    const message = `${verb} was not carried out: ${decided.why}`;
    note(decider, { type: "warning", phase, message });
  } else {
    decider.tell(eventOf(decision, decided));
  }
}

/** Phases that need one, directly or not. */
function dependentsOf({ phases }: NebulaSpec, id: string): readonly string[] {
  const found = new Set([id]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const phase of phases) {
      if (phase.dependsOn.some((each) => found.has(each))) found.add(phase.id);
    }
  }
  found.delete(id);
  return [...found];
}
