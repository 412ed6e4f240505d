import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@quasar/runs/internal";
import { shellWord } from "@quasar/runs/text";
import { land, reconcileLandings } from "../landing/land.ts";
import { knownBase, verifyBase } from "../landing/base.ts";
import { laneObstacle } from "../landing/obstacle.ts";
import { tipOf } from "../landing/tip.ts";
import { planWaits, tellPlanWaits } from "../people/plan-gate.ts";
import { settleQuestions } from "../people/take-answers.ts";
import { takeDecisions } from "../people/take-decisions.ts";
import { isSettled, type NebulaState } from "../state/state.ts";
import { removeLandedTrees, removeVerifyTree } from "../trees/tree.ts";
import type { Engine } from "./context.ts";
import { diskObstacle } from "./disk.ts";
import { settingsObstacle } from "./settings.ts";
import {
  laneHolder,
  type LaneTurn,
  laneTurn,
  type Phase,
  phasesOf,
  readyPhases,
  skippedPhases,
  waitedForFirst,
} from "./schedule.ts";
import { report } from "../state/report.ts";
import { takeRequests } from "./take-requests.ts";
import { beginPhase, workOnPhase } from "./work-phase.ts";

/** How often what people have decided is read, in milliseconds. */
const LOOK_MS = 1000;

/** Why an engine stopped. */
export type StopReason =
  /** Every phase has landed, or had nothing to land. */
  | "done"
  /** It was to land what is approved and to have nobody work, and all of that has landed. */
  | "landed"
  /** Some have failed, or were skipped since others have. */
  | "failed"
  /** Some wait for a person, or for the branch. */
  | "waiting"
  /** The remaining budget is too little for the next phase. */
  | "budget"
  /** The branch fails the verification by itself: no phase is to blame. */
  | "red_base"
  /** An agent's usage limit: the same command works later. */
  | "limit"
  | "interrupted";

/**
 * Works on all phases of a nebula until all is done or has to wait. Workers and the lane run side by side; each change of
 * the state is on disk before anything acts on it.
 */
export async function drive(engine: Engine): Promise<StopReason> {
  const { steering } = engine;
  await reconcileLandings(engine);
  // Engines that die often would leave one after the other.
  await removeLandedTrees(engine);
  const workers = new Map<string, Promise<void>>();
  /** Phases whose runs were told to stop: this engine does not begin them again. */
  const stopped = new Set<string>();
  let lane: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  let isBlocked = false;
  let isRed = false;
  let obstacle: string | undefined;
  /** The revision whose plan is known to wait for a person. */
  let waitingPlan: string | undefined;
  /** Why no phase begins for now. */
  let hindrance: string | undefined;
  /** Phases that were to land. */
  const asked = new Set<string>();
  /** When the first of the phases that wait for an agent may begin, in milliseconds since 1970. */
  let heldUntil = Number.POSITIVE_INFINITY;
  const guard = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      const { signal } = engine;
      if ((signal.aborted && error === signal.reason) || failure !== undefined) return;
      failure = { error };
      // The error is reported once the turns in flight have ended: no other is begun and paid for.
      const why = messageOf(error);
      steering.stop(`after the turns in flight: ${why}`);
    }
  };
  for (;;) {
    if (failure === undefined && !engine.signal.aborted) await guard(begin());
    const open = [...workers.values(), ...(lane === undefined ? [] : [lane])];
    const isIdle = open.length === 0;
    if (isIdle && !waitsForPause() && !waitsForAgents()) break;
    // Where nothing works the timer alone keeps the process alive, and an interrupt ends it.
    const { signal } = engine;
    const options = isIdle ? { signal } : { ref: false };
    await Promise.race([...open, sleep(LOOK_MS, undefined, options).catch(() => {})]);
  }
  if (failure !== undefined) throw failure.error;
  if (engine.signal.aborted) return "interrupted";
  await removeLandedTrees(engine);
  if (engine.store.current.phases.every(isSettled)) await removeVerifyTree(engine);
  if (steering.isStopping && !engine.store.current.phases.every(isSettled)) return "interrupted";
  if (engine.landingsOnly !== undefined) return landedReason(engine, asked);
  const isLimited = Number.isFinite(heldUntil);
  return reasonOf(engine.store.current, { isBlocked, isRed, isLimited, obstacle });

  async function begin(): Promise<void> {
    takeDecisions(engine);
    takeRequests(engine);
    settleQuestions(engine);
    await steering.look();
    skip(engine);
    tellPlan();
    const base = isOpen() ? await knownBase(engine) : undefined;
    isRed = base?.isRed === true;
    isBlocked = await beginWork(base?.isRed === false);
    if (lane !== undefined || steering.isStopping || isRed) return;
    if (base !== undefined) await beginLanding();
    else if (isOpen()) beginLane(tipOf(engine).then((tip) => verifyBase(engine, tip)));
  }

  /** Reports once of each revision that its plan waits. */
  function tellPlan(): void {
    const { revision } = engine.store.current;
    if (engine.landingsOnly !== undefined || waitingPlan === revision) return;
    if (tellPlanWaits(engine)) waitingPlan = revision;
  }

  /** Whether agents may work at all. */
  function mayWork(): boolean {
    return engine.landingsOnly === undefined && !planWaits(engine.store.current, engine.spec);
  }

  /** Whether a phase can begin or land now. Git is asked for the branch only then: workers may be at work for hours. */
  function isOpen(): boolean {
    if (lane === undefined && nextTurn(engine, holder()).kind === "land") return true;
    if (!mayWork() || workers.size >= engine.limits.maxWorkers) return false;
    const ready = readyPhases(phasesOf(engine.spec, engine.store.current), stopped);
    for (const { state } of ready) if (state.status === "pending") return true;
    return false;
  }

  /** The phase before which nothing else lands; one that nobody can work on now is waited for by nobody. */
  function holder(): Phase | undefined {
    if (workers.size === 0) return undefined;
    const { spec, store } = engine;
    const { reworkHoldMs: holdMs } = spec.execution;
    return laneHolder(phasesOf(spec, store.current), { now: engine.now().getTime(), holdMs });
  }

  function beginLane(work: Promise<unknown>): void {
    lane = guard(work).finally(() => {
      lane = undefined;
    });
  }

  /**
   * Has a worker for each phase that can be worked on.
   *
   * @param mayBegin - Whether phases that are not worked on yet may.
   * @returns Whether the budget was too little for one.
   */
  async function beginWork(mayBegin: boolean): Promise<boolean> {
    let wasBlocked = false;
    heldUntil = Number.POSITIVE_INFINITY;
    if (!mayWork() || steering.isPaused || steering.isStopping) return false;
    const found = diskObstacle(engine) ?? (await settingsObstacle(engine));
    if (found !== undefined && found !== hindrance)
      engine.tell({ type: "warning", message: found });
    hindrance = found;
    if (hindrance !== undefined) return false;
    if (workers.size >= engine.limits.maxWorkers) return false;
    const busy = new Set([...workers.keys(), ...stopped]);
    const phases = waitedForFirst(phasesOf(engine.spec, engine.store.current));
    for (const phase of readyPhases(phases, busy)) {
      if (workers.size >= engine.limits.maxWorkers) break;
      if (phase.state.status === "pending" && !mayBegin) continue;
      if (isHeld(phase)) continue;
      if (phase.state.status === "pending" && !(await beginPhase(engine, phase))) {
        wasBlocked = true;
        continue;
      }
      const { id } = phase.spec;
      const work = async (): Promise<void> => {
        if ((await workOnPhase(engine, phase)) === "interrupted") stopped.add(id);
        engine.agentLimits.left(id);
      };
      const done = guard(work()).finally(() => workers.delete(id));
      workers.set(id, done);
    }
    return wasBlocked;
  }

  /** Whether a phase waits for the usage limit of an agent. */
  function isHeld({ spec }: Phase): boolean {
    const { coder, reviewer } = engine.optionsOf(spec, engine.spec);
    const agents = [...new Set([coder.name, reviewer.name])];
    const now = engine.now().getTime();
    for (const limit of engine.agentLimits.news(agents, now)) tellLimit(engine, limit);
    const until = engine.agentLimits.heldUntil(spec.id, agents, now);
    if (until !== undefined) heldUntil = Math.min(heldUntil, until);
    return until !== undefined;
  }

  /** Whether all that can be done is paused. */
  function waitsForPause(): boolean {
    if (!mayWait() || !steering.isPaused || engine.landingsOnly !== undefined) return false;
    const phases = phasesOf(engine.spec, engine.store.current);
    return readyPhases(phases, stopped).next().done !== true;
  }

  /** Whether all there is to do waits until an agent may be asked again, and that may be waited for. */
  function waitsForAgents(): boolean {
    if (!mayWait() || !Number.isFinite(heldUntil)) return false;
    return heldUntil - engine.now().getTime() <= (engine.limits.waitMs ?? 0);
  }

  function mayWait(): boolean {
    return failure === undefined && !engine.signal.aborted && !steering.isStopping;
  }

  async function beginLanding(): Promise<void> {
    const turn = nextTurn(engine, holder());
    if (turn.kind === "land") asked.add(turn.phase.spec.id);
    if (turn.kind !== "land") return;
    const found = (await laneObstacle(engine)) ?? diskObstacle(engine);
    if (found !== undefined && found !== obstacle && found !== hindrance) {
      engine.tell({ type: "warning", message: found });
    }
    obstacle = found;
    if (obstacle !== undefined) return;
    const landing = land(engine, turn.phase).then(() => removeLandedTrees(engine));
    beginLane(landing);
  }
}

/** What the lane takes next; where a person has named a phase, that one alone, after one whose landing has begun. */
function nextTurn({ spec, store, landingsOnly }: Engine, holder: Phase | undefined): LaneTurn {
  const phases = phasesOf(spec, store.current);
  const only = landingsOnly?.phase;
  if (only === undefined) return laneTurn(phases, spec.execution.mergeOrder, holder);
  const meant = phases.filter(({ state }) => state.id === only || state.status === "landing");
  return laneTurn(meant, "ready");
}

/** A limit that another engine has met. */
function tellLimit(
  { tell, limitFile }: Engine,
  { agent, until }: { readonly agent: string; readonly until: number },
): void {
  const at = new Date(until).toISOString();
  const message = `${agent} met its usage limit elsewhere: it is tried again at ${at}; where it is lifted already: rm ${shellWord(limitFile(agent))}`;
  tell({ type: "warning", message });
}

function skip(engine: Engine): void {
  const { spec, store } = engine;
  for (const { id, reason } of skippedPhases(phasesOf(spec, store.current))) {
    const skipped = { status: "skipped", reason } as const;
    report(engine, id, skipped, { type: "phase_skipped", phase: id, reason });
  }
}

/** How an engine has ended that had nobody work. @param asked - Ids of the phases that were to land. */
function landedReason({ landingsOnly, store }: Engine, asked: ReadonlySet<string>): StopReason {
  const { phases } = store.current;
  if (phases.every(({ status }) => status === "done")) return "done";
  const meant = phases.filter(({ id }) => (landingsOnly?.phase ?? id) === id);
  const isLeft = meant.some(
    ({ id, status }) =>
      status === "queued" || status === "landing" || (asked.has(id) && status !== "done"),
  );
  return isLeft ? "waiting" : "landed";
}

interface Standing {
  readonly isBlocked: boolean;
  readonly isRed: boolean;
  readonly isLimited: boolean;
  readonly obstacle: string | undefined;
}

function reasonOf(
  { phases }: NebulaState,
  { isBlocked, isRed, isLimited, obstacle }: Standing,
): StopReason {
  if (phases.every(({ status }) => status === "done")) return "done";
  if (isRed) return "red_base";
  if (obstacle !== undefined || phases.some(({ status }) => status === "awaiting_human")) {
    return "waiting";
  }
  if (phases.every(isSettled)) return "failed";
  if (isBlocked) return "budget";
  return isLimited ? "limit" : "waiting";
}
