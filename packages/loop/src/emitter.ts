import type { Hook, LoopEvent, LoopEventData } from "./event.ts";
import { snapshot } from "./snapshot.ts";
import type { CycleState } from "./state.ts";

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
  emit(data: LoopEventData, state: CycleState): Promise<void> {
    const before = this.#last;
    this.#last = (async () => {
      await before;
      const errors = await this.#deliver(data, state);
      for (const error of errors) {
        const message = `a listener failed at ${data.type}: ${messageOf(error)}`;
        await this.#deliver({ type: "warning", cycle: state.cycle, message }, state);
      }
    })();
    return this.#last;
  }

  async #deliver(data: LoopEventData, state: CycleState): Promise<readonly unknown[]> {
    const event = eventOf(data, state);
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

function eventOf(data: LoopEventData, state: CycleState): LoopEvent {
  let copy: CycleState | undefined;
  return Object.freeze({
    ...snapshot(data),
    taskId: state.taskBeadId,
    state: () => (copy ??= snapshot(state)),
  });
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
