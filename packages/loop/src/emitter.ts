import type { Hook, LoopEvent, LoopEventData } from "./event.ts";
import { snapshot } from "./snapshot.ts";
import type { CycleState } from "./state.ts";

/** Where the loop stood when it emitted an event. */
export interface EventStanding {
  readonly state: CycleState;
  readonly head: string;
}

/**
 * Tells hooks what happens: one event after the other, each hook awaited in order. A hook that
 * throws is reported to all in a `warning` and stops nothing.
 */
export class Emitter {
  readonly #hooks: readonly Hook[];
  #last: Promise<void> = Promise.resolve();

  constructor(hooks: readonly Hook[]) {
    this.#hooks = hooks;
  }

  /** Resolves when every hook has dealt with the event, and with all that came before it. */
  emit(data: LoopEventData, standing: EventStanding): Promise<void> {
    const before = this.#last;
    this.#last = (async () => {
      await before;
      const errors = await this.#deliver(data, standing);
      for (const error of errors) {
        const message = `a listener failed at ${data.type}: ${messageOf(error)}`;
        await this.#deliver({ type: "warning", cycle: standing.state.cycle, message }, standing);
      }
    })();
    return this.#last;
  }

  async #deliver(data: LoopEventData, standing: EventStanding): Promise<readonly unknown[]> {
    const event = eventOf(data, standing);
    const errors: unknown[] = [];
    for (const hook of this.#hooks) {
      try {
        await hook.onEvent(event);
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }
}

function eventOf(data: LoopEventData, { state, head }: EventStanding): LoopEvent {
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
  return error instanceof Error ? error.message : String(error);
}
