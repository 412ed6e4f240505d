import { lstatSync } from "node:fs";
import { join } from "node:path";
import { removeFile, replaceFile } from "@quasar/durable";
import { shellWord } from "@quasar/runs/text";
import { type NebulaHome, nebulaHome } from "../state/home.ts";
import type { NebulaState } from "../state/state.ts";

type Paused = Pick<NebulaState, "id" | "dir">;

/**
 * Pauses a nebula, durably: no turn and no phase begins, whichever engine works on it, until it is continued.
 *
 * @returns Whether it was not paused so before.
 */
export function pauseNebula(commonDir: string, { id }: Paused, now: Date): boolean {
  const path = notePath(nebulaHome(commonDir, id));
  if (isThere(path)) return false;
  const note = { at: now.toISOString() };
  replaceFile(path, Buffer.from(`${JSON.stringify(note)}\n`), { keepPrevious: false });
  return true;
}

/** Ends what {@link pauseNebula} has begun. @returns Whether it was paused so. */
export function continueNebula(commonDir: string, { id }: Paused): boolean {
  const path = notePath(nebulaHome(commonDir, id));
  const wasPaused = isThere(path);
  if (wasPaused) removeFile(path);
  return wasPaused;
}

/** The commands that together end the pause of a nebula; none: it is not paused. */
export function pauseEnds(home: NebulaHome, { id, dir }: Paused): readonly string[] {
  const file = join(dir, "PAUSE");
  return [
    ...(isThere(notePath(home)) ? [`quasar nebula continue ${id}`] : []),
    ...(isThere(file) ? [`rm ${shellWord(file)}`] : []),
  ];
}

function notePath({ dir }: NebulaHome): string {
  return join(dir, "pause.json");
}

/** A path that cannot be read pauses nothing. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
