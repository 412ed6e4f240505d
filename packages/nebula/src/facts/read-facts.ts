import type { RunSpending } from "@quasar/runs/internal";
import { NebulaError } from "../errors.ts";
import { nebulaNow } from "../people/now.ts";
import type { NebulaSpec } from "../spec/types.ts";
import { nebulaCost, type NebulaCost, sumOf } from "../state/cost.ts";
import { goneError } from "../state/gone.ts";
import { nebulaHome } from "../state/home.ts";
import { keptSpec } from "../state/list.ts";
import { isSettled, type NebulaState, type PhaseState } from "../state/state.ts";
import { loadSaved } from "../state/store.ts";
import { nebulaFacts, type NebulaBeside } from "./facts.ts";
import type { NebulaFacts } from "./nebula-facts.ts";
import { createStoryReader } from "./read-story.ts";

/** Reads a nebula again and again, also while an engine works on it. It starts no process and writes nothing. */
export interface NebulaReader {
  /**
   * The facts as its files have them now. What a look costs follows from what is open, not from what has happened.
   *
   * @throws {NebulaError} `ERR_NOT_FOUND` where the nebula is gone, `ERR_DAMAGED` where its state cannot be read, or its
   *   copy of its files while the lane's order depends on it.
   * @throws {DurableError} where its journal is none that can be read.
   */
  readonly read: (beside?: NebulaBeside) => Promise<NebulaFacts>;
}

/** @param commonDir - The git folder that all work trees share. */
export function openNebulaReader(commonDir: string, id: string): NebulaReader {
  const home = nebulaHome(commonDir, id);
  const stories = createStoryReader(home);
  const costs = createCostReader(commonDir);
  const specs = createSpecReader(commonDir);
  return {
    async read(beside) {
      // The journal first: what is added meanwhile is in the state by then.
      stories.look();
      const saved = loadSaved(home);
      if (saved === undefined) throw goneError(home);
      const { state, recent } = saved;
      const { story, problems } = stories.with(recent);
      const { spec, problem } = specs(state);
      return nebulaFacts({
        ...{ state, spec, story, beside, runs: new Map() },
        cost: await costs(state),
        now: await nebulaNow(commonDir, state),
        problems: [...problems, ...(problem === undefined ? [] : [problem])],
      });
    },
  };
}

/** The facts of a nebula as they are now. @throws As {@link NebulaReader.read} */
export function readNebulaFacts(
  commonDir: string,
  { id }: Pick<NebulaState, "id">,
  beside?: NebulaBeside,
): Promise<NebulaFacts> {
  return openNebulaReader(commonDir, id).read(beside);
}

/** Reads ledgers: of a phase that has ended once. */
function createCostReader(commonDir: string): (state: NebulaState) => Promise<NebulaCost> {
  const known = new Map<string, { readonly at: string; readonly cost: RunSpending }>();
  return async ({ id, phases }) => {
    const isKnown = ({ id: phase, updatedAt }: PhaseState): boolean =>
      known.get(phase)?.at === updatedAt;
    const open = phases.filter((phase) => !isKnown(phase));
    const read = await nebulaCost(commonDir, { id, phases: open });
    for (const phase of open.filter(isSettled)) {
      const cost = read.phases.get(phase.id);
      if (cost !== undefined) known.set(phase.id, { at: phase.updatedAt, cost });
    }
    const costs = new Map(
      phases.flatMap(({ id: phase }) => {
        const cost = read.phases.get(phase) ?? known.get(phase)?.cost;
        return cost === undefined ? [] : [[phase, cost] as const];
      }),
    );
    return { total: sumOf(costs.values()), phases: costs };
  };
}

interface ReadSpec {
  readonly spec: NebulaSpec | undefined;
  /** Why it cannot be read. */
  readonly problem?: string | undefined;
}

/** Reads the copy that a nebula is worked on by: once for each revision. */
function createSpecReader(commonDir: string): (state: NebulaState) => ReadSpec {
  let known: { readonly key: string; readonly read: ReadSpec } | undefined;
  return (state) => {
    const key = `${state.revision} ${state.typedTotalUsd}`;
    if (known?.key !== key) known = { key, read: readSpecOf(commonDir, state) };
    return known.read;
  };
}

function readSpecOf(commonDir: string, state: NebulaState): ReadSpec {
  try {
    return { spec: keptSpec(commonDir, state) };
  } catch (error) {
    if (!(error instanceof NebulaError)) throw error;
    return { spec: undefined, problem: error.message };
  }
}
