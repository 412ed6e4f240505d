import type { NebulaEvent } from "../events.ts";
import type { PhaseState } from "./state.ts";
import type { StateStore } from "./store.ts";

interface Reporting {
  readonly store: StateStore;
  readonly tell: (event: NebulaEvent) => void;
}

/** Records an event, then reports it. */
export function note({ store, tell }: Reporting, event: NebulaEvent): void {
  store.note(event);
  tell(event);
}

/** Records a change of a phase with its event, then reports that. */
export function report(
  { store, tell }: Reporting,
  id: string,
  change: Partial<PhaseState>,
  event: NebulaEvent,
): void {
  store.change(id, change, event);
  tell(event);
}
