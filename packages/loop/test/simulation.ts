import type { Checkpoint, CheckpointLedgerEntry, CheckpointStore } from "@quasar/checkpoint";
import { CheckpointError } from "@quasar/checkpoint";
import type { CheckResult } from "../src/checks/check.ts";
import { continueRun } from "../src/resume/continue.ts";
import type { Hook, LoopEvent } from "../src/event.ts";
import type { Check, LoopOptions, TaskResult } from "../src/options.ts";
import type { LoopRepository } from "../src/repository/repository.ts";
import type { Ports } from "../src/run.ts";
import { settingsOf } from "../src/settings.ts";
import { startRun } from "../src/start.ts";
import type { CycleState } from "../src/state.ts";
import { isPending } from "../src/transitions.ts";
import { Agents, type Nature, type Work } from "./agents.ts";
import type { SimulatedTree } from "./simulated-tree.ts";
import { Life, type PointKind } from "./points.ts";

export interface Scenario extends Work {
  readonly name: string;
  readonly options?: Partial<LoopOptions>;
  readonly checks?: Readonly<Record<string, (text: string) => boolean>>;
  /** @default "turn" */
  readonly granularity?: "cycle" | "turn";
}

/** What a life is to be. */
export interface Plan {
  /** Number of the point at which the runner is killed; `undefined` is none. */
  readonly killedAt?: number | undefined;
  /** The points that count. @default all */
  readonly kinds?: ReadonlySet<PointKind> | undefined;
  /** Number of the event at which the run is interrupted. @default never */
  readonly interruptedAt?: number | undefined;
  readonly options?: Partial<LoopOptions> | undefined;
}

/** What came of a life. */
export interface LifeEnd {
  /** `undefined` when the runner was killed, or refused to begin. */
  readonly result: TaskResult | undefined;
  readonly refusal: CheckpointError | undefined;
  readonly points: number;
  /** Types of the events, in order. */
  readonly events: readonly string[];
}

/** A fact of the journal, under the key by which it is known when it is told again. */
export interface Fact {
  readonly key: string;
  /** What it says of the work, whichever turn did it. */
  readonly says: string;
}

function factOf(event: LoopEvent): Fact | undefined {
  const { type, cycle } = event;
  switch (event.type) {
    case "agent_done":
      return { key: `${type} ${event.turnId}`, says: `${type} ${cycle} ${event.role}` };
    case "committed":
      return { key: `${type} ${event.turnId}`, says: `${type} ${cycle}` };
    case "review_complete":
    case "task_success":
      return { key: `${type} ${cycle}`, says: `${type} ${cycle}` };
    default:
      return undefined;
  }
}

/** A run over all its lives, and all that it has left in the world. */
export class Simulation {
  readonly simulated: SimulatedTree;
  readonly agents: Agents;
  readonly facts = new Map<string, Fact>();
  readonly children = new Set<string>();
  /** What the loop may never do, and did. */
  readonly violations: string[];
  /** Starts of work that was finished before. */
  readonly repeated: string[] = [];
  readonly #scenario: Scenario;
  /** Pieces of work that are finished. */
  readonly #finished = new Set<string>();
  /** The checkpoint that was saved last. */
  #stored: Checkpoint | undefined;
  removed = false;

  constructor(scenario: Scenario, nature: Nature, simulated: SimulatedTree) {
    this.#scenario = scenario;
    this.simulated = simulated;
    this.agents = new Agents(simulated, scenario, nature);
    this.violations = this.agents.violations;
  }

  /** Lets a runner begin, or continue from what is stored. */
  async live(plan: Plan = {}): Promise<LifeEnd> {
    const { interruptedAt, killedAt, kinds } = plan;
    const life = new Life(killedAt, kinds);
    const controller = new AbortController();
    const events: string[] = [];
    const agent = this.agents.invoker(life, (request) => this.#starting(request.role));
    const onEvent = async (event: LoopEvent): Promise<void> => {
      if (events.length === interruptedAt) controller.abort();
      events.push(event.type);
      // Whoever was told that a turn is done may rely on it.
      if (event.type === "agent_done") this.#finished.add(keyOf(event.state()));
      await life.point("event");
    };
    const settings = settingsOf({
      workTree: this.simulated.workTree,
      coder: agent,
      reviewer: agent,
      runId: "run",
      checkpoint: {
        store: this.#store(life),
        granularity: this.#scenario.granularity ?? "turn",
      },
      hooks: [this.#hook(life, onEvent)],
      journal: (event) => this.#write(life, event),
      turnsDir: "/nowhere/turns",
      signal: controller.signal,
      ...this.#scenario.options,
      ...plan.options,
    });
    const ports = this.#ports(life);
    const loaded = await this.simulated.store.load();
    const running =
      loaded === undefined
        ? startRun({ id: "t", title: "Task" }, settings, ports)
        : continueRun(loaded.checkpoint, settings, ports);
    let refusal: CheckpointError | undefined;
    const result = await Promise.race([running.catch(refused), life.death]);
    if (result instanceof CheckpointError) refusal = result;
    this.agents.orphan();
    const whole = result instanceof CheckpointError ? undefined : result;
    return { result: whole, refusal, points: life.points, events };
  }

  #starting(role: string): void {
    const stored = this.#stored;
    const key = stored === undefined ? "" : keyOf(stored);
    if (this.#finished.has(key)) this.repeated.push(key);
    const { simulated } = this;
    const isAgain = (stored?.turn?.attempt ?? 1) > 1;
    const isKept =
      simulated.read() === simulated.committed() || simulated.kept().at(-1) === simulated.read();
    if (role === "coder" && isAgain && !isKept) this.violations.push("work is at risk");
  }

  #store(life: Life): CheckpointStore {
    const { store } = this.simulated;
    return {
      ...store,
      save: (checkpoint) =>
        life.around("save", async () => {
          this.#judge(checkpoint);
          await store.save(checkpoint);
          // What is there is not what was reviewed: the review is dropped, and there is to be another.
          const isDropped = this.#stored?.reviewOutput !== "" && checkpoint.reviewOutput === "";
          if (isDropped && checkpoint.phase === "code_complete") {
            this.#finished.delete(keyOf({ ...checkpoint, phase: "reviewing" }));
          }
          this.#stored = checkpoint;
          if (isSettled(checkpoint)) this.#finished.add(keyOf(checkpoint));
        }),
      remove: (phaseId) =>
        life.around("remove", async () => {
          await store.remove(phaseId);
          this.removed = true;
        }),
    };
  }

  /** What a stored state says is on record, and its money adds up. */
  #judge(checkpoint: Checkpoint): void {
    const { turn, phase, cycle, ledger, totalCostUsd, unknownCostUsd } = checkpoint;
    const demand = (key: string): void => {
      if (!this.facts.has(key)) this.violations.push(`stored before it is on record: ${key}`);
    };
    if (isSettled(checkpoint)) demand(`agent_done ${turn?.id}`);
    if (phase === "review_complete") demand(`review_complete ${cycle}`);
    if (phase === "approved") demand(`task_success ${cycle}`);
    const sum = (amount: (entry: CheckpointLedgerEntry) => number): number =>
      ledger.reduce((total, entry) => total + amount(entry), 0);
    const isExact =
      sum(({ costUsd }) => costUsd) === totalCostUsd &&
      sum(({ unknownUsd }) => unknownUsd) === unknownCostUsd;
    if (!isExact) this.violations.push("the ledger does not add up to the totals");
  }

  #write(life: Life, event: LoopEvent): void {
    if (life.strikes("journal")) return;
    const fact = factOf(event);
    if (fact !== undefined) this.facts.set(fact.key, fact);
    life.strikes("journal");
  }

  #hook(life: Life, onEvent: Hook["onEvent"]): Hook {
    return {
      onEvent,
      createFindings: (_task, findings) =>
        life.around("event", () =>
          findings.map(({ id, cycle }) => {
            this.children.add(`${cycle} ${id}`);
            return `child-${cycle}-${id}`;
          }),
        ),
    };
  }

  #ports(life: Life): Ports {
    const { repository } = this.simulated;
    const { checks } = this.#scenario;
    const mortal: LoopRepository = {
      ...repository,
      commit: (commit) => life.around("commit", () => repository.commit(commit)),
      putBack: (contents, seen) =>
        life.around("snapshot", () => repository.putBack(contents, seen)),
      snapshot: (request) => life.around("snapshot", () => repository.snapshot(request)),
    };
    return {
      repository: mortal,
      runCheck: ({ name }: Check): Promise<CheckResult> =>
        life.around("check", () => {
          const passed = checks?.[name]?.(this.simulated.read()) ?? true;
          const status = passed ? "passed" : "failed";
          return { status, output: passed ? "" : "not good" } as const;
        }),
      waitUntil: (_until, waitedMs) =>
        life.around("pause", () => ({ waitedMs, isOver: true }) as const),
    };
  }
}

function refused(error: unknown): CheckpointError {
  if (error instanceof CheckpointError) return error;
  throw error;
}

/** Which piece of work a pending turn is. */
function keyOf(state: CycleState): string {
  return `${state.cycle} ${state.phase} ${state.lintFixes}`;
}

function isSettled(state: CycleState): boolean {
  return isPending(state) && state.turn?.status === "settled";
}

/** What is left of a run after all its crashes, to be compared with one that had none. */
export interface Traces {
  /** `undefined` when the runner was killed with nothing left to do. */
  readonly result: TaskResult | undefined;
  readonly subjects: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** Whether HEAD holds all of the work. */
  readonly clean: boolean;
  readonly children: readonly string[];
  readonly facts: readonly string[];
  readonly bills: ReadonlyMap<string, number>;
  readonly starts: number;
  readonly repeated: readonly string[];
  readonly violations: readonly string[];
  readonly kills: number;
  readonly events: readonly (readonly string[])[];
  /** Most points that a life had. */
  readonly points: number;
  readonly stored: boolean;
}

const MOST_LIVES = 20;

/** Lets a scenario run, kills its runner at the given points (counted per runner), resumes it. */
export async function simulate(
  scenario: Scenario,
  nature: Nature,
  simulated: SimulatedTree,
  kills: readonly number[] = [],
  kinds?: ReadonlySet<PointKind>,
): Promise<Traces> {
  const simulation = new Simulation(scenario, nature, simulated);
  const events: (readonly string[])[] = [];
  let points = 0;
  for (let life = 0; life < MOST_LIVES; life += 1) {
    const end = await simulation.live({ killedAt: kills[life], kinds });
    if (end.refusal !== undefined) throw end.refusal;
    points = Math.max(points, end.points);
    events.push(end.events);
    const { result } = end;
    if (result === undefined && !simulation.removed) continue;
    return {
      result,
      subjects: simulated.subjects(),
      files: simulated.files(),
      clean: simulated.read() === simulated.committed(),
      children: [...simulation.children],
      facts: [...simulation.facts.values()].map(({ says }) => says),
      bills: simulation.agents.bills,
      starts: simulation.agents.starts,
      repeated: simulation.repeated,
      violations: simulation.violations,
      kills: result === undefined ? life + 1 : life,
      events,
      points,
      stored: (await simulated.store.load()) !== undefined,
    };
  }
  throw new Error("the run never ended");
}
