import { lstatSync } from "node:fs";
import { join } from "node:path";
import { readWholeFile, removeFile } from "@quasar/durable";
import { isTracked } from "@quasar/git/internal";
import { messageOf } from "@quasar/runs/internal";
import type { NebulaEvent } from "../events.ts";
import type { NebulaSpec } from "../spec/types.ts";
import type { NebulaHome } from "../state/home.ts";
import type { StateStore } from "../state/store.ts";
import { note } from "../state/report.ts";
import { pauseEnds } from "./pause.ts";
import { takeStop } from "./stop.ts";
import { takeDecision } from "./take-decisions.ts";

/** What people ask of an engine as a whole. */
export interface Steering {
  /** No turn, no phase and no landing begins any more: it ends after those in flight. */
  readonly isStopping: boolean;
  /** No turn and no phase begins until a person ends that; landings continue. */
  readonly isPaused: boolean;
  /** Takes what people have left since: notes of a command, and files in the nebula's own folder. */
  look(): Promise<void>;
  /** Has the engine stop, by itself. @param reason - For people; it continues "stops". */
  stop(reason: string): void;
}

export interface SteeringOptions {
  readonly home: NebulaHome;
  /** The nebula's own folder, which need not be there. */
  readonly dir: string;
  /** Read anew for each decision: an update changes it. */
  readonly spec: NebulaSpec;
  readonly store: StateStore;
  readonly now: () => Date;
  readonly tell: (event: NebulaEvent) => void;
  /** Cuts off what is in flight. */
  readonly endNow: () => void;
}

/**
 * A pause holds until its note, or `PAUSE` in the nebula's folder, is removed; `STOP` and `RETRY`, which holds a phase's
 * id, are taken once, and removed unless git tracks them. The folder need not be there.
 */
export function createSteering(options: SteeringOptions): Steering {
  const { home, dir, store, tell, endNow } = options;
  let isStopping = false;
  /** What ends the pause; `""`: there is none. */
  let pausedUntil = "";
  /** Files that were taken and are still there, by their identities. */
  const taken = new Map<string, string>();
  const report = (event: NebulaEvent): void => note({ store, tell }, event);
  const stop = (reason: string): void => {
    if (isStopping) return;
    isStopping = true;
    report({ type: "engine_stops", reason });
  };

  return {
    stop,
    get isStopping() {
      return isStopping;
    },
    get isPaused() {
      return pausedUntil !== "";
    },
    async look() {
      const note = takeStop(home);
      if (note !== undefined) {
        stop(
          note.isNow
            ? "at once, as a person asked"
            : "after the turns in flight, as a person asked",
        );
        if (note.isNow) endNow();
      }
      pause(pauseEnds(home, { id: store.current.id, dir }).join(" and "));
      if ((await take("STOP")) !== undefined)
        stop(`after the turns in flight: ${join(dir, "STOP")}`);
      const phase = (await take("RETRY"))?.trim();
      if (phase !== undefined) retry(phase);
    },
  };

  function pause(until: string): void {
    if (until === pausedUntil) return;
    pausedUntil = until;
    report(
      until === ""
        ? { type: "engine_continues", reason: "the pause has ended" }
        : { type: "engine_pauses", reason: `until ${until}` },
    );
  }

  /** The text of a file that was not taken before. */
  async function take(name: string): Promise<string | undefined> {
    const path = join(dir, name);
    const identity = identityOf(path);
    if (identity === undefined || taken.get(name) === identity) return undefined;
    taken.set(name, identity);
    try {
      const text = Buffer.from(readWholeFile(path, { maxBytes: 4096 }) ?? []).toString();
      if (await isTracked(dir, name)) {
        tell({ type: "warning", message: `${path} is tracked by git, and stays` });
      } else {
        removeFile(path);
      }
      return text;
    } catch (error) {
      const why = messageOf(error);
      tell({ type: "warning", message: `${path}: ${why}` });
      return undefined;
    }
  }

  function retry(id: string): void {
    const phase = store.current.phases.find((each) => each.id === id);
    if (phase === undefined) {
      tell({ type: "warning", message: `RETRY: there is no phase ${JSON.stringify(id)}` });
      return;
    }
    const { attempt, digest } = phase;
    takeDecision(options, {
      verb: "retry",
      phase: id,
      attempt,
      digest,
      reason: "",
      isFinal: false,
    });
  }
}

/** Another for each file that is put at a path; `undefined`: there is none that can be seen. */
function identityOf(path: string): string | undefined {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat && `${stat.dev}.${stat.ino}.${stat.mtimeMs}`;
  } catch {
    return undefined;
  }
}
