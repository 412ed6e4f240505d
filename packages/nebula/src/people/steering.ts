import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { readWholeFile, removeFile } from "@quasar/durable";
import { isTracked } from "@quasar/git/internal";
import { messageOf } from "@quasar/runs/internal";
import type { NebulaEvent } from "../events.ts";
import type { NebulaSpec } from "../spec/types.ts";
import type { NebulaHome } from "../state/home.ts";
import { eventsIn } from "../state/events.ts";
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
  /**
   * Has the engine stop, by itself, also where this throws since it cannot be recorded or reported.
   *
   * @param reason - For people; it continues "stops".
   */
  stop(reason: string): void;
  /** Cuts off what is in flight. */
  endNow(): void;
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
    ...{ stop, endNow },
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
      await take("STOP", () => stop(`after the turns in flight: ${join(dir, "STOP")}`));
      await take("RETRY", (text, { mtimeMs }) => retry(text.trim(), mtimeMs));
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

  /** Does what a file asks that was not taken before; then it is removed. */
  async function take(name: string, carryOut: (text: string, stat: Stats) => void): Promise<void> {
    const path = join(dir, name);
    const stat = statOf(path);
    if (stat === undefined) return;
    const identity = `${stat.dev}.${stat.ino}.${stat.mtimeMs}`;
    if (taken.get(name) === identity) return;
    taken.set(name, identity);
    const text = orWarning(path, () => readWholeFile(path, { maxBytes: 4096 }));
    if (text === undefined) return;
    carryOut(Buffer.from(text).toString(), stat);
    if (await isTracked(dir, name)) {
      tell({ type: "warning", message: `${path} is tracked by git, and stays` });
    } else {
      orWarning(path, () => removeFile(path));
    }
  }

  /** A file of a person's that cannot be read or removed is no failure of the engine. */
  function orWarning<T>(path: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      tell({ type: "warning", message: `${path}: ${messageOf(error)}` });
      return undefined;
    }
  }

  /** What a person has decided since by a command is the last word, also where the file could not be taken before. */
  function retry(id: string, askedAtMs: number): void {
    const phase = store.current.phases.find((each) => each.id === id);
    if (phase === undefined) {
      report({ type: "warning", message: `RETRY: there is no phase ${JSON.stringify(id)}` });
      return;
    }
    const decided = eventsIn(home).flatMap((event) =>
      event.type === "decision" && event.phase === id ? [event] : [],
    );
    const last = decided.at(-1);
    if (last !== undefined && Date.parse(last.at) > askedAtMs) {
      const message = `RETRY is older than ${last.verb}, which counts`;
      report({ type: "warning", phase: id, message });
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

/** `undefined`: there is none that can be seen. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
