import { loadFile, replaceFile } from "@quasar/durable";
import { openJournal } from "@quasar/durable/journal";
import { NebulaError } from "../errors.ts";
import type { NebulaEvent } from "../events.ts";
import { decodeState, encodeState } from "./codec.ts";
import type { NebulaHome } from "./home.ts";
import type { NebulaState, PhaseState } from "./state.ts";

const MAX_BYTES = 64 * 1024 * 1024;

/** The state of a nebula as it was saved last; `undefined` where there is none. @throws {NebulaError} `ERR_DAMAGED` */
export function loadState({ state }: NebulaHome): NebulaState | undefined {
  return loadFile(state, decodeState, { maxBytes: MAX_BYTES })?.value;
}

/** The state that an engine works with. What a change returns from is on disk. */
export interface StateStore {
  readonly current: NebulaState;
  /** @throws {NebulaError} `ERR_NOT_FOUND` */
  phase(id: string): PhaseState;
  /** Changes a phase, durably, and keeps the event on record that says so. */
  change(id: string, change: Partial<PhaseState>, event: NebulaEvent): void;
  /** Changes several phases at once, by their ids. */
  changeAll(changes: ReadonlyMap<string, Partial<PhaseState>>, event: NebulaEvent): void;
  /** Has the nebula worked on by another copy of its files, with these phases. */
  update(revision: string, phases: readonly PhaseState[], event: NebulaEvent): void;
  /** Records commands that may fail on the branch, in place of those before. */
  acceptFailures(commands: readonly string[]): void;
  /** Archives the nebula: nothing works on it any more, and its branch is another one. */
  archive(branch: string): void;
  /** Keeps an event on record that changes nothing. */
  note(event: NebulaEvent): void;
  close(): void;
}

/** Call it under the nebula's lock. @param begun - What is saved first, where nothing is. */
export function openState(home: NebulaHome, begun: NebulaState, now: () => Date): StateStore {
  const saved = loadState(home);
  let current = saved ?? begun;
  if (saved === undefined) replaceFile(home.state, encodeState(begun));
  const journal = openJournal(home.journal, { joins: true });
  const note = (event: NebulaEvent): void =>
    void journal.add({ at: now().toISOString(), ...event });
  const changeAll: StateStore["changeAll"] = (changes, event) => {
    const updatedAt = now().toISOString();
    const phases = current.phases.map((phase) => {
      const change = changes.get(phase.id);
      return change === undefined ? phase : { ...phase, ...change, updatedAt };
    });
    const next = { ...current, phases };
    replaceFile(home.state, encodeState(next));
    current = next;
    note(event);
  };
  return {
    get current() {
      return current;
    },
    phase: (id) => find(current, id),
    change(id, change, event) {
      find(current, id);
      changeAll(new Map([[id, change]]), event);
    },
    changeAll,
    update(revision, phases, event) {
      const next = { ...current, revision, phases };
      replaceFile(home.state, encodeState(next));
      current = next;
      note(event);
    },
    acceptFailures(acceptedFailures) {
      const next = { ...current, acceptedFailures };
      replaceFile(home.state, encodeState(next));
      current = next;
    },
    archive(branch) {
      const next = { ...current, archivedFrom: current.branch, branch };
      replaceFile(home.state, encodeState(next));
      current = next;
    },
    note,
    close: () => journal.close(),
  };
}

function find({ phases }: NebulaState, id: string): PhaseState {
  const found = phases.find((phase) => phase.id === id);
  if (found !== undefined) return found;
  throw new NebulaError("ERR_NOT_FOUND", `there is no phase ${JSON.stringify(id)}`);
}
