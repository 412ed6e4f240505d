import {
  type Held,
  type NebulaPort,
  type Offer,
  PortError,
  type PromiseId,
  revOf,
} from "../port/index.ts";
import { Queue } from "./queue.ts";
import { isUnreachable, pause } from "./reach.ts";
import { isRunning } from "./state-of.ts";
import type { StateForServer } from "./take-over.ts";

export interface RecorderOptions {
  readonly port: Pick<NebulaPort, "record">;
  readonly held: Held;
  /** As the server has it. */
  readonly state: string;
  readonly offers: readonly Offer[];
  /** Aborted once nothing is to be recorded any more. */
  readonly over: AbortSignal;
  /** Called once where the server refuses what this conductor records: it is none any more. */
  readonly onStale: (why: string) => void;
}

/**
 * Brings the states of an engine to the server, in their order; of several that wait the last one. The engine works
 * meanwhile, and waits for it (`recorded`) before anything that others see is done by a state: what a crash takes of the
 * states after that, nobody has seen.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  /** By the phase's ref. */
  readonly #offers: Map<string, Offer>;
  /** Those whose outcomes the engine has taken. */
  readonly #answered = new Set<string>();
  readonly #taken = new Set<string>();
  #state: string;
  #rev: string;
  /** Grows with all that is to be recorded. */
  #wanted = 0;
  #done = 0;
  readonly #queue = new Queue();

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#rev = revOf(options.state);
    this.#offers = new Map(options.offers.map((offer) => [offer.work, offer]));
  }

  /** A state was saved: what it does not have running is not offered any more. */
  save({ text, state }: StateForServer): void {
    this.#state = text;
    for (const [work, offer] of this.#offers) {
      if (!isRunning(state, offer)) this.#offers.delete(work);
    }
    this.#want();
  }

  /**
   * Offers a run, and returns once the server has it. What came of the same run before, and was taken, is gone then: it would
   * be what comes of it now.
   */
  async offer(offer: Offer): Promise<void> {
    const { work } = offer;
    if (this.#answered.delete(work)) {
      if (this.#offers.delete(work)) this.#want();
      await this.recorded();
    }
    this.#offers.set(work, offer);
    this.#want();
    await this.recorded();
  }

  /** The engine has what came of a run. It stays offered, and its outcome known, until a state says so. */
  answered(work: string): void {
    this.#answered.add(work);
  }

  /** The state has items of the inbox. */
  took(keys: readonly string[]): void {
    if (keys.length === 0) return;
    for (const key of keys) this.#taken.add(key);
    this.#want();
  }

  /** Returns once the server has all that was saved before. @throws the reason of `over`; {@link PortError} */
  async recorded(): Promise<void> {
    const wanted = this.#wanted;
    while (this.#done < wanted) await this.#write();
  }

  /**
   * The same, and closes the gate of what lands next.
   *
   * @returns `false` where a person has answered it: that has to be taken first.
   */
  async close(gate: PromiseId): Promise<boolean> {
    await this.recorded();
    return (await this.#queue.run(() => this.#recordNow(gate))) !== "news";
  }

  #want(): void {
    this.#wanted += 1;
    // What fails is thrown to who waits for it.
    this.#write().catch(() => {});
  }

  #write(): Promise<void> {
    return this.#queue.run(async () => {
      if (this.#done < this.#wanted) await this.#recordNow();
    });
  }

  async #recordNow(closes?: PromiseId): Promise<"recorded" | "news"> {
    const { port, held, over, onStale } = this.#options;
    const [wanted, state] = [this.#wanted, this.#state];
    const taken = [...this.#taken];
    // What is repeated since no answer came is the same.
    const offers = [...this.#offers.values()];
    const entry = { as: "state", onto: this.#rev, state, taken, offers, closes } as const;
    for (;;) {
      over.throwIfAborted();
      try {
        const recorded = await port.record(held, entry);
        if (recorded.as === "news") return "news";
        if (recorded.as === "stale")
          throw new PortError("ERR_CONFLICT", "another one has the lane");
        this.#rev = revOf(state);
        this.#done = Math.max(this.#done, wanted);
        for (const key of taken) this.#taken.delete(key);
        return "recorded";
      } catch (error) {
        if (!(error instanceof PortError)) throw error;
        if (isUnreachable(error)) {
          await pause(over);
          continue;
        }
        if (error.code === "ERR_CONFLICT") onStale(error.message);
        throw error;
      }
    }
  }
}
