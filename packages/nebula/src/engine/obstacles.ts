import type { Engine } from "../context/context.ts";

/** What stands in the way of an engine's work at the moment, each reported when it comes up. */
export class Obstacles {
  readonly #tell: Engine["tell"];
  readonly #now = new Map<"work" | "landing", string>();

  constructor({ tell }: Pick<Engine, "tell">) {
    this.#tell = tell;
  }

  /** What keeps phases from beginning, or from landing; `undefined`: nothing does. */
  of(what: "work" | "landing"): string | undefined {
    return this.#now.get(what);
  }

  /** @returns Whether there is one. */
  set(what: "work" | "landing", message: string | undefined): boolean {
    if (message === undefined) {
      this.#now.delete(what);
      return false;
    }
    // One that keeps phases from both is reported once.
    const isKnown = [...this.#now.values()].includes(message);
    this.#now.set(what, message);
    if (!isKnown) this.#tell({ type: "warning", message });
    return true;
  }
}
