import { NebulaError } from "../errors.ts";
import type { NebulaEvent } from "../events.ts";
import type { NebulaSpec } from "../spec/types.ts";
import { readCopy } from "../state/copy.ts";
import type { NebulaHome } from "../state/home.ts";
import { note } from "../state/report.ts";
import type { StateStore } from "../state/store.ts";
import { type NoteToTake, removeNote } from "./notes.ts";
import { type Request, waitingRequests } from "./requests.ts";
import { takeBase } from "./take-base.ts";
import { planUpdate, takeUpdate } from "./update.ts";

interface Taker {
  readonly home: NebulaHome;
  readonly store: StateStore;
  /** Has what another revision says of limits count. @throws {NebulaError} where it may not be worked on as it is. */
  readonly admit: (spec: NebulaSpec) => void;
  readonly tell: (event: NebulaEvent) => void;
  /** Ids of the phases whose landing is under way. */
  readonly inLane: ReadonlySet<string>;
}

/**
 * The updates that people have left, oldest first. What is refused is kept on record for them; what fails in another way is
 * thrown, and its note stays. One that a crash came after is taken again, and changes nothing then.
 */
export function requestsToTake(taker: Taker): readonly NoteToTake[] {
  return waitingRequests(taker.home).map((waiting) => ({
    path: waiting.path,
    take() {
      if (waiting.said !== undefined) take(taker, waiting.said);
      const kept = removeNote(waiting);
      if (kept === undefined) return;
      note(taker, { type: "warning", message: `no request of Quasar's: kept as ${kept}` });
    },
  }));
}

function take(taker: Taker, request: Request): void {
  const { home, store, admit, tell } = taker;
  const taken = (): NebulaEvent | undefined => {
    if (request.kind === "base") return takeBase(taker, request);
    const update = planUpdate(home, store.current, readCopy(home, request.revision));
    admit(update.spec);
    return takeUpdate(home, store, update);
  };
  try {
    const event = taken();
    if (event !== undefined) tell(event);
  } catch (error) {
    if (!(error instanceof NebulaError)) throw error;
    const what = request.kind === "base" ? "the update of the base" : "the update";
    note(taker, { type: "warning", message: `${what} was not taken: ${error.message}` });
  }
}
