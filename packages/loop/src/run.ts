import type { AgentRole } from "@quasar/agents";
import type { Checkpoint } from "@quasar/checkpoint";
import type { CheckOptions, CheckResult } from "./checks/check.ts";
import { createCheckpointHook } from "./checkpoint-hook.ts";
import { checkpointFromState } from "./convert.ts";
import { Emitter, type EventFacts, type Listeners, messageOf } from "./emitter.ts";
import { type Ending, SUPERSEDED } from "./ending.ts";
import { failedBy } from "./full-disk.ts";
import { steersAgents } from "./repository/steering.ts";
import type { LoopEvent, LoopEventData } from "./event.ts";
import type { RunKind } from "./run-kind.ts";
import type { Check } from "./options.ts";
import { snapshot } from "./snapshot.ts";
import type { LoopRepository } from "./repository/repository.ts";
import type { SeenWork } from "@quasar/git/internal";
import { type Settings, savesTurns } from "./settings.ts";
import type { CycleState } from "./state.ts";
import type { waitUntil } from "./wait-until.ts";

/** What a run touches of the world, beside its options. */
export interface Ports {
  /** `undefined` outside a repository. */
  readonly repository: LoopRepository | undefined;
  readonly runCheck: (check: Check, options: CheckOptions) => Promise<CheckResult>;
  readonly waitUntil: typeof waitUntil;
}

/** Where a run begins: fresh, or where a checkpoint left it. */
export interface StartFacts {
  readonly state: CycleState;
  /** HEAD of the work tree; `""` outside a repository and before its first commit. */
  readonly head: string;
  /** The run is resumed here: a person has looked at it since. @default false */
  readonly resumed?: boolean | undefined;
  /** Nothing is uncommitted, for certain: no process of the run was left when that was seen. @default false */
  readonly isClean?: boolean | undefined;
}

/** By these variables the processes of a run are found, should they outlive its runner. */
export function marksOf({ runId, turn }: CycleState): Readonly<Record<string, string>> {
  return { QUASAR_RUN_ID: runId, QUASAR_TURN_ID: turn?.id ?? "" };
}

export function isCancelled({ settings }: Pick<Run, "settings">): boolean {
  return settings.signal?.aborted === true;
}

/** One run: what it knows, and its ways to the store and to the listeners. */
export class Run {
  readonly settings: Settings;
  readonly ports: Ports;
  #state: CycleState;
  head: string;
  /** Files by which agents are steered that the run has changed, as its reviewer was told last. */
  steering: readonly string[] = [];
  /** Whether a file by which agents are steered may have been changed: where nothing was seen of one, it was not. */
  mayHaveSteered: boolean;
  #seen: SeenWork | undefined;
  /** Folders of tools' caches, as they were seen last. */
  caches: readonly string[] = [];
  /** Warnings that are given once. */
  readonly #given: Set<string> = new Set();
  /** Paths that a person was told of: not all of their uncommitted work is there. */
  readonly lost: Set<string> = new Set();
  /** What git was told not to look at when the last reviewer was given its tree. */
  hiddenGiven: Awaited<ReturnType<LoopRepository["controls"]["hidden"]>> | undefined;
  /** The tree of a commit that HEAD was at. */
  tree: { readonly head: string; readonly id: string } | undefined;
  /** Nothing is uncommitted, and nobody has worked since that was seen. */
  clean: boolean;
  /** The cycle that was whole when the run was resumed; 0 when there is none. */
  readonly #resumedAfter: number;
  readonly #emitter: Emitter;
  /** Failed saves of the hook that nobody was told of yet. */
  #unreported: unknown[] = [];
  /** The first failed save of the hook that is to stop the run. */
  #saveFailure: { readonly error: unknown } | undefined;
  /** The failed save of the hook at the event that was told last. */
  #lastFailure: { readonly error: unknown } | undefined;

  constructor(settings: Settings, ports: Ports, start: StartFacts) {
    const { state, head, resumed = false, isClean = false } = start;
    this.settings = settings;
    this.ports = ports;
    this.#state = snapshot(state);
    this.head = head;
    this.clean = isClean;
    this.mayHaveSteered = resumed;
    this.#resumedAfter = resumed && state.phase === "review_complete" ? state.cycle : 0;
    this.#emitter = new Emitter(this.#listeners());
  }

  /** Copied when it is set, and shared from then on by each event and save that shows it. */
  get state(): CycleState {
    return this.#state;
  }
  set state(state: CycleState) {
    this.#state = snapshot(state);
  }

  /**
   * Whether the loop may be found to go in circles now. Not by the cycle that it was resumed after:
   * the same state would be judged the same for ever.
   */
  get detectStruggle(): boolean {
    return this.settings.detectStruggle && this.state.cycle > this.#resumedAfter;
  }

  /** The work tree as it was seen last; nobody has worked since. */
  get seen(): SeenWork | undefined {
    return this.#seen;
  }

  set seen(seen: SeenWork | undefined) {
    this.mayHaveSteered ||= seen?.dirty.some(({ path }) => steersAgents(path)) === true;
    if (seen !== undefined) this.caches = seen.caches.map(({ path }) => path);
    this.#seen = seen;
  }

  get runKind(): RunKind {
    return this.settings.runKind;
  }

  /** Why the run has to be left as it is: another process drives it, or may. */
  get superseded(): Ending | undefined {
    return this.settings.holdsLock?.() === false ? SUPERSEDED : undefined;
  }

  /** Why the run may not continue: what happens is not put on record. */
  get unrecorded(): Ending | undefined {
    const { journalFailure } = this.#emitter;
    return journalFailure && unsaved("the journal could not be written", journalFailure.error);
  }

  /** Why the run may not continue: a save of the hook failed, and is to stop it, or the journal did. */
  get broken(): Ending | undefined {
    return this.unrecorded ?? (this.#saveFailure && unsavedCheckpoint(this.#saveFailure.error));
  }

  /** Whether the caller counts on saves: the run is not at its end before that is saved. */
  get requiresSaves(): boolean {
    const { checkpoint } = this.settings;
    return (
      checkpoint !== undefined && (savesTurns(checkpoint) || checkpoint.onSaveError === "stop")
    );
  }

  /** Why the run is not at its end although its work is: the last save failed. */
  get unsavedEnd(): Ending | undefined {
    return this.requiresSaves && this.#lastFailure
      ? unsavedEnd(this.#lastFailure.error)
      : undefined;
  }

  /** Whether the turns of a role are held until they are saved, and their ends are kept outside of the checkpoint. */
  isSupervised(role: AgentRole): boolean {
    const { checkpoint, turnsDir } = this.settings;
    const { supervised } = this.settings[role].capabilities;
    return supervised === true && turnsDir !== undefined && savesTurns(checkpoint);
  }

  /** Resolves when every listener has dealt with the event. */
  async emit(data: LoopEventData): Promise<void> {
    await this.tell(this.record(data));
  }

  /** Puts on record what is told once it is stored. */
  record(data: LoopEventData): LoopEvent {
    return this.#emitter.record(data, this.#eventFacts());
  }

  /** Puts on record what the listeners are told when the next event is stored, not before it. */
  hold(data: LoopEventData): void {
    this.#emitter.hold(this.record(data));
  }

  /** Tells the listeners what is on record. */
  async tell(event: LoopEvent): Promise<void> {
    await this.#emitter.tell(event, this.#eventFacts());
    const [error] = this.#unreported;
    if (event.type !== "warning") this.#lastFailure = error === undefined ? undefined : { error };
    for (const error of this.#unreported.splice(0)) {
      await this.warn(`the checkpoint could not be saved: ${messageOf(error)}`);
      if (this.settings.checkpoint?.onSaveError === "stop") this.#saveFailure ??= { error };
    }
  }

  /** Where the same was not said before. */
  async warnOnce(message: string): Promise<void> {
    if (this.#given.has(message)) return;
    this.#given.add(message);
    await this.warn(message);
  }

  warn(message: string): Promise<void> {
    return this.emit({ type: "warning", cycle: this.state.cycle, message });
  }

  /**
   * Saves the state as it is now, where the loop itself saves around its turns. Resolves to the end
   * of the run when that fails, or when the journal lacks what the state says.
   */
  async saveTurn(): Promise<Ending | undefined> {
    const { checkpoint } = this.settings;
    if (this.unrecorded !== undefined) return this.unrecorded;
    if (checkpoint === undefined || !savesTurns(checkpoint)) return undefined;
    try {
      await checkpoint.store.save(this.checkpoint());
      return undefined;
    } catch (error) {
      return unsavedCheckpoint(error);
    }
  }

  checkpoint(): Checkpoint {
    const { checkpoint, now } = this.settings;
    const { phaseId, nebulaName } = checkpoint ?? {};
    return checkpointFromState(this.state, { phaseId, nebulaName, gitSha: this.head, now });
  }

  #eventFacts(): EventFacts {
    return { state: this.state, head: this.head };
  }

  #listeners(): Listeners {
    const { checkpoint, hooks, onEvent, journal, now } = this.settings;
    const all = onEvent === undefined ? hooks : [...hooks, { onEvent }];
    if (checkpoint === undefined) return { journal, checkpoint, hooks: all };
    const { store, phaseId, nebulaName } = checkpoint;
    const onError = (error: unknown): void => void this.#unreported.push(error);
    const hook = createCheckpointHook({ store, phaseId, nebulaName, onError, now });
    const isUnsaved = (): boolean => this.#unreported.length > 0;
    return { journal, checkpoint: hook, isUnsaved, hooks: all };
  }
}

function unsavedCheckpoint(error: unknown): Ending {
  return unsaved("the checkpoint could not be saved", error);
}

export function unsavedEnd(error: unknown): Ending {
  return unsaved("the work is approved and committed, but that could not be saved", error);
}

function unsaved(what: string, error: unknown): Ending {
  return failedBy(error, { outcome: "checkpoint", message: `${what}: ${messageOf(error)}` });
}
