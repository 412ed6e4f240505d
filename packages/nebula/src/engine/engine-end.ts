import type { Redactor } from "@quasar/agents/environment";
import { DurableError } from "@quasar/durable";
import { messageOf } from "@quasar/runs/internal";
import type { NebulaEvent, StopReason } from "../events.ts";
import { boundText } from "../state/bounds.ts";
import type { StateStore } from "../state/store.ts";
import type { ApplyEnd } from "./apply.ts";

/** Records how an engine has ended, but for one that has not begun the nebula: what happened to that begins with its begin. */
export function noteEnd(store: StateStore, reason: StopReason): ApplyEnd {
  noteEndOf(store, { end: reason, message: "" });
  return { reason, state: store.current };
}

/** Records the error that an engine has ended with, likewise. @returns That error */
export function noteError(store: StateStore, error: unknown, redact: Redactor): unknown {
  const message = boundText(redact(messageOf(error)));
  try {
    noteEndOf(store, { end: "error", message });
  } catch (unrecorded) {
    // The error of the engine is what a person has to know: often it is the reason for this one.
    if (!(unrecorded instanceof DurableError)) throw unrecorded;
  }
  return error;
}

function noteEndOf(
  store: StateStore,
  end: Omit<Extract<NebulaEvent, { type: "engine_ends" }>, "type">,
): void {
  if (store.current.ownsBranch) store.note({ type: "engine_ends", ...end });
}
