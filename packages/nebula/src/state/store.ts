import { type DurableOptions, loadFile, replaceFile } from "@quasar/durable";
import { NebulaError } from "../errors.ts";
import { noPhase } from "./no-phase.ts";
import type { NebulaEvent } from "../events.ts";
import { decodeSaved, encodeState, MOST_BYTES, type SavedState } from "./codec.ts";
import { openEventLog } from "./event-log.ts";
import { goneError } from "./gone.ts";
import type { NebulaHome } from "./home.ts";
import { eventText, NO_EVENTS } from "./recent-events.ts";
import {
  type AskedPush,
  isSettled,
  type NebulaState,
  type PhaseState,
  type PushState,
  type TypedLimits,
} from "./state.ts";

/**
 * The state of a nebula as it was saved last; `undefined` where there is none.
 *
 * @throws {NebulaError} `ERR_DAMAGED`; `ERR_INCOMPATIBLE_VERSION` where a later version of Quasar has saved it.
 */
export function loadState(home: NebulaHome): NebulaState | undefined {
  return loadSaved(home)?.state;
}

/** The same of a nebula that has begun. @throws {NebulaError} `ERR_NOT_FOUND`, and as {@link loadState} */
export function requireState(home: NebulaHome): NebulaState {
  const state = loadState(home);
  if (state === undefined) throw goneError(home);
  return state;
}

/** As {@link loadState}, with the events that its journal may lack. */
export function loadSaved(
  { state }: NebulaHome,
  options: DurableOptions = {},
): SavedState | undefined {
  const value = loadFile(state, decodeUnlessLater, { ...options, maxBytes: MOST_BYTES })?.value;
  if (value instanceof NebulaError) throw value;
  return value;
}

/** A file of a later version is no damage: the generation before it must not take its place. */
function decodeUnlessLater(bytes: Uint8Array): SavedState | NebulaError {
  try {
    return decodeSaved(bytes);
  } catch (error) {
    const isLater = error instanceof NebulaError && error.code === "ERR_INCOMPATIBLE_VERSION";
    if (isLater) return error;
    throw error;
  }
}

/**
 * The state that an engine works with. What a change returns from is on disk, and so is its event; one that could not be
 * read again is refused (`ERR_USAGE`), and changes nothing. Where the journal alone fails (`ERR_NOT_DURABLE`), the change is
 * made, and the state keeps its event until the journal takes it. Once it is closed, each change throws: the lock may be
 * another's.
 */
export interface StateStore {
  readonly current: NebulaState;
  /** @throws {NebulaError} `ERR_NOT_FOUND` */
  phase(id: string): PhaseState;
  /** Changes a phase, durably, and keeps the event on record that says so. */
  change(id: string, change: Partial<PhaseState>, event: NebulaEvent): void;
  /** Changes a phase, durably, where nothing has happened by that: it has no event. */
  keep(id: string, change: Partial<PhaseState>): void;
  /** Changes several phases at once, by their ids. */
  changeAll(changes: ReadonlyMap<string, Partial<PhaseState>>, event: NebulaEvent): void;
  /** Has the nebula worked on by another copy of its files, with these phases; nobody has said anything of its plan. */
  update(revision: string, phases: readonly PhaseState[], event: NebulaEvent): void;
  /** Records limits that a person has typed; one that is not given stays as it was. */
  limit(limits: TypedLimits): void;
  /** Records the folder that the nebula is in by now: an absolute path, without links. */
  moveTo(dir: string): void;
  /** Records where the work trees are. */
  keepTrees(kept: Required<Pick<NebulaState, "trees" | "treesOf">>): void;
  /** Records that a person has asked for a push once all has landed, and where it is to go. */
  askPush(asked: AskedPush): void;
  /** Records what came of one. */
  push(change: Pick<PushState, "pushedTip" | "pushedTo" | "pushProblem">, event: NebulaEvent): void;
  /** Records commands that may fail on the branch, in place of those before. */
  acceptFailures(commands: readonly string[]): void;
  /** Records that the branch is the nebula's own. */
  ownBranch(event: NebulaEvent): void;
  /** Records what a person has said of the plan. */
  plan(change: Pick<NebulaState, "planVerdict" | "planReason">, event: NebulaEvent): void;
  /**
   * Archives the nebula: nothing works on it any more, and its branch is another one.
   *
   * @param tip - Where its branch is, which is to be renamed; `""`: it has none.
   */
  archive(branch: string, tip: string): void;
  /** Records that its branch has the name of an archived nebula's. */
  branchRenamed(): void;
  /** Keeps an event on record that changes nothing: a power cut may take it, and the next change keeps what the journal refuses. */
  note(event: NebulaEvent): void;
  close(): void;
}

export interface OpenStateOptions extends DurableOptions {
  /** Called with each state that was saved, and with its text. */
  readonly onSaved?: ((state: NebulaState, text: Uint8Array) => void) | undefined;
  /** Called with the text of the state that has an event which was only noted. @default nobody asks for it */
  readonly onNoted?: ((text: Uint8Array) => void) | undefined;
}

/** Saves the first state of a nebula that begins. Call it under the nebula's lock. */
export function createState(
  { state }: NebulaHome,
  begun: NebulaState,
  options: DurableOptions = {},
): void {
  replaceFile(state, encodeState({ state: begun, recent: NO_EVENTS }), options);
}

/**
 * Opens the state of a nebula that has begun. Call it under the nebula's lock.
 *
 * @throws {NebulaError} `ERR_NOT_FOUND` where there is none: nothing was created.
 */
export function openState(
  home: NebulaHome,
  now: () => Date,
  { onSaved = () => {}, onNoted, ...options }: OpenStateOptions = {},
): StateStore {
  const saved = loadSaved(home, options);
  if (saved === undefined) throw goneError(home);
  let current = saved.state;
  const log = openEventLog(home, saved.recent, options);
  const textOf = (event: NebulaEvent): string => eventText({ at: now().toISOString(), ...event });
  let isClosed = false;
  const requireOpen = (): void => {
    if (isClosed) throw new Error("the state of the nebula is closed");
  };
  /** The state is written with its event, so that a crash between it and the journal loses neither. */
  const save = (next: NebulaState, event?: NebulaEvent): void => {
    requireOpen();
    const text = event === undefined ? [] : [textOf(event)];
    const recent = log.recentWith(text);
    const bytes = encodeState({ state: next, recent });
    replaceFile(home.state, bytes, options);
    current = next;
    try {
      log.add(text);
    } finally {
      onSaved(next, bytes);
    }
  };
  const changed = (changes: ReadonlyMap<string, Partial<PhaseState>>): NebulaState => {
    const updatedAt = now().toISOString();
    const phases = current.phases.map((phase) => {
      const change = changes.get(phase.id);
      return change === undefined ? phase : closed({ ...phase, ...change, updatedAt });
    });
    return { ...current, phases };
  };
  const changeAll: StateStore["changeAll"] = (changes, event) => save(changed(changes), event);
  return {
    get current() {
      return current;
    },
    phase: (id) => find(current, id),
    change(id, change, event) {
      find(current, id);
      changeAll(new Map([[id, change]]), event);
    },
    keep: (id, change) => save(changed(new Map([[id, change]]))),
    changeAll,
    update(revision, phases, event) {
      // What a person has said was about other files.
      save({ ...current, revision, phases, planVerdict: "", planReason: "" }, event);
    },
    askPush: (asked) => save({ ...current, ...asked, isPushAsked: true }),
    push: (change, event) => save({ ...current, ...change }, event),
    acceptFailures: (acceptedFailures) => save({ ...current, acceptedFailures }),
    limit({ typedTotalUsd = current.typedTotalUsd, typedPhaseUsd = current.typedPhaseUsd }) {
      const isSame =
        typedTotalUsd === current.typedTotalUsd && typedPhaseUsd === current.typedPhaseUsd;
      if (!isSame) save({ ...current, typedTotalUsd, typedPhaseUsd });
    },
    keepTrees(kept) {
      const isSame = kept.trees === current.trees && kept.treesOf === current.treesOf;
      if (!isSame) save({ ...current, ...kept });
    },
    moveTo(dir) {
      if (dir !== current.dir) save({ ...current, dir });
    },
    ownBranch: (event) => save({ ...current, ownsBranch: true }, event),
    plan: (change, event) => save({ ...current, ...change }, event),
    archive(branch, archivedTip) {
      save({ ...current, archivedFrom: current.branch, branch, archivedTip });
    },
    branchRenamed: () => save({ ...current, archivedTip: "" }),
    note(event) {
      requireOpen();
      const text = [textOf(event)];
      const recent = log.recentWith(text);
      log.add(text);
      onNoted?.(encodeState({ state: current, recent }));
    },
    close() {
      isClosed = true;
      log.close();
    },
  };
}

/** The questions of a phase end with it. */
function closed(phase: PhaseState): PhaseState {
  return isSettled(phase) ? { ...phase, questions: [] } : phase;
}

function find(state: NebulaState, id: string): PhaseState {
  const found = state.phases.find((phase) => phase.id === id);
  if (found !== undefined) return found;
  throw noPhase(state, id);
}
