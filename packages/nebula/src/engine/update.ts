import { NebulaError } from "../errors.ts";
import { keepSpec } from "../spec/copy.ts";
import { type LoadedNebula, loadNebula } from "../spec/load.ts";
import { planOrder } from "../spec/order.ts";
import { parseNebula } from "../spec/parse.ts";
import { type MergedFiles, mergeFiles } from "../spec/update.ts";
import { nebulaHome, phaseRef, specFolder } from "../state/home.ts";
import { type NebulaState, type PhaseState, pendingPhase } from "../state/state.ts";
import { lockNebula, withState } from "./lock.ts";

export type NebulaUpdate = Omit<MergedFiles, "files">;

/**
 * Has a nebula take over what its folder says now: phases that are new, and the texts of those that nobody works on or has
 * landed. Nothing is removed.
 *
 * @param loaded - The folder as it is now.
 * @throws {NebulaError} `ERR_INVALID_NEBULA`, `ERR_USAGE` where it is another nebula, `ERR_LOCKED` while an engine works.
 */
export function updateNebula(
  commonDir: string,
  state: NebulaState,
  loaded: LoadedNebula,
  { isDryRun }: { readonly isDryRun: boolean },
): NebulaUpdate {
  const { spec, dir } = loaded;
  if (spec === undefined) throw new NebulaError("ERR_INVALID_NEBULA", `${dir} is not valid`);
  if (spec.name !== state.name) {
    throw new NebulaError("ERR_USAGE", `${dir} is the nebula ${spec.name}, and not ${state.name}`);
  }
  const home = nebulaHome(commonDir, state.id);
  return withState({ home, state, lock: lockNebula(home) }, (store) => {
    const { phases, revision } = store.current;
    const begun = new Set(phases.filter(isBegun).map(({ id }) => id));
    const before = loadNebula(specFolder(home, revision));
    const { files, updates, isChanged } = mergeFiles(before, loaded, begun);
    const merged = parseNebula(files);
    if (merged.spec === undefined) {
      const why = merged.problems.find(({ severity }) => severity === "error")?.message ?? "";
      const message = `with the phases that have begun ${dir} is not valid: ${why}`;
      throw new NebulaError("ERR_INVALID_NEBULA", message);
    }
    if (isDryRun || (updates.length === 0 && !isChanged)) return { updates, isChanged };
    const known = new Map(phases.map((phase) => [phase.id, phase]));
    let count = phases.length;
    const ordered = planOrder(merged.spec.phases).order.map(({ id }) => {
      const had = known.get(id);
      if (had !== undefined) return had;
      count += 1;
      return pendingPhase(id, phaseRef(count, id), new Date());
    });
    store.update(keepSpec(home, { files }), ordered, {
      type: "nebula_updated",
      phases: updates.map(({ phase }) => phase),
    });
    return { updates, isChanged };
  });
}

/** Whether a phase keeps the text that it began with. One that has failed begins again by its new one. */
function isBegun({ status, runs }: PhaseState): boolean {
  if (status === "pending") return runs.length > 0;
  return status !== "failed" && status !== "skipped";
}
