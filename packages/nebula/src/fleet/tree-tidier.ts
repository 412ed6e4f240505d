import { isUnfinished } from "../state/list.ts";
import type { NebulaState } from "../state/state.ts";

/** How often the work trees of phases that have landed are removed, in milliseconds. */
const TIDY_MS = 20_000;

/** Removes now and then the work trees of phases that have landed. */
export class TreeTidier {
  readonly #tidy: (nebula: string, depot: string) => Promise<NebulaState | undefined>;
  /** By nebula: when they were removed last. */
  readonly #tidied = new Map<string, number>();
  /** Nebulae that have ended, and whose work trees are removed. */
  readonly #ended = new Set<string>();

  /** @param tidy - Removes the work trees of a nebula's landed phases. @returns The nebula; `undefined`: it has none here. */
  constructor(tidy: (nebula: string, depot: string) => Promise<NebulaState | undefined>) {
    this.#tidy = tidy;
  }

  /** Something is done for the nebula again. */
  goesOn(nebula: string): void {
    this.#ended.delete(nebula);
  }

  async nowAndThen(nebula: string, depot: string): Promise<void> {
    if (this.#ended.has(nebula)) return;
    const last = this.#tidied.get(nebula) ?? Number.NEGATIVE_INFINITY;
    if (performance.now() - last < TIDY_MS) return;
    this.#tidied.set(nebula, performance.now());
    const state = await this.#tidy(nebula, depot);
    if (state !== undefined && !isUnfinished(state)) this.#ended.add(nebula);
  }
}
