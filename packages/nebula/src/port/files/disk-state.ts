import { loadFile, replaceFile } from "@quasar/durable";
import { NebulaError } from "../../errors.ts";
import { decodeSaved, MOST_BYTES, type SavedState } from "../../state/codec.ts";
import { openEventLog } from "../../state/event-log.ts";
import type { NebulaHome } from "../../state/home.ts";
import { PortError } from "../errors.ts";
import { factsOf, type StateFacts } from "../state-facts.ts";

/** A state as its file has it. */
export interface StateOnDisk {
  readonly saved: SavedState;
  readonly text: string;
  readonly facts: StateFacts;
}

/** @throws {PortError} `ERR_NOT_FOUND`; {@link NebulaError} where the file is damaged, or of a later version. */
export function readDisk(home: NebulaHome, id: string): StateOnDisk {
  const value = loadFile(home.state, decodeUnlessLater, { maxBytes: MOST_BYTES })?.value;
  if (value instanceof NebulaError) throw value;
  if (value !== undefined) return value;
  throw new PortError("ERR_NOT_FOUND", `there is no nebula ${id}`);
}

/** A file of a later version is no damage: the generation before it must not take its place. */
function decodeUnlessLater(bytes: Uint8Array): StateOnDisk | NebulaError {
  try {
    const saved = decodeSaved(bytes);
    const text = Buffer.from(bytes).toString();
    return { saved, text, facts: factsOf(saved, text) };
  } catch (error) {
    const isLater = error instanceof NebulaError && error.code === "ERR_INCOMPATIBLE_VERSION";
    if (isLater) return error;
    throw error;
  }
}

/** Saves a state, and its events where the journal lacks them. Call it under the nebula's lock. */
export function writeDisk(home: NebulaHome, text: string, { recent }: StateFacts): void {
  replaceFile(home.state, Buffer.from(text));
  openEventLog(home, recent, {}).close();
}
