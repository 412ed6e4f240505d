import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "@quasar/durable";
import { makeFolders, namesIn } from "@quasar/process/files";
import { decodeSaved, encodeState } from "../state/codec.ts";
import type { NebulaHome } from "../state/home.ts";
import type { NebulaState } from "../state/state.ts";

/** A state that was saved here. */
export interface StateForServer {
  /** As `state.toml` has it. */
  readonly text: string;
  readonly state: Pick<NebulaState, "phases">;
}

export type ForServer = (saved: Uint8Array) => StateForServer;

/**
 * Has the home of a nebula be as the server has it. The journal of this machine begins anew, with the events that the state
 * has; the one before is kept beside it.
 *
 * @param text - As `state.toml` has it.
 */
export function takeOver(home: NebulaHome, text: string): ForServer {
  const { state, recent } = decodeSaved(Buffer.from(text));
  makeFolders(home.dir);
  if (existsSync(home.journal)) {
    const kept = join(home.dir, "journals");
    makeFolders(kept);
    renameSync(home.journal, join(kept, `${namesIn(kept).length + 1}.jsonl`));
  }
  // Copies of what the server has, or had.
  for (const left of [home.inbox, join(home.dir, "pause.json"), join(home.dir, "stop.json")]) {
    rmSync(left, { recursive: true, force: true });
  }
  const before = recent.from - 1;
  const here = { from: 1, events: recent.events };
  replaceFile(home.state, encodeState({ state, recent: here }), { keepPrevious: false });
  return (saved) => {
    const next = decodeSaved(saved);
    const from = next.recent.from + before;
    const shifted = { state: next.state, recent: { from, events: next.recent.events } };
    return { text: Buffer.from(encodeState(shifted)).toString(), state: next.state };
  };
}
