import { renameSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "@quasar/durable";
import { currentProcess, type ProcessIdentity } from "@quasar/process";
import { entryAt } from "@quasar/process/files";
import * as v from "valibot";
import { engineOf, lockUnlessEngine } from "../state/lock.ts";
import { type NebulaHome, nebulaHome } from "../state/home.ts";
import type { NebulaState } from "../state/state.ts";
import { readNote } from "./note-file.ts";

/** What a person asks of the engine that works on a nebula. */
const stopSchema = v.object({
  /** The engine that is meant: a note is never for the one after it. */
  pid: v.number(),
  startTime: v.optional(v.number()),
  /** At once, with the turns in flight cut off; else after them. */
  isNow: v.boolean(),
});

export type StopNote = v.InferOutput<typeof stopSchema>;

/**
 * Has the engine that works on a nebula end.
 *
 * @returns `idle`: none does. `left`: it takes the note within a second.
 * @throws {NebulaError} `ERR_LOCKED` where another command keeps the nebula's lock
 */
export function stopEngine(
  commonDir: string,
  { id }: Pick<NebulaState, "id">,
  { isNow }: Pick<StopNote, "isNow">,
): "idle" | "left" {
  const home = nebulaHome(commonDir, id);
  const lock = lockUnlessEngine(home);
  lock?.release();
  const engine = lock === undefined ? engineOf(home) : undefined;
  if (engine === undefined) return "idle";
  const { pid, startTime } = engine;
  const note: StopNote = { pid, startTime, isNow };
  replaceFile(pathOf(home), Buffer.from(`${JSON.stringify(note)}\n`), { keepPrevious: false });
  return "left";
}

/**
 * Takes the note that was left for this engine; one that was for another goes, too. One that comes meanwhile stays. What was
 * taken is kept until the next one is, so that others see that the engine stops.
 */
export function takeStop(home: NebulaHome): StopNote | undefined {
  if (entryAt(pathOf(home)) === undefined) return undefined;
  renameSync(pathOf(home), takenPath(home));
  return noteFor(currentProcess(), takenPath(home));
}

/** What a person has asked of an engine that has not ended yet; `undefined`: nothing. */
export function stopAsked(home: NebulaHome, engine: ProcessIdentity): StopNote | undefined {
  return noteFor(engine, pathOf(home)) ?? noteFor(engine, takenPath(home));
}

function noteFor({ pid, startTime }: ProcessIdentity, path: string): StopNote | undefined {
  const found = readNote(path, 4096);
  const note = found.kind === "text" ? parsed(found.text) : undefined;
  return note?.pid === pid && note.startTime === startTime ? note : undefined;
}

function parsed(text: string): StopNote | undefined {
  try {
    const found = v.safeParse(stopSchema, JSON.parse(text));
    return found.success ? found.output : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function takenPath(home: NebulaHome): string {
  return `${pathOf(home)}.taken`;
}

function pathOf({ dir }: NebulaHome): string {
  return join(dir, "stop.json");
}
