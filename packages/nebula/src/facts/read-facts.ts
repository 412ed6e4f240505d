import { join } from "node:path";
import { openFactsIn, type RunFacts, type RunFactsReader } from "@quasar/runs/facts";
import { fileMark, type Holder, journalReader, type RunSpending } from "@quasar/runs/internal";
import { NebulaError } from "../errors.ts";
import { nebulaNow } from "../people/now.ts";
import type { NebulaSpec } from "../spec/types.ts";
import type { SavedState } from "../state/codec.ts";
import { nebulaCost, type NebulaCost, sumOf } from "../state/cost.ts";
import { goneError } from "../state/gone.ts";
import { type NebulaHome, nebulaHome, runsFolder } from "../state/home.ts";
import { keptSpec } from "../state/list.ts";
import { isSettled, type NebulaState, type PhaseState } from "../state/state.ts";
import { loadSaved } from "../state/store.ts";
import { runnersIn } from "../state/working.ts";
import { type NebulaBeside, nebulaFacts, type SpendingLimits } from "./facts.ts";
import type { NebulaFacts } from "./nebula-facts.ts";
import { continueStory, NO_STORY } from "./story.ts";
import { withRecent } from "./with-recent.ts";

/** Reads a nebula again and again, while it works or after. Takes no lock, starts no process, writes nothing. */
export interface NebulaFactsReader {
  /**
   * The facts as they are now: the very same object where nothing has changed. A look parses what was added to the
   * journals since the last one, however long they are.
   *
   * @param beside - What the caller knows; the same object as long as that is the same.
   * @throws {NebulaError} `ERR_NOT_FOUND` where the nebula is gone; `ERR_DAMAGED` where its state cannot be read, or its
   *   copy of its files while the order of landings follows from it.
   * @throws {CheckpointError} where a run cannot be read: what it has cost is not 0.
   */
  look(beside?: NebulaBeside): Promise<NebulaFacts>;
}

/** What engines may spend on a nebula by the user's settings. */
export type LimitsOf = (spec: NebulaSpec, state: NebulaState) => SpendingLimits;

export interface NebulaFactsOptions {
  /** Asked once for each revision of the nebula's files. @default what its files say */
  readonly limitsOf?: LimitsOf | undefined;
}

/** @param commonDir - The git folder that all work trees share. */
export function openNebulaFacts(
  commonDir: string,
  id: string,
  { limitsOf }: NebulaFactsOptions = {},
): NebulaFactsReader {
  const home = nebulaHome(commonDir, id);
  const savedNow = createStateReader(home);
  const costNow = createCostReader(commonDir);
  const specNow = createSpecReader(commonDir, limitsOf);
  const runsNow = createRunsReader(home);
  const journalNow = journalReader(home.journal, NO_STORY, continueStory);
  let last: { readonly key: readonly unknown[]; readonly facts: NebulaFacts } | undefined;
  return {
    async look(beside) {
      // The journal first: what is added meanwhile is in the state by then.
      const journal = journalNow();
      const { state, recent } = savedNow();
      const read = specNow(state);
      const { spec, limits, problems } = read;
      const now = await nebulaNow(commonDir, state);
      const cost = await costNow(state);
      const holders = now.pid === undefined ? NOBODY : runnersIn(commonDir);
      const runs = await runsNow(state, holders);
      const all = [...runs.values()].flat();
      const key = [journal, state, read, beside, textOf(now), textOf(cost), ...all];
      const isSame = key.length === last?.key.length && key.every((it, n) => it === last?.key[n]);
      if (last !== undefined && isSame) return last.facts;
      const story = withRecent(journal, recent);
      const sources = { state, spec, limits, cost, now, story, runs, beside };
      const facts = nebulaFacts({ ...sources, problems: [...journal.problems, ...problems] });
      last = { key, facts };
      return facts;
    },
  };
}

/** The facts of a nebula as they are now; see {@link NebulaFactsReader.look}. */
export function readNebulaFacts(
  commonDir: string,
  { id }: Pick<NebulaState, "id">,
  { beside, ...options }: NebulaFactsOptions & { readonly beside?: NebulaBeside | undefined } = {},
): Promise<NebulaFacts> {
  return openNebulaFacts(commonDir, id, options).look(beside);
}

const NOBODY: ReadonlyMap<string, Holder> = new Map();

/** Plain data with maps and sets, to be compared. */
function textOf(data: object): string {
  return JSON.stringify(data, (_key, value: unknown) =>
    value instanceof Map || value instanceof Set ? [...(value as Iterable<unknown>)] : value,
  );
}

function createStateReader(home: NebulaHome): () => SavedState {
  let known: { readonly mark: string; readonly saved: SavedState } | undefined;
  return () => {
    const mark = fileMark(home.state);
    if (known?.mark === mark) return known.saved;
    const saved = loadSaved(home);
    if (saved === undefined) throw goneError(home);
    known = { mark, saved };
    return saved;
  };
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
  readonly limits: SpendingLimits | undefined;
  /** Why it cannot be read. */
  readonly problems: readonly string[];
}

/** Reads the copy that a nebula is worked on by: once for each revision. */
function createSpecReader(
  commonDir: string,
  limitsOf?: LimitsOf,
): (state: NebulaState) => ReadSpec {
  let known: { readonly key: string; readonly read: ReadSpec } | undefined;
  return (state) => {
    const key = `${state.revision} ${state.typedTotalUsd} ${state.typedPhaseUsd}`;
    if (known?.key !== key) known = { key, read: readSpecOf(commonDir, state, limitsOf) };
    return known.read;
  };
}

function readSpecOf(commonDir: string, state: NebulaState, limitsOf?: LimitsOf): ReadSpec {
  try {
    const spec = keptSpec(commonDir, state);
    return { spec, limits: limitsOf?.(spec, state), problems: [] };
  } catch (error) {
    if (!(error instanceof NebulaError)) throw error;
    return { spec: undefined, limits: undefined, problems: [error.message] };
  }
}

type RunsOf = ReadonlyMap<string, readonly RunFacts[]>;

/** Reads the runs of all phases. */
function createRunsReader(
  home: NebulaHome,
): (state: NebulaState, holders: ReadonlyMap<string, Holder>) => Promise<RunsOf> {
  const readers = new Map<string, RunFactsReader>();
  let holders = NOBODY;
  const readerOf = (ref: string, runId: string): RunFactsReader => {
    const dir = join(runsFolder(home, ref), runId);
    const known = readers.get(dir);
    if (known !== undefined) return known;
    const made = openFactsIn(dir, { runner: () => holders.get(runId) });
    readers.set(dir, made);
    return made;
  };
  return async ({ phases }, now) => {
    holders = now;
    const runs = new Map<string, readonly RunFacts[]>();
    for (const { id, ref, runs: ids } of phases) {
      const found = await Promise.all(ids.map((runId) => readerOf(ref, runId).look()));
      runs.set(
        id,
        found.filter((facts) => facts !== undefined),
      );
    }
    return runs;
  };
}
