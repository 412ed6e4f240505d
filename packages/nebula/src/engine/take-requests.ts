import { messageOf } from "@quasar/runs/internal";
import { removeNote } from "../people/notes.ts";
import { type Request, waitingRequests } from "../people/requests.ts";
import { readCopy } from "../spec/copy.ts";
import type { NebulaEvent } from "../events.ts";
import type { Engine } from "./context.ts";
import { takeBase } from "./update-base.ts";
import { planUpdate, takeUpdate } from "./update.ts";

/**
 * Carries out what people have left for the engine. What cannot be carried out is reported. One that a crash came
 * after is taken again, and then there is nothing left of it to do.
 */
export function takeRequests(engine: Engine): void {
  for (const waiting of waitingRequests(engine.home)) {
    const event = waiting.said && taken(engine, waiting.said);
    const kept = removeNote(waiting);
    if (event !== undefined) engine.tell(event);
    if (kept !== undefined) {
      engine.tell({ type: "warning", message: `no request of Quasar's: kept as ${kept}` });
    }
  }
}

function taken(engine: Engine, request: Request): NebulaEvent | undefined {
  const { home, store, admit } = engine;
  try {
    if (request.kind === "base") return takeBase(home, store, request);
    const update = planUpdate(home, store.current, readCopy(home, request.revision));
    admit(update.spec);
    return takeUpdate(home, store, update);
  } catch (error) {
    const why = messageOf(error);
    return { type: "warning", message: `the update was not taken: ${why}` };
  }
}
