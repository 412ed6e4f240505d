import type { NebulaSpec, PhaseSpec } from "../spec/types.ts";
import { scopesOf, scopesOverlap } from "../spec/scope.ts";
import { isInLane, isSettled, type NebulaState, type PhaseState } from "./state.ts";

/** A phase as its folder and its state tell it. */
export interface Phase {
  readonly spec: PhaseSpec;
  readonly state: PhaseState;
}

/** All phases, in the order of the plan. */
export function phasesOf(spec: NebulaSpec, state: Pick<NebulaState, "phases">): readonly Phase[] {
  const specs = new Map(spec.phases.map((phase) => [phase.id, phase]));
  return state.phases.flatMap((phase) => {
    const found = specs.get(phase.id);
    return found === undefined ? [] : [{ spec: found, state: phase }];
  });
}

/**
 * The phases that can be worked on now, the first to be started first: what they need has landed, and nobody who
 * works touches the same files. Each is searched when it is taken: of hundreds of phases a
 * few are begun at a time.
 *
 * @param working - Ids of those that have a worker.
 */
export function* readyPhases(
  phases: readonly Phase[],
  working: ReadonlySet<string>,
): Generator<Phase, undefined> {
  const done = new Set(
    phases.filter(({ state }) => state.status === "done").map(({ spec }) => spec.id),
  );
  const busy = phases.filter(({ spec }) => working.has(spec.id));
  for (const phase of phases) {
    const { spec, state } = phase;
    const isOpen = state.status === "pending" || state.status === "running";
    if (!isOpen || working.has(spec.id)) continue;
    // What an update has it wait for does not hold one that has begun.
    if (state.status === "pending" && !spec.dependsOn.every((id) => done.has(id))) continue;
    if (busy.some((other) => collide(spec, other.spec))) continue;
    busy.push(phase);
    yield phase;
  }
}

/** The same phases, but those first for which others wait to land. */
export function waitedForFirst(phases: readonly Phase[]): readonly Phase[] {
  const holding = phases.filter(({ state }) => state.holdsSince !== "");
  if (holding.length === 0) return phases;
  return [...holding, ...phases.filter(({ state }) => state.holdsSince === "")];
}

function collide(one: PhaseSpec, other: PhaseSpec): boolean {
  if (one.allowScopeOverlap || other.allowScopeOverlap) return false;
  const [ours, theirs] = [scopesOf(one.scope), scopesOf(other.scope)];
  return ours.some((scope) => theirs.some((its) => scopesOverlap(scope, its)));
}

/** A phase that never runs, and why. */
export interface Skipped {
  readonly id: string;
  readonly reason: string;
}

/** The phases that wait for one that has ended without landing: what needs them never runs either. */
export function skippedPhases(phases: readonly Phase[]): readonly Skipped[] {
  const ended = new Map(
    phases
      .filter(({ state }) => state.status === "failed" || state.status === "skipped")
      .map(({ spec, state }) => [spec.id, state.status]),
  );
  const skipped: Skipped[] = [];
  for (let before = -1; before !== skipped.length; ) {
    before = skipped.length;
    for (const { spec, state } of phases) {
      if (state.status !== "pending" || ended.has(spec.id)) continue;
      const missing = spec.dependsOn.find((id) => ended.has(id));
      if (missing === undefined) continue;
      const how = ended.get(missing) === "failed" ? "failed" : "was skipped";
      ended.set(spec.id, "skipped");
      skipped.push({ id: spec.id, reason: `needs "${missing}", which ${how}` });
    }
  }
  return skipped;
}

/** What the lane takes next. */
export type LaneTurn =
  | { readonly kind: "land"; readonly phase: Phase }
  /** This one is first, which is not approved yet. */
  | { readonly kind: "wait"; readonly phase: Phase }
  | { readonly kind: "idle" };

/** What the holder of the lane follows from. */
export interface Holding {
  /** In milliseconds since 1970. */
  readonly now: number;
  /** For how long at most others wait. */
  readonly holdMs: number;
  /** Whether anybody works on a phase: one that nobody can work on now is not waited for. */
  readonly isAnyWorkedOn: boolean;
}

/**
 * The phase before which nothing else lands, since others have landed before it twice; `undefined`: there is none. It
 * holds the lane for a while only.
 */
export function laneHolder(
  phases: readonly Phase[],
  { now, holdMs, isAnyWorkedOn }: Holding,
): Phase | undefined {
  const holding = phases.filter(
    ({ state }) =>
      (isInLane(state) ||
        (isAnyWorkedOn && (state.status === "pending" || state.status === "running"))) &&
      now < Date.parse(state.holdsSince) + holdMs,
  );
  return holding.toSorted((one, other) => one.state.seq - other.state.seq)[0];
}

/**
 * The phase whose turn it is to land: the first that was approved, or the first of the plan that will still land.
 *
 * @param mergeOrder - `plan`: the landings have the order of the plan, in whatever order phases are approved.
 * @param holder - Lands next where the order is not that of the plan. @default none
 */
export function laneTurn(
  phases: readonly Phase[],
  mergeOrder: "ready" | "plan",
  holder?: Phase,
): LaneTurn {
  const waiting = phases.filter(({ state }) => isInLane(state));
  const [first] = waiting.toSorted((one, other) => one.state.seq - other.state.seq);
  if (first === undefined) return { kind: "idle" };
  const landing = waiting.find(({ state }) => state.status === "landing");
  if (landing !== undefined) return { kind: "land", phase: landing };
  if (mergeOrder === "ready") {
    const next = holder ?? first;
    return { kind: isInLane(next.state) ? "land" : "wait", phase: next };
  }
  // The plan does not know what a person has merged.
  const merge = waiting.find(isMerge);
  if (merge !== undefined) return { kind: "land", phase: merge };
  const held = waitingForPerson(phases);
  const next = phases.find(({ spec, state }) => !isSettled(state) && !held.has(spec.id));
  if (next === undefined) return { kind: "idle" };
  return { kind: isInLane(next.state) ? "land" : "wait", phase: next };
}

/** Ids of the phases that a person holds, and of those that cannot begin before them: the lane does not wait for these. */
function waitingForPerson(phases: readonly Phase[]): ReadonlySet<string> {
  const held = new Set(
    phases.filter(({ state }) => state.status === "awaiting_human").map(({ spec }) => spec.id),
  );
  for (let before = -1; before !== held.size; ) {
    before = held.size;
    for (const { spec, state } of phases) {
      if (state.status === "pending" && spec.dependsOn.some((id) => held.has(id)))
        held.add(spec.id);
    }
  }
  return held;
}

/** Which phase lands before each of those that are approved and wait for the lane, by their ids. */
export function laneWaits(
  phases: readonly Phase[],
  mergeOrder: "ready" | "plan",
): ReadonlyMap<string, string> {
  const turn = laneTurn(phases, mergeOrder);
  if (turn.kind === "idle") return new Map();
  const first = turn.phase.spec.id;
  return new Map(
    phases
      .filter(({ spec, state }) => state.status === "queued" && spec.id !== first)
      .map(({ spec }) => [spec.id, first]),
  );
}

/** Ids of the phases that are approved and wait for the lane, first the one whose turn it is. */
export function laneOrder(
  phases: readonly PhaseState[],
  mergeOrder: "ready" | "plan",
): readonly string[] {
  const first = ({ status, merges }: PhaseState): number =>
    status === "landing" ? 0 : mergeOrder === "plan" && merges !== "" ? 1 : 2;
  const waiting = phases.filter(isInLane);
  const ordered = waiting.toSorted((one, other) => {
    const bySeq = mergeOrder === "ready" ? one.seq - other.seq : 0;
    return first(one) - first(other) || bySeq;
  });
  return ordered.map(({ id }) => id);
}

/** Whether a phase only merges what a person has named. */
export function isMerge({ state }: Pick<Phase, "state">): boolean {
  return state.merges !== "";
}

/** The number of the next approval: never given twice. */
export function nextSeq({ phases }: Pick<NebulaState, "phases">): number {
  return 1 + Math.max(0, ...phases.map(({ seq }) => seq));
}

/** The number of the next landing. */
export function nextLanding({ phases }: Pick<NebulaState, "phases">): number {
  return 1 + Math.max(0, ...phases.map(({ landing }) => landing));
}
