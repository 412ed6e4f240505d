import { NebulaError } from "../errors.ts";
import type { NebulaEvent } from "../events.ts";
import { removeNote } from "../people/notes.ts";
import { type Request, waitingRequests } from "../people/requests.ts";
import { readCopy } from "../state/copy.ts";
import { note } from "../state/report.ts";
import type { Engine } from "../context/context.ts";
import { takeBase } from "./update-base.ts";
import { planUpdate, takeUpdate } from "./update.ts";

/**
 * Carries out what people have left for the engine. What is refused is kept on record for them; what fails in another way is
 * left for the next engine. One that a crash came after is taken again, and then there is nothing left of it to do.
 *
 * @throws what is no refusal
 */
export function takeRequests(engine: Engine): void {
  for (const waiting of waitingRequests(engine.home)) {
    if (waiting.said !== undefined) take(engine, waiting.said);
    const kept = removeNote(waiting);
    if (kept === undefined) continue;
    note(engine, { type: "warning", message: `no request of Quasar's: kept as ${kept}` });
  }
}

function take(engine: Engine, request: Request): void {
  const { home, store, admit, tell } = engine;
  const taken = (): NebulaEvent | undefined => {
    if (request.kind === "base") return takeBase(engine, request);
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
    note(engine, { type: "warning", message: `${what} was not taken: ${error.message}` });
  }
}
