import type { NebulaEvent } from "../events.ts";
import { noPhase } from "./no-phase.ts";
import type { NebulaState, PhaseState } from "./state.ts";
import type { StateStore } from "./store.ts";

/** What concerns the whole nebula is its engine's alone. */
function notHere(): never {
  throw new Error("only the engine of a nebula changes that");
}

/**
 * The state of a nebula as its engine has saved it, for who works on one phase elsewhere: what changes of that phase stays
 * in memory, and its events go to the caller.
 */
export function borrowState(saved: NebulaState, onEvent: (event: NebulaEvent) => void): StateStore {
  let current = saved;
  const phase = (id: string): PhaseState => {
    const found = current.phases.find((each) => each.id === id);
    if (found === undefined) throw noPhase(current, id);
    return found;
  };
  const keep = (id: string, change: Partial<PhaseState>): void => {
    const next = { ...phase(id), ...change };
    const phases = current.phases.map((each) => (each.id === id ? next : each));
    current = { ...current, phases };
  };
  return {
    get current() {
      return current;
    },
    phase,
    keep,
    change(id, change, event) {
      keep(id, change);
      onEvent(event);
    },
    note: onEvent,
    ...{ changeAll: notHere, update: notHere, limit: notHere, moveTo: notHere },
    ...{ keepTrees: notHere, askPush: notHere, push: notHere, acceptFailures: notHere },
    ...{ ownBranch: notHere, plan: notHere, archive: notHere, branchRenamed: notHere },
    close() {},
  };
}
