import { createRedactor } from "@quasar/agents/environment";
import { makeFolders } from "@quasar/process/files";
import { NebulaError } from "../errors.ts";
import type { Engine } from "../context/context.ts";
import type { NebulaEvent, Told } from "../events.ts";
import { borrowState } from "../state/borrowed.ts";
import { nebulaHome } from "../state/home.ts";
import type { Phase } from "../state/schedule.ts";
import type { NebulaState } from "../state/state.ts";
import { findTreesFolder } from "../trees/open-folder.ts";
import type { ApplyOptions } from "./apply.ts";
import { fromElsewhere } from "./from-elsewhere.ts";
import { makeEngine } from "./make-engine.ts";
import type { Came } from "../context/came.ts";
import { prepareForeign } from "./phase-tree.ts";
import { attemptOf } from "./work-phase.ts";

type OfApply =
  | ("repository" | "optionsOf" | "commandEnv" | "env" | "stateFolder" | "keys")
  | ("withoutOwnHook" | "signal");

/** Who works for the engine of a nebula, which is on any machine, in a repository of its own. */
export interface HandOptions extends Pick<ApplyOptions, OfApply> {
  /** As the engine has saved it. Its copy of the nebula's files is in the repository's home of it. */
  readonly state: NebulaState;
  readonly onEvent: (event: Told) => void;
}

/** A run that a worker carries out for the engine of a nebula. */
export interface CarryOutOptions extends HandOptions {
  /** Of the phase. */
  readonly ref: string;
  /** What the run may spend in all, in US dollars; 0: no limit. */
  readonly maxBudgetUsd: number;
  /** Whether the run's folder comes from another machine. */
  readonly isForeign: boolean;
  /** What people ask of all who work on the nebula, as it is now. */
  readonly orders: () => Pick<Engine["steering"], "isPaused" | "isStopping">;
  /** Waited for before an agent is started, once it is saved that its turn begins. */
  readonly beforeTurn: () => Promise<void>;
}

/**
 * Works on a phase that has begun until its run has come to something, as an engine on this machine would, in a repository
 * that nothing but such work is done in.
 *
 * @throws What concerns more than this phase: it continues with the worker that takes it next.
 */
export async function carryOut(options: CarryOutOptions): Promise<Came> {
  const { engine, phase } = await handFor(options);
  const came = await attemptOf(engine, phase);
  if (came.as === "limited") engine.agentLimits.met(came.agent, came.limit.retryAt, Date.now());
  return came;
}

/**
 * Has the work tree of a run that comes from another machine hold what that one's did: once, before it is carried out here.
 *
 * @param cameAt - The commit that it was at there; `""`: as the run's files say.
 */
export async function takeTree(options: CarryOutOptions, cameAt: string): Promise<void> {
  const { engine, phase } = await handFor(options);
  await prepareForeign(engine, phase, cameAt);
}

async function handFor(
  options: CarryOutOptions,
): Promise<{ readonly engine: Engine; readonly phase: Phase }> {
  const { state, ref } = options;
  const found = state.phases.find((each) => each.ref === ref);
  if (found === undefined) throw new NebulaError("ERR_NOT_FOUND", `there is no phase ${ref}`);
  const engine = await handEngine(options, options);
  const spec = engine.spec.phases.find(({ id }) => id === found.id);
  if (spec === undefined) throw new NebulaError("ERR_NOT_FOUND", `there is no phase ${found.id}`);
  return { engine, phase: { spec, state: found } };
}

/** What an engine is that schedules nothing: it works in trees of this machine. */
export async function handEngine(
  options: HandOptions,
  {
    maxBudgetUsd,
    isForeign,
    orders,
    beforeTurn,
  }: Pick<CarryOutOptions, "maxBudgetUsd" | "isForeign" | "orders" | "beforeTurn">,
): Promise<Engine> {
  const { repository, state, env, stateFolder, signal, onEvent } = options;
  const store = borrowState(state, (event: NebulaEvent) => onEvent(event));
  const home = nebulaHome(repository.commonDir, state.id);
  // Where the engine has its trees says nothing of this machine.
  const here = { ...state, trees: undefined, treesOf: undefined };
  const trees = findTreesFolder(repository, here, { env, state: stateFolder });
  makeFolders(trees);
  return makeEngine({
    ...{ repository, home, store, trees, signal, stateFolder },
    ...{ keys: options.keys, commandEnv: options.commandEnv },
    optionsOf(phase, nebula) {
      const given = options.optionsOf(phase, nebula);
      if (!isForeign) return given;
      return {
        ...given,
        coder: fromElsewhere(given.coder),
        reviewer: fromElsewhere(given.reviewer),
      };
    },
    now: () => new Date(),
    tell: onEvent,
    redact: createRedactor(env),
    limitsNow: () => ({ maxWorkers: 1, totalUsd: 0, phaseUsd: 0 }),
    admit() {},
    budgetOfRun: async () => maxBudgetUsd,
    checkpointOf: async () => undefined,
    landingsOnly: undefined,
    acceptsRedBase: false,
    failsFast: false,
    trustsRuns: isForeign,
    withoutOwnHook: options.withoutOwnHook,
    fleet: undefined,
    beforeTurn,
    steering: {
      get isStopping() {
        return orders().isStopping;
      },
      get isPaused() {
        return orders().isPaused;
      },
      look: async () => {},
      stop() {},
      endNow() {},
    },
  });
}
