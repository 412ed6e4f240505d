import { planWaits } from "../people/plan-gate.ts";
import type { Engine } from "../context/context.ts";
import { diskObstacle } from "./disk.ts";
import { continueFunded } from "./fund.ts";
import type { InFlight } from "./in-flight.ts";
import type { Obstacles } from "./obstacles.ts";
import { isMerge, type Phase, phasesOf, readyPhases, waitedForFirst } from "../state/schedule.ts";
import { settingsObstacle } from "./settings.ts";
import { note } from "../state/report.ts";
import { beginPhase, workOnPhase } from "./work-phase.ts";

/** Gives phases to workers. */
export class Dispatch {
  readonly #engine: Engine;
  readonly #inFlight: InFlight;
  readonly #obstacles: Obstacles;
  /** Phases whose runs were asked to stop: this engine does not begin them again. */
  readonly #stopped = new Set<string>();
  #isBlocked = false;
  /** When the first of the phases that wait for an agent may begin, in milliseconds since 1970. */
  #heldUntil = Number.POSITIVE_INFINITY;

  constructor(engine: Engine, inFlight: InFlight, obstacles: Obstacles) {
    this.#engine = engine;
    this.#inFlight = inFlight;
    this.#obstacles = obstacles;
  }

  /** Whether the budget was too little for a phase that could begin. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Whether no phase begins since one has failed. */
  get isFailing(): boolean {
    const { failsFast, store } = this.#engine;
    return failsFast && store.current.phases.some(({ status }) => status === "failed");
  }

  /** Whether a phase waits until an agent's usage limit is lifted. */
  get isLimited(): boolean {
    return Number.isFinite(this.#heldUntil);
  }

  /** Whether a phase that nobody has worked on yet could begin now. */
  canBegin(): boolean {
    if (!this.#mayWork() || this.isFailing || this.#isFull()) return false;
    for (const { state } of this.#ready()) if (state.status === "pending") return true;
    return false;
  }

  /** Whether all there is to do waits for the end of a pause, or for an agent that may be waited for. */
  waits(): boolean {
    const { steering, limits, now } = this.#engine;
    // What a person decides of the plan is recorded while no engine works.
    if (!this.#mayWork()) return false;
    if (steering.isPaused) return this.#ready().next().done !== true;
    return this.isLimited && this.#heldUntil - now().getTime() <= (limits.waitMs ?? 0);
  }

  /** Has phases continue that waited for a larger limit, where it is large enough by now. */
  async fund(): Promise<void> {
    if (this.#givesWork() && !this.#isFull()) await continueFunded(this.#engine);
  }

  /**
   * Has a worker for each phase that can be worked on.
   *
   * @param which - Those that may begin, of those that nobody has worked on yet.
   */
  async begin(which: "all" | "merges" | "none"): Promise<void> {
    this.#isBlocked = false;
    this.#heldUntil = Number.POSITIVE_INFINITY;
    if (!this.#givesWork()) return;
    const obstacle = diskObstacle(this.#engine) ?? (await settingsObstacle(this.#engine));
    if (this.#obstacles.set("work", obstacle) || this.#isFull()) return;
    for (const phase of this.#ready()) {
      if (this.#isFull()) return;
      const isMeant = which === "all" || (which === "merges" && isMerge(phase));
      if (phase.state.status === "pending" && (!isMeant || this.isFailing)) continue;
      if (this.#isHeld(phase)) continue;
      await this.#employ(phase);
    }
  }

  async #employ(phase: Phase): Promise<void> {
    const { agentLimits } = this.#engine;
    const { id } = phase.spec;
    if (!(await beginPhase(this.#engine, phase))) {
      this.#isBlocked = true;
      agentLimits.left(id);
      return;
    }
    const work = async (): Promise<void> => {
      try {
        const came = await workOnPhase(this.#engine, phase);
        if (came === "interrupted") this.#stopped.add(id);
      } finally {
        agentLimits.left(id);
      }
    };
    this.#inFlight.addWorker(id, work());
  }

  /** Whether agents may work at all. */
  #mayWork(): boolean {
    const { landingsOnly, store, spec } = this.#engine;
    return landingsOnly === undefined && !planWaits(store.current, spec);
  }

  /** Whether agents may work, and nobody has said that no more begins. */
  #givesWork(): boolean {
    const { steering } = this.#engine;
    return this.#mayWork() && !steering.isPaused && !steering.isStopping;
  }

  #isFull(): boolean {
    return this.#inFlight.workers.size >= this.#engine.limits.maxWorkers;
  }

  #ready(): ReturnType<typeof readyPhases> {
    const { spec, store } = this.#engine;
    const busy = new Set([...this.#inFlight.workers, ...this.#stopped]);
    return readyPhases(waitedForFirst(phasesOf(spec, store.current)), busy);
  }

  /** Whether a phase waits for the usage limit of an agent, which is kept with it. */
  #isHeld({ spec, state }: Phase): boolean {
    const { optionsOf, agentLimits, spec: nebula, now, store } = this.#engine;
    const { id: phase } = spec;
    const { coder, reviewer } = optionsOf(spec, nebula);
    const agents = [...new Set([coder.name, reviewer.name])];
    const at = now().getTime();
    for (const { agent, until: ms } of agentLimits.news(agents, at)) {
      const until = new Date(ms).toISOString();
      note(this.#engine, { type: "agent_limited", phase, agent, until, message: "" });
    }
    const hold = agentLimits.hold(phase, agents, at);
    const limitedBy = hold?.agent ?? "";
    if (state.limitedBy !== limitedBy) store.keep(phase, { limitedBy });
    if (hold !== undefined) this.#heldUntil = Math.min(this.#heldUntil, hold.until);
    return hold !== undefined;
  }
}
