import type { LoadedNebula } from "../spec/load.ts";
import { keepSpec } from "../state/copy.ts";
import { nebulaHome } from "../state/home.ts";
import { lockUnlessEngine } from "../state/lock.ts";
import type { NebulaState } from "../state/state.ts";
import { requireState } from "../state/store.ts";
import { leaveRequest } from "./requests.ts";
import { withNotesTaken } from "./take-notes.ts";
import { planUpdate, takeUpdate } from "./update.ts";

/**
 * Has a nebula take over what its folder says now.
 *
 * @returns `left`: an engine works on it, which takes it within a second.
 * @throws {NebulaError} as {@link planUpdate}
 */
export function updateNebula(
  commonDir: string,
  state: NebulaState,
  loaded: LoadedNebula,
): "done" | "left" {
  const home = nebulaHome(commonDir, state.id);
  const lock = lockUnlessEngine(home);
  if (lock !== undefined) {
    withNotesTaken({ home, lock }, ({ store }) => {
      takeUpdate(home, store, planUpdate(home, store.current, loaded));
    });
    return "done";
  }
  planUpdate(home, requireState(home), loaded);
  leaveRequest(home, { kind: "update", revision: keepSpec(home, loaded) }, new Date());
  return "left";
}
