import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { makeScratch } from "./place.ts";
import { type Facts, type Kill, runTrial, type Subject, type Trial } from "./trial.ts";
import type { KillKind } from "./watcher.ts";

export interface TortureOptions {
  /** @default both */
  readonly kinds?: readonly KillKind[] | undefined;
  /** Which steps of the undisturbed run to kill at, by name. @default all */
  readonly points?: ((step: string) => boolean) | undefined;
  /**
   * Kills again, at this share of the steps of the resume after each kill: 0 not at all, 1 at each.
   *
   * @default 0
   */
  readonly pairs?: number | undefined;
  /** Of the choice of pairs. @default 1 */
  readonly seed?: number | undefined;
  /** Trials at a time. @default 2 */
  readonly concurrency?: number | undefined;
  /** Lives of a trial after which it is given up. @default 8 */
  readonly maxLives?: number | undefined;
  /** Of one life, in milliseconds. @default 60,000 */
  readonly timeoutMs?: number | undefined;
  /** Told of each trial as it ends; the first is the undisturbed run. */
  readonly onTrial?: ((trial: Trial) => void) | undefined;
  /** Called between trials; the call then rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Leaves the folders of trials that deviate. @default false */
  readonly keep?: boolean | undefined;
}

/** All that a torture found out. */
export interface Tortured {
  /** The run that nobody killed. */
  readonly whole: Trial;
  readonly trials: readonly Trial[];
  /** Where the trials took place; still there with `keep`. */
  readonly scratch: string;
}

/**
 * Runs a subject once undisturbed, which gives the list of its steps, then kills it at each of them
 * in each way, resumes it until it ends, and compares.
 *
 * @throws What `observe`, `next` or `judge` throw; an `Error` when the undisturbed run fails.
 */
export async function torture(subject: Subject, options: TortureOptions = {}): Promise<Tortured> {
  const { kinds = ["runner", "everything"], pairs = 0, seed = 1, concurrency = 2 } = options;
  const { points = () => true, onTrial = () => {}, keep = false, signal } = options;
  const { maxLives = 8, timeoutMs = 60_000 } = options;
  const scratch = makeScratch();
  let count = 0;
  const trial = async (kills: readonly Kill[], whole?: Facts): Promise<Trial> => {
    signal?.throwIfAborted();
    count += 1;
    const name = String(count);
    const done = await runTrial(subject, {
      ...{ scratch, name, kills, whole, maxLives, timeoutMs, keep },
    });
    onTrial(done);
    return done;
  };
  try {
    // The first one also warms up what is shared; the second one is compared with.
    await trial([]);
    const whole = await trial([]);
    const [life] = whole.lives;
    if (whole.deviations.length > 0 || life === undefined) {
      throw new Error(
        `the undisturbed run fails: ${whole.deviations.map(({ message }) => message).join("; ")}`,
      );
    }
    const chosen = life.steps.filter(points);
    const singles = chosen.flatMap((step) => kinds.map((kind) => [{ step, kind }]));
    const trials: Trial[] = [];
    await eachOf(singles, concurrency, signal, async (kills) => {
      const single = await trial(kills, whole.facts);
      trials.push(single);
      const [first] = kills;
      const again = single.lives[1]?.steps ?? [];
      for (const step of again) {
        if (first === undefined) continue;
        if (chanceOf(`${seed} ${first.kind} ${first.step} ${step}`) >= pairs) continue;
        signal?.throwIfAborted();
        trials.push(await trial([first, { step, kind: first.kind }], whole.facts));
      }
    });
    return { whole, trials, scratch };
  } finally {
    if (!keep) rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Works through a list, a few at a time, in its order. */
async function eachOf<T>(
  items: readonly T[],
  concurrency: number,
  signal: AbortSignal | undefined,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      signal?.throwIfAborted();
      await act(item);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** A number in [0, 1) that a text determines: the choice does not depend on the order of trials. */
function chanceOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE() / 2 ** 32;
}
