import { verifyBase } from "../landing/base.ts";
import { land } from "../landing/land.ts";
import { laneObstacle } from "../landing/obstacle.ts";
import { tipOf } from "../landing/tip.ts";
import { removeLandedTrees } from "../trees/tree.ts";
import type { Engine } from "../context/context.ts";
import { diskObstacle } from "./disk.ts";
import type { InFlight } from "./in-flight.ts";
import type { Obstacles } from "./obstacles.ts";
import {
  isMerge,
  laneHolder,
  type LaneTurn,
  laneTurn,
  type Phase,
  phasesOf,
} from "../state/schedule.ts";

/** Lands phases, one after the other. */
export class Lane {
  readonly #engine: Engine;
  readonly #inFlight: InFlight;
  readonly #obstacles: Obstacles;
  /** Ids of the phases whose turn it was. */
  readonly asked = new Set<string>();

  constructor(engine: Engine, inFlight: InFlight, obstacles: Obstacles) {
    this.#engine = engine;
    this.#inFlight = inFlight;
    this.#obstacles = obstacles;
  }

  /** Whether nothing is in the lane, and a phase waits for it. */
  canLand(): boolean {
    return !this.#inFlight.hasLane && this.#turn().kind === "land";
  }

  /**
   * Lands the phase whose turn it is, where there is one and nothing is in the way.
   *
   * @param which - Those that may land.
   */
  async begin(which: "all" | "merges"): Promise<void> {
    const turn = which === "all" ? this.#turn() : this.#mergeTurn();
    if (turn.kind !== "land") return;
    this.asked.add(turn.phase.spec.id);
    const obstacle = (await laneObstacle(this.#engine)) ?? diskObstacle(this.#engine);
    if (this.#obstacles.set("landing", obstacle)) return;
    const landing = land(this.#engine, turn.phase);
    this.#inFlight.useLane(landing.then(() => removeLandedTrees(this.#engine)));
  }

  /** Verifies the branch by itself, so that phases can begin and land there. */
  verifyBase(): void {
    const engine = this.#engine;
    this.#inFlight.useLane(tipOf(engine).then((tip) => verifyBase(engine, tip)));
  }

  /** What the lane takes next; where a person has named a phase, that one alone, after one whose landing has begun. */
  #turn(): LaneTurn {
    const { spec, store, landingsOnly } = this.#engine;
    const phases = phasesOf(spec, store.current);
    const only = landingsOnly?.phase;
    if (only === undefined) return laneTurn(phases, spec.execution.mergeOrder, this.#holder());
    const meant = phases.filter(({ state }) => state.id === only || state.status === "landing");
    return laneTurn(meant, "ready");
  }

  /** The same, of what only merges. */
  #mergeTurn(): LaneTurn {
    const { spec, store } = this.#engine;
    return laneTurn(phasesOf(spec, store.current).filter(isMerge), "ready");
  }

  /** The phase before which nothing else lands. */
  #holder(): Phase | undefined {
    const { spec, store, now } = this.#engine;
    const { reworkHoldMs: holdMs } = spec.execution;
    const isAnyWorkedOn = this.#inFlight.workers.size > 0;
    return laneHolder(phasesOf(spec, store.current), {
      now: now().getTime(),
      holdMs,
      isAnyWorkedOn,
    });
  }
}
