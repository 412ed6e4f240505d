/** Where a runner may be killed. */
export type PointKind =
  | "save"
  | "spawn"
  | "commit"
  | "journal"
  | "snapshot"
  | "work"
  | "adopt"
  | "check"
  | "pause"
  | "event"
  | "remove";

/** One life of a runner, which may end at a point: then nothing of it ever continues. */
export class Life {
  readonly death: Promise<undefined>;
  readonly #kinds: ReadonlySet<PointKind> | undefined;
  readonly #killedAt: number | undefined;
  #count = 0;
  #dead = false;
  #die: () => void = () => undefined;

  /**
   * @param killedAt - The number of the point, from 0; `undefined` is none.
   * @param kinds - Points of other kinds are not counted; `undefined` is all.
   */
  constructor(killedAt: number | undefined, kinds?: ReadonlySet<PointKind>) {
    this.#killedAt = killedAt;
    this.#kinds = kinds;
    this.death = new Promise((resolve) => {
      this.#die = () => resolve(undefined);
    });
  }

  /** Points that were passed. */
  get points(): number {
    return this.#count;
  }

  /** A point within code that cannot wait: whether the runner is dead. */
  strikes(kind: PointKind): boolean {
    if (this.#kinds?.has(kind) === false) return this.#dead;
    if (this.#count === this.#killedAt) {
      this.#dead = true;
      this.#die();
    }
    this.#count += 1;
    return this.#dead;
  }

  async point(kind: PointKind): Promise<void> {
    if (this.strikes(kind)) await new Promise<never>(() => undefined);
  }

  /** A deed with a point before and after it. */
  async around<T>(kind: PointKind, act: () => T | Promise<T>): Promise<T> {
    await this.point(kind);
    const value = await act();
    await this.point(kind);
    return value;
  }
}
