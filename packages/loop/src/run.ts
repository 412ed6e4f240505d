import type { Checkpoint } from "@quasar/checkpoint";
import type { CheckOptions, CheckResult } from "./check.ts";
import { createCheckpointHook } from "./checkpoint-hook.ts";
import { checkpointFromState } from "./convert.ts";
import { Emitter, messageOf } from "./emitter.ts";
import type { Hook, LoopEventData } from "./event.ts";
import type { Check } from "./options.ts";
import type { LoopRepository } from "./repository.ts";
import { type Settings, savesTurns } from "./settings.ts";
import type { CycleState } from "./state.ts";

/** What a run touches of the world, beside its options. */
export interface Ports {
  /** `undefined` outside a repository. */
  readonly repository: LoopRepository | undefined;
  readonly runCheck: (check: Check, options: CheckOptions) => Promise<CheckResult>;
}

/** Where a run begins: fresh, or where a checkpoint left it. */
export interface Standing {
  readonly state: CycleState;
  /** HEAD of the work tree; `""` outside a repository and before its first commit. */
  readonly head: string;
  /** The run is resumed here: a person has looked at it since. @default false */
  readonly resumed?: boolean | undefined;
}

/** By these variables the processes of a run are found, should they outlive its runner. */
export function marksOf({ runId, turn }: CycleState): Readonly<Record<string, string>> {
  return { QUASAR_RUN_ID: runId, QUASAR_TURN_ID: turn?.id ?? "" };
}

/** One run: what it knows, and its ways to the store and to the listeners. */
export class Run {
  readonly settings: Settings;
  readonly ports: Ports;
  state: CycleState;
  head: string;
  /** The first failed save of the hook, once it is to stop the run. */
  saveFailure: unknown;
  /** The cycle that was whole when the run was resumed; 0 when there is none. */
  readonly #resumedAfter: number;
  readonly #emitter: Emitter;
  /** Failed saves of the hook that nobody was told of yet. */
  #unreported: unknown[] = [];

  constructor(settings: Settings, ports: Ports, standing: Standing) {
    const { state, head, resumed = false } = standing;
    this.settings = settings;
    this.ports = ports;
    this.state = state;
    this.head = head;
    this.#resumedAfter = resumed && state.phase === "review_complete" ? state.cycle : 0;
    this.#emitter = new Emitter(this.#listeners());
  }

  /**
   * Whether the loop may be found to go in circles now. Not by the cycle that it was resumed after:
   * the same state would be judged the same for ever.
   */
  get detectStruggle(): boolean {
    return this.settings.detectStruggle && this.state.cycle > this.#resumedAfter;
  }

  /** Resolves when every listener has dealt with the event. */
  async emit(data: LoopEventData): Promise<void> {
    await this.#emitter.emit(data, this.state);
    for (const error of this.#unreported.splice(0)) {
      await this.warn(`the checkpoint could not be saved: ${messageOf(error)}`);
      if (this.settings.checkpoint?.onSaveError === "stop") this.saveFailure ??= error;
    }
  }

  warn(message: string): Promise<void> {
    return this.emit({ type: "warning", cycle: this.state.cycle, message });
  }

  /** Saves the state as it is now, where the loop itself saves around its turns. */
  async saveTurn(): Promise<void> {
    const { checkpoint } = this.settings;
    if (checkpoint === undefined || !savesTurns(checkpoint)) return;
    await checkpoint.store.save(this.checkpoint());
  }

  checkpoint(): Checkpoint {
    const { checkpoint, now } = this.settings;
    const { phaseId, nebulaName } = checkpoint ?? {};
    return checkpointFromState(this.state, { phaseId, nebulaName, gitSha: this.head, now });
  }

  /** The checkpoint first: what the others do at an event may not be undone by a crash. */
  #listeners(): readonly Hook[] {
    const { checkpoint, hooks, onEvent, now } = this.settings;
    const listeners = [...hooks];
    if (checkpoint !== undefined) {
      const { store, phaseId, nebulaName } = checkpoint;
      const gitSha = async (): Promise<string> => this.head;
      const onError = (error: unknown): void => void this.#unreported.push(error);
      listeners.unshift(createCheckpointHook({ store, phaseId, nebulaName, gitSha, onError, now }));
    }
    if (onEvent !== undefined) listeners.push({ onEvent });
    return listeners;
  }
}
