import { withName } from "@quasar/process/files";
import type { Hook, LoopEvent, LoopEventData } from "./event.ts";
import { isStored } from "./checkpoint-hook.ts";
import { snapshot } from "./snapshot.ts";
import type { CycleState } from "./state.ts";

/** Where the loop stood when it emitted an event. */
export interface EventFacts {
  readonly state: CycleState;
  readonly head: string;
}

export interface Listeners {
  /** Told first, and at once. When it fails, neither it nor `checkpoint` is told of anything more. */
  readonly journal?: ((event: LoopEvent) => void) | undefined;
  /** Told before the hooks: what they do at an event may not be undone by a crash. */
  readonly checkpoint: Hook | undefined;
  /** Whether the checkpoint could not be saved at the event that is being told. @default it could */
  readonly isUnsaved?: (() => boolean) | undefined;
  readonly hooks: readonly Hook[];
}

/**
 * Tells listeners what happens: one event after the other, each hook awaited in order. A hook that
 * throws is reported to all in a `warning` and stops nothing.
 */
export class Emitter {
  readonly #listeners: Listeners;
  #last: Promise<void> = Promise.resolve();
  #held: LoopEvent[] = [];
  #journalFailure: { readonly error: unknown } | undefined;

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
  }

  /** What the journal threw. From then on nothing is stored that it does not know of. */
  get journalFailure(): { readonly error: unknown } | undefined {
    return this.#journalFailure;
  }

  /** Resolves when every listener has dealt with the event, and with all that came before it. */
  emit(data: LoopEventData, facts: EventFacts): Promise<void> {
    return this.tell(this.record(data, facts), facts);
  }

  /** Writes an event into the journal, for it to be told later. */
  record(data: LoopEventData, facts: EventFacts): LoopEvent {
    const event = eventOf(data, facts);
    if (this.#journalFailure !== undefined) return event;
    try {
      this.#listeners.journal?.(event);
    } catch (error) {
      this.#journalFailure = { error };
    }
    return event;
  }

  /** Keeps a recorded event until the next save. The hooks get it right after that save; if it fails, they do not. */
  hold(event: LoopEvent): void {
    this.#held.push(event);
  }

  /** Tells the hooks of a recorded event. */
  tell(event: LoopEvent, facts: EventFacts): Promise<void> {
    const before = this.#last;
    this.#last = (async () => {
      await before;
      const errors = await this.#deliver(event);
      for (const error of errors) {
        const message = `a hook could not do its work at ${event.type}: ${messageOf(error)}`;
        const { cycle } = facts.state;
        await this.#deliver(this.record({ type: "warning", cycle, message }, facts));
      }
    })();
    return this.#last;
  }

  async #deliver(event: LoopEvent): Promise<readonly unknown[]> {
    const { checkpoint, hooks } = this.#listeners;
    const stores = checkpoint !== undefined && this.#journalFailure === undefined;
    const errors = stores ? await deliverTo([checkpoint], event) : [];
    const isSaved = isStored(event.type) && stores && this.#listeners.isUnsaved?.() !== true;
    const held = isSaved ? this.#held.splice(0) : [];
    for (const each of [...held, event]) errors.push(...(await deliverTo(hooks, each)));
    return errors;
  }
}

/** What the hooks threw. */
async function deliverTo(hooks: readonly Hook[], event: LoopEvent): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (const hook of hooks) {
    try {
      await hook.onEvent(event);
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}

function eventOf(data: LoopEventData, { state, head }: EventFacts): LoopEvent {
  let copy: CycleState | undefined;
  return Object.freeze({
    ...snapshot(data),
    taskId: state.taskBeadId,
    headSha: head,
    state: () => (copy ??= snapshot(state)),
  });
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? withName(error).message : String(error);
}
