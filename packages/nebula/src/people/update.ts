import { NebulaError } from "../errors.ts";
import type { NebulaEvent } from "../events.ts";
import { refuseArchived } from "../state/archived.ts";
import { keepSpec, readCopy } from "../state/copy.ts";
import type { LoadedNebula } from "../spec/load.ts";
import { planOrder } from "../spec/order.ts";
import { parseNebula } from "../spec/parse.ts";
import type { NebulaSpec } from "../spec/types.ts";
import { type MergedFiles, mergeFiles, type PhaseUpdate } from "../spec/update.ts";
import { type NebulaHome, phaseRef } from "../state/home.ts";
import { type NebulaState, type PhaseState, pendingPhase } from "../state/state.ts";
import type { StateStore } from "../state/store.ts";

/** What a nebula would take over of its folder. */
export interface NebulaUpdate extends MergedFiles {
  /** What it would be then. */
  readonly spec: NebulaSpec;
}

/**
 * What a nebula would take over of what its folder says now: phases that are new, and the texts of those that have not
 * landed. Nothing is removed.
 *
 * @param loaded - The folder as it is now.
 * @throws {NebulaError} `ERR_INVALID_NEBULA`, `ERR_USAGE` where it is another nebula, or is archived.
 */
export function planUpdate(
  home: NebulaHome,
  state: NebulaState,
  loaded: LoadedNebula,
): NebulaUpdate {
  refuseArchived(state);
  const { name, phases, revision } = state;
  const { spec, dir } = loaded;
  if (spec === undefined) throw new NebulaError("ERR_INVALID_NEBULA", `${dir} is not valid`);
  if (spec.name !== name) {
    throw new NebulaError("ERR_USAGE", `${dir} is the nebula ${spec.name}, and not ${name}`);
  }
  const known = new Map(phases.map((phase) => [phase.id, phase]));
  const merged = mergeFiles(readCopy(home, revision), loaded, (id) => becomes(known.get(id)));
  const parsed = parseNebula(merged.files);
  if (parsed.spec !== undefined) {
    // Those that only merge were never in the folder.
    const isOfFolder = ({ phase, what }: PhaseUpdate): boolean =>
      what !== "gone" || known.get(phase)?.merges === "";
    return { ...merged, updates: merged.updates.filter(isOfFolder), spec: parsed.spec };
  }
  const why = parsed.problems.find(({ severity }) => severity === "error")?.message ?? "";
  const message = `with the phases that have begun ${dir} is not valid: ${why}`;
  throw new NebulaError("ERR_INVALID_NEBULA", message);
}

/** Records an update; `undefined` where there is nothing to record. Call it under the nebula's lock. */
export function takeUpdate(
  home: NebulaHome,
  store: StateStore,
  { files, spec, updates, isChanged }: NebulaUpdate,
): NebulaEvent | undefined {
  if (!changesAnything({ updates, isChanged })) return undefined;
  const { phases } = store.current;
  const known = new Map(phases.map((phase) => [phase.id, phase]));
  const edited = new Set(updates.flatMap(({ phase, what }) => (what === "edited" ? [phase] : [])));
  let count = phases.length;
  const ordered = planOrder(spec.phases).order.map(({ id }) => {
    const had = known.get(id);
    // By its new text it begins again.
    if (had !== undefined) return edited.has(id) ? { ...had, isCoderDone: false } : had;
    count += 1;
    return pendingPhase(id, phaseRef(count, id), new Date());
  });
  const event = { type: "nebula_updated", phases: updates.map(({ phase }) => phase) } as const;
  store.update(keepSpec(home, { files }), ordered, event);
  return event;
}

/** Whether an update is another text of anything. */
export function changesAnything({
  updates,
  isChanged,
}: Pick<NebulaUpdate, "updates" | "isChanged">): boolean {
  return isChanged || updates.length > 0;
}

/** What becomes of a phase whose text is another one. One that has failed begins again by its new one. */
function becomes(
  phase: PhaseState | undefined,
): Extract<PhaseUpdate["what"], "edited" | "running" | "kept"> {
  const { status = "pending", reworks = [], question = "" } = phase ?? {};
  if (status === "running") return "running";
  // Its limit may be in its file; what cannot land begins anew, if at all.
  if (question === "budget" || question === "rework") return "edited";
  const isAnew = status === "pending" && reworks.length === 0;
  return status === "failed" || status === "skipped" || isAnew ? "edited" : "kept";
}
