import { messageOf } from "@quasar/runs/internal";
import type { StopReason } from "../events.ts";
import { knownBase } from "../landing/base.ts";
import { reconcileLandings } from "../landing/land.ts";
import { tellPlanWaits } from "../people/plan-gate.ts";
import { settleQuestions } from "../people/take-answers.ts";
import { takeNotes } from "../people/take-notes.ts";
import { report } from "../state/report.ts";
import { isSettled } from "../state/state.ts";
import { removeLandedTrees, removeVerifyTree } from "../trees/tree.ts";
import type { Engine } from "../context/context.ts";
import { Dispatch } from "./dispatch.ts";
import { InFlight } from "./in-flight.ts";
import { Lane } from "./lane.ts";
import { Obstacles } from "./obstacles.ts";
import { phasesOf, skippedPhases } from "../state/schedule.ts";
import { stopReason } from "./stop-reason.ts";

/** How often what people have decided is read, in milliseconds. */
export const LOOK_MS = 1000;

/**
 * Works on all phases of a nebula until all is done or has to wait. Workers and the lane run side by side; each change of
 * the state is on disk before anything acts on it.
 */
export async function drive(engine: Engine): Promise<StopReason> {
  await reconcileLandings(engine);
  // Engines that die often would leave one after the other.
  await removeLandedTrees(engine);
  const reason = await new Loop(engine).run();
  if (engine.signal.aborted) return reason;
  await removeLandedTrees(engine);
  if (engine.store.current.phases.every(isSettled)) await removeVerifyTree(engine);
  return reason;
}

class Loop {
  readonly #engine: Engine;
  readonly #inFlight: InFlight;
  readonly #obstacles: Obstacles;
  readonly #dispatch: Dispatch;
  readonly #lane: Lane;
  #isRed = false;
  /** The revision whose plan is known to wait for a person. */
  #waitingPlan: string | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#inFlight = new InFlight(engine.signal, (error) => endAfterTurns(engine, error));
    this.#obstacles = new Obstacles(engine);
    this.#dispatch = new Dispatch(engine, this.#inFlight, this.#obstacles);
    this.#lane = new Lane(engine, this.#inFlight, this.#obstacles);
  }

  async run(): Promise<StopReason> {
    const { signal, store, steering, landingsOnly } = this.#engine;
    for (;;) {
      const { ended } = this.#inFlight;
      let waits = false;
      const pass = async (): Promise<void> => {
        await this.#look();
        waits = this.#inFlight.isIdle && this.#waits();
      };
      // Whatever it throws, the nebula stays locked while anything is at work.
      await this.#inFlight.guard(pass());
      // What has ended meanwhile may have made room for more.
      if (this.#inFlight.isIdle && ended === this.#inFlight.ended && !waits) break;
      await this.#inFlight.wait(LOOK_MS);
    }
    if (this.#inFlight.failure !== undefined) throw this.#inFlight.failure.error;
    if (signal.aborted) return "interrupted";
    return stopReason(store.current, {
      isStopping: steering.isStopping,
      isFailing: this.#dispatch.isFailing,
      isBlocked: this.#dispatch.isBlocked,
      isRed: this.#isRed,
      isLimited: this.#dispatch.isLimited,
      obstacle: this.#obstacles.of("landing"),
      ...{ landingsOnly, asked: this.#lane.asked },
    });
  }

  /** Takes what people have decided, then begins what can begin. */
  async #look(): Promise<void> {
    const engine = this.#engine;
    const { signal, steering } = engine;
    if (signal.aborted) return;
    await engine.fleet?.collect(engine);
    await steering.look();
    if (this.#inFlight.failure !== undefined) return;
    takeNotes(engine);
    settleQuestions(engine);
    skip(engine);
    this.#tellPlan();
    await this.#dispatch.fund();
    const isOpen = this.#lane.canLand() || this.#dispatch.canBegin();
    // Git is asked for the branch only then: workers may be at work for hours.
    const base = isOpen ? await knownBase(engine) : undefined;
    this.#isRed = base?.isRed === true;
    // What a person merges into a branch that fails by itself may be what repairs it.
    const which = this.#isRed ? "merges" : "all";
    await this.#dispatch.begin(base === undefined ? "none" : which);
    if (this.#inFlight.hasLane || steering.isStopping) return;
    if (base !== undefined) await this.#lane.begin(which);
    else if (isOpen) this.#lane.verifyBase();
  }

  /** Whether nothing can be done now, and something can after a while. */
  #waits(): boolean {
    const { signal, steering } = this.#engine;
    const isEnding = this.#inFlight.failure !== undefined || signal.aborted || steering.isStopping;
    return !isEnding && this.#dispatch.waits();
  }

  /** Reports once of each revision that its plan waits. */
  #tellPlan(): void {
    const { store, landingsOnly } = this.#engine;
    const { revision } = store.current;
    if (landingsOnly !== undefined || this.#waitingPlan === revision) return;
    if (tellPlanWaits(this.#engine)) this.#waitingPlan = revision;
  }
}

/**
 * An error is thrown once the turns in flight have ended, but for those of other machines: no other is begun and paid for.
 * Throws nothing.
 */
function endAfterTurns({ steering, fleet }: Engine, error: unknown): void {
  fleet?.leave();
  try {
    steering.stop(`after the turns in flight: ${messageOf(error)}`);
  } catch {
    // Where not even that can be saved or reported, nor can what the turns come to.
    steering.endNow();
  }
}

function skip(engine: Engine): void {
  const { spec, store } = engine;
  for (const { id, reason } of skippedPhases(phasesOf(spec, store.current))) {
    const skipped = { status: "skipped", reason } as const;
    report(engine, id, skipped, { type: "phase_skipped", phase: id, reason });
  }
}
