import { stringify } from "smol-toml";
import { NebulaError } from "../errors.ts";
import type { NebulaEvent } from "../events.ts";
import { byName } from "../spec/by-name.ts";
import { type NebulaFiles, parseNebula } from "../spec/parse.ts";
import { refuseArchived } from "../state/archived.ts";
import { keepSpec, readCopy } from "../state/copy.ts";
import { type NebulaHome, phaseRef } from "../state/home.ts";
import { nextSeq } from "../state/schedule.ts";
import { ANEW, type NebulaState, type PhaseState, pendingPhase } from "../state/state.ts";
import type { StateStore } from "../state/store.ts";

/** What is merged into the branch of a nebula. */
export interface BaseUpdate {
  /** A full id. */
  readonly commit: string;
  /** What a person calls it: its branch, or what they have typed. */
  readonly name: string;
  /** Whether agents rework it where it cannot land; else a person decides. */
  readonly withAgent: boolean;
}

/**
 * Records an update of the base; `undefined` where it is recorded already. Call it under the nebula's lock.
 *
 * @throws {NebulaError} `ERR_UNFINISHED` while agents work on another; `ERR_USAGE` where the nebula is archived.
 */
export function takeBase(
  {
    home,
    store,
    inLane,
  }: {
    readonly home: NebulaHome;
    readonly store: StateStore;
    readonly inLane: ReadonlySet<string>;
  },
  { commit, name, withAgent }: BaseUpdate,
): NebulaEvent | undefined {
  const { phases, revision } = store.current;
  const open = replacedBase(store.current, inLane);
  const asked = { merges: commit, asksPerson: !withAgent };
  const isAsked = (phase: PhaseState): boolean =>
    phase.merges === commit && phase.asksPerson === asked.asksPerson;
  const isUnderWay = (phase: PhaseState): boolean =>
    phase.status === "queued" || isLanding(phase, inLane);
  if (openBases(store.current).some((phase) => isAsked(phase) && isUnderWay(phase))) {
    return undefined;
  }
  const id = open?.id ?? newId(store.current);
  const { files } = readCopy(home, revision);
  const known = open ?? pendingPhase(id, phaseRef(phases.length + 1, id), new Date());
  const base: PhaseState = {
    ...known,
    ...ANEW,
    ...asked,
    ...{ status: "queued", tip: commit, reason: "", question: "", base: "" },
    ...{ conflictCommit: "", conflicts: [], findings: [], reworks: [], holdsSince: "" },
    ...{ neededUsd: 0, neededTurnUsd: 0 },
    attempt: open === undefined ? 1 : open.attempt + 1,
    seq: known.seq === 0 ? nextSeq(store.current) : known.seq,
    updatedAt: new Date().toISOString(),
  };
  const others = phases.filter((phase) => phase.id !== id);
  const event = { type: "base_update", phase: id, commit, name } as const;
  const next = withPhaseFile(files, id, textOf(id, { commit, name }));
  store.update(keepSpec(home, { files: next }), [...others, base], event);
  return event;
}

/**
 * The update of the base whose place another one takes; `undefined`: none waits.
 *
 * @param inLane - Ids of the phases that the lane works on.
 * @throws {NebulaError} as {@link takeBase}
 */
export function replacedBase(
  state: NebulaState,
  inLane: ReadonlySet<string>,
): PhaseState | undefined {
  refuseArchived(state);
  const open = openBases(state).find((phase) => !isLanding(phase, inLane));
  if (open?.status !== "running") return open;
  throw new NebulaError("ERR_UNFINISHED", `${open.id} is ${open.status}, which updates the base`);
}

/** The updates of the base that have not landed. */
function openBases({ phases }: Pick<NebulaState, "phases">): readonly PhaseState[] {
  return phases.filter(({ merges, status }) => merges !== "" && status !== "done");
}

function isLanding({ id, status }: PhaseState, inLane: ReadonlySet<string>): boolean {
  return status === "landing" || inLane.has(id);
}

function newId({ phases }: Pick<NebulaState, "phases">): string {
  const known = new Set(phases.map(({ id }) => id));
  for (let n = 1; ; n += 1) if (!known.has(`base-${n}`)) return `base-${n}`;
}

/** The nebula's files with another text of a phase, in the file that it has, or in a new one. */
function withPhaseFile(files: NebulaFiles, id: string, text: string): NebulaFiles {
  const { spec } = parseNebula(files);
  const had = spec?.phases.find((phase) => phase.id === id)?.file;
  const names = new Set(files.phases.map(({ file }) => file));
  const file = had ?? freeName(`${id}.md`, names);
  const phases = [...files.phases.filter((each) => each.file !== file), { file, text }];
  return { ...files, phases: phases.toSorted((a, b) => byName(a.file, b.file)) };
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  while (taken.has(name)) name = `new-${name}`;
  return name;
}

/** What its agents are asked where it conflicts. A person has asked for the merge: nobody approves it again. */
function textOf(id: string, { commit, name }: Pick<BaseUpdate, "commit" | "name">): string {
  const what = `${name} (${commit.slice(0, 10)})`;
  const front = stringify({ id, title: `Merge ${what}`, gate: "trust" });
  return `+++
${front}+++
Bring this branch up to date with ${what}. Keep what both sides are for, and change
nothing else.
`;
}
