import { createHash } from "node:crypto";
import { NebulaError } from "../errors.ts";
import { decodeSaved, type SavedState } from "../state/codec.ts";
import { isUnfinished } from "../state/list.ts";
import type { RecentEvents } from "../state/recent-events.ts";
import { PortError } from "./errors.ts";
import { requireStateSize } from "./limits.ts";
import type { PromiseId } from "./port.ts";
import { openPromises } from "./promises.ts";

/** What an adapter has to know of a state that it does not read itself. */
export interface StateFacts {
  readonly rev: string;
  readonly open: readonly PromiseId[];
  readonly isUnfinished: boolean;
  /** The newest events, with the number of the first. */
  readonly recent: RecentEvents;
}

/** @throws {PortError} `ERR_TOO_LARGE`; `ERR_USAGE` where the text is no state of the nebula. */
export function stateFacts(nebula: string, text: string): StateFacts {
  requireStateSize(text);
  const saved = decoded(text);
  if (saved.state.id === nebula) return factsOf(saved, text);
  throw new PortError("ERR_USAGE", `it is the state of the nebula ${saved.state.id}`);
}

/** The same of a text that was read already. */
export function factsOf({ state, recent }: SavedState, text: string): StateFacts {
  return {
    ...{ rev: revOf(text), recent },
    ...{ open: openPromises(state), isUnfinished: isUnfinished(state) },
  };
}

/** By which a state is known: a digest of its text. */
export function revOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function decoded(text: string): SavedState {
  try {
    return decodeSaved(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof NebulaError)) throw error;
    throw new PortError("ERR_USAGE", error.message, { cause: error });
  }
}
