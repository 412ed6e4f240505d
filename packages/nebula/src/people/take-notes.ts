import { basename } from "node:path";
import type { Lock } from "@quasar/durable";
import { specReader } from "../state/copy.ts";
import type { NebulaHome } from "../state/home.ts";
import { withState } from "../state/lock.ts";
import type { StateStore } from "../state/store.ts";
import { byName } from "../spec/by-name.ts";
import type { NoteToTake } from "./notes.ts";
import { decisionsToTake } from "./take-decisions.ts";
import { requestsToTake } from "./take-requests.ts";

/** Who takes what people have left: the engine, or a command where none works. Each reads its spec anew. */
export type NoteTaker = Parameters<typeof decisionsToTake>[0] &
  Parameters<typeof requestsToTake>[0];

/** Takes what people have left, in the order in which they did. Call it under the nebula's lock. */
export function takeNotes(taker: NoteTaker): void {
  takeInOrder([...decisionsToTake(taker), ...requestsToTake(taker)]);
}

/** A command that has a nebula's lock. */
export interface Command {
  readonly home: NebulaHome;
  readonly lock: Lock;
  /** The phase about which it decides itself: what was decided of it before, and not taken, does not count. @default none */
  readonly phase?: string | undefined;
}

/**
 * Does what a command is for, after what people have left before for an engine that took none of it: what was said last is
 * done last, whatever is killed in between.
 *
 * @throws {NebulaError} `ERR_NOT_FOUND`
 */
export function withNotesTaken<T>(
  { home, lock, phase }: Command,
  work: (taker: NoteTaker) => T,
): T {
  return withState({ home, lock }, (store) => {
    const taker = commandTaker(home, store);
    const isBefore = (each: NoteToTake): boolean => phase === undefined || each.phase !== phase;
    const decisions = decisionsToTake(taker).filter(isBefore);
    takeInOrder([...decisions, ...requestsToTake(taker)]);
    return work(taker);
  });
}

function takeInOrder(notes: readonly NoteToTake[]): void {
  const nameOf = ({ path }: NoteToTake): string => basename(path);
  for (const { take } of notes.toSorted((a, b) => byName(nameOf(a), nameOf(b)))) take();
}

function commandTaker(home: NebulaHome, store: StateStore): NoteTaker {
  const readNebula = specReader(home, () => store.current.revision);
  return {
    ...{ home, store, now: () => new Date() },
    get spec() {
      return readNebula();
    },
    // Who left an update was asked whether it is trusted, and the next engine asks what its limits are.
    admit: () => {},
    tell: () => {},
    // What was cut off while it landed may be on the branch: only an engine finds out.
    get inLane() {
      const { phases } = store.current;
      return new Set(phases.flatMap(({ id, status }) => (status === "landing" ? [id] : [])));
    },
  };
}
