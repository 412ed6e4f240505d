import { rmSync } from "node:fs";
import { chanceOf } from "./chance.ts";
import { TortureError } from "./errors.ts";
import { makeScratch } from "./place.ts";
import { parseStep, type StepKind } from "./step.ts";
import { compareFacts, type Facts, lifeOf, runTrial, type Subject, type Trial } from "./trial.ts";
import type { Kill } from "./kill.ts";
import type { KillKind } from "./watcher.ts";

export interface TortureOptions {
  /** @default runner and everything */
  readonly kinds?: readonly KillKind[] | undefined;
  /** Which steps of the undisturbed run to kill at, by name, in which way and which life. @default all */
  readonly points?: ((step: string, kind: KillKind, life: number) => boolean) | undefined;
  /**
   * Of these, the share of steps to kill at, for a run that takes long. Always all of `rename`, `spawn`, `ended`, `asked` and `answered`.
   *
   * @default 1
   */
  readonly share?: number | undefined;
  /** Of all these steps, the one of so many parts, counted from 1, that the seed puts them in. @default all */
  readonly part?: Part | undefined;
  /**
   * Also makes kills that cannot differ from another one.
   *
   * @default false
   * @see SPEC.md, "Kills that are alike"
   */
  readonly alike?: boolean | undefined;
  /**
   * Kills again, at this share of the steps of the resume after each kill: 0 not at all, 1 at each.
   *
   * @default 0
   */
  readonly pairs?: number | undefined;
  /** Instead of at steps: so many runs, each killed at up to three moments by chance. */
  readonly random?: number | undefined;
  /**
   * Of `random`: each life is killed after a time by chance from the first to the second, in milliseconds, until one ends
   * before that.
   */
  readonly everyMs?: readonly [least: number, most: number] | undefined;
  /** Instead: one run with these kills, the first of the run, the second of the resume after it. */
  readonly replay?: readonly Kill[] | undefined;
  /** Decides what is left to chance. @default 1 */
  readonly seed?: number | undefined;
  /** Trials at a time. @default 2 */
  readonly concurrency?: number | undefined;
  /** Lives of a trial after which it is given up. @default 8; with `everyMs` 1,000 */
  readonly maxLives?: number | undefined;
  /** Of one life, in milliseconds. @default 60,000 */
  readonly timeoutMs?: number | undefined;
  /** Told of each trial as it ends. */
  readonly onTrial?: ((trial: Trial) => void) | undefined;
  /** Asked between trials: what was found by then is returned. Before the first kill its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Leaves the folders of trials that deviate. @default false */
  readonly keep?: boolean | undefined;
}

/** One of several parts that a torture is made in, each by itself: together they make every kill, and each once. */
export interface Part {
  /** From 1. */
  readonly number: number;
  readonly of: number;
}

/** All that a torture found out. */
export interface Tortured {
  /** The run that nobody killed. */
  readonly whole: Trial;
  /** In the order in which they ended. */
  readonly trials: readonly Trial[];
  /** How many kills were not made because they cannot differ from one that was. */
  readonly alike: number;
  /** How many kills were planned and not made, because the signal came first. */
  readonly left: number;
  readonly ms: number;
}

/**
 * Runs a subject undisturbed, which gives the list of its steps, then kills it at each of them in
 * each way, resumes it until it ends, and compares.
 *
 * @throws {TortureError} `ERR_NOT_LINUX`, `ERR_RUN_FAILS`, `ERR_NOT_REPEATABLE`; and what the subject's functions throw.
 * @see SPEC.md, "A torture"
 */
export async function torture(subject: Subject, options: TortureOptions = {}): Promise<Tortured> {
  const { concurrency = 2, timeoutMs = 60_000, keep = false } = options;
  const maxLives = maxLivesOf(options);
  const { onTrial = () => {}, signal } = options;
  if (process.platform !== "linux") {
    throw new TortureError("ERR_NOT_LINUX", "torture finds processes in /proc: run it on Linux");
  }
  const begun = performance.now();
  const scratch = makeScratch();
  const trials: Trial[] = [];
  let count = 0;
  const isSweep = options.replay === undefined && options.random === undefined;
  const runOne = (kills: readonly Kill[], whole?: Facts): Promise<Trial> => {
    signal?.throwIfAborted();
    count += 1;
    const name = String(count).padStart(6, "0"); // none is the beginning of another
    const counts = isSweep && whole === undefined && options.alike !== true;
    return runTrial(subject, { scratch, name, kills, whole, counts, maxLives, timeoutMs, keep });
  };
  const tryOne = async (kills: readonly Kill[], { facts }: Trial): Promise<Trial> => {
    const trial = await runOne(kills, facts);
    trials.push(trial);
    onTrial(trial);
    return trial;
  };
  try {
    const first = await runOne([]);
    // One kill that is replayed is held against one run: its step was named before.
    const whole = options.replay === undefined ? await runOne([]) : first;
    requireAlike(first, whole, subject.unsteady);
    const { planned, alike } = plan(whole, companyIn(first, whole), options);
    const isOver = (): boolean => signal?.aborted === true;
    let left = 0;
    await eachOf(planned, concurrency, async (kills) => {
      if (isOver()) {
        left += 1;
        return;
      }
      const single = await tryOne(kills, whole);
      for (const pair of pairsOf(single, options)) {
        if (isOver()) left += 1;
        else await tryOne(pair, whole);
      }
    });
    return { whole, trials, alike, left, ms: performance.now() - begun };
  } finally {
    const kept = keep && trials.some(({ deviations }) => deviations.length > 0);
    if (!kept) rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

const KINDS: readonly KillKind[] = ["runner", "everything"];

function maxLivesOf({ maxLives, everyMs }: TortureOptions): number {
  return maxLives ?? (everyMs === undefined ? 8 : 1000);
}

/** What is compared with must not be chance: nor may the names of steps be. */
function requireAlike(first: Trial, second: Trial, unsteady: Subject["unsteady"]): void {
  const [failed] = [first, second].flatMap(({ deviations }) => deviations);
  if (failed !== undefined) {
    throw new TortureError("ERR_RUN_FAILS", `the undisturbed run fails: ${failed.message}`);
  }
  const differ = (what: string): TortureError =>
    new TortureError("ERR_NOT_REPEATABLE", `two undisturbed runs differ in ${what}`);
  const [fact] = compareFacts(second.facts, first.facts);
  if (fact !== undefined) throw differ(`${fact.law}: ${fact.message}`);
  const [once, again] = [first, second].map((trial) => new Set(pointsOf(trial).map(nameOf)));
  if (once === undefined || again === undefined) return;
  const odd = [...once, ...again].filter(
    (step) => (!once.has(step) || !again.has(step)) && unsteady?.test(step) !== true,
  );
  if (odd.length > 0) throw differ(`their steps: ${odd.join(", ")}`);
}

/** A step of an undisturbed run, and in which of its lives it was taken. */
interface Point {
  readonly step: string;
  readonly life: number;
}

function pointsOf({ lives }: Trial): readonly Point[] {
  return lives.flatMap(({ steps }, life) => steps.map((step) => ({ step, life })));
}

function nameOf({ step, life }: Point): string {
  return `${life} ${step}`;
}

/** Names of steps by what company a process had at them, in both runs. */
interface Company {
  /** None: no other process of the trial lived. */
  readonly alone: ReadonlySet<string>;
  /** None but processes that work apart. */
  readonly unaided: ReadonlySet<string>;
}

function companyIn(...trials: readonly Trial[]): Company {
  const inBoth = (which: "alone" | "unaided"): ReadonlySet<string> => {
    const [once = [], again = []] = trials.map(({ lives }) =>
      lives.flatMap((each, life) => each[which].map((step) => nameOf({ step, life }))),
    );
    return new Set(once.filter((step) => again.includes(step)));
  };
  return { alone: inBoth("alone"), unaided: inBoth("unaided") };
}

interface Plan {
  /** The kills of each trial, pairs excepted. */
  readonly planned: readonly (readonly Kill[])[];
  readonly alike: number;
}

function plan(whole: Trial, company: Company, options: TortureOptions): Plan {
  const { points = () => true, random, replay, alike = false, kinds = KINDS } = options;
  if (replay !== undefined) return { planned: [replay], alike: 0 };
  if (random !== undefined) return { planned: randomKills(random, whole, options), alike: 0 };
  const steps = pointsOf(whole).filter(
    (point) => isChosen(point.step, options) && isInPart(point, options),
  );
  let count = 0;
  const planned = steps.flatMap((point) => {
    const { step, life } = point;
    const wanted = kinds.filter((kind) => points(step, kind, life));
    count += wanted.length;
    const made = alike ? wanted : unlike(point, wanted, company);
    return made.map((kind) => [{ kind, step, ...(life > 0 && { life }) }]);
  });
  return { planned, alike: count - planned.length };
}

/** Of kinds of kills at a step, those that another one does not stand for. @see SPEC.md, "Kills that are alike" */
function unlike(
  point: Point,
  kinds: readonly KillKind[],
  { alone, unaided }: Company,
): readonly KillKind[] {
  const name = nameOf(point);
  if (unaided.has(name) && LEAVES_NOTHING.test(point.step)) return [];
  if (alone.has(name)) return kinds.slice(0, 1);
  const isSame = (kind: KillKind): boolean => kind === "group" && kinds.includes("runner");
  return unaided.has(name) ? kinds.filter((kind) => !isSame(kind)) : kinds;
}

/** A kill takes nothing that is written, synced or not; and who only reads has written nothing. */
const LEAVES_NOTHING =
  /^(?:fsync|spawn git (?:config|diff-tree|for-each-ref|log|ls-\S*|rev-list|rev-parse|status|symbolic-ref) #)/u;

/** Kinds of steps that are killed at whatever the share. */
const KEY_KINDS: ReadonlySet<StepKind> = new Set(["rename", "spawn", "ended", "asked", "answered"]);

function isChosen(step: string, { share = 1, seed = 1 }: TortureOptions): boolean {
  const kind = parseStep(step)?.kind;
  return (kind !== undefined && KEY_KINDS.has(kind)) || chanceOf(`${seed} ${step}`) < share;
}

function isInPart(
  point: Point,
  { part = { number: 1, of: 1 }, seed = 1 }: TortureOptions,
): boolean {
  const chance = chanceOf(`${seed} part of ${nameOf(point)}`);
  return Math.floor(chance * part.of) === part.number - 1;
}

function randomKills(count: number, whole: Trial, options: TortureOptions): Plan["planned"] {
  const { kinds = KINDS, seed = 1, everyMs } = options;
  const [least, most] = everyMs ?? [0, whole.ms];
  return Array.from({ length: count }, (_, n) => {
    const chance = (what: string): number => chanceOf(`${seed} ${n} ${what}`);
    const kills = everyMs === undefined ? 1 + Math.floor(chance("kills") * 3) : maxLivesOf(options);
    return Array.from({ length: kills }, (_, at) => ({
      kind: kinds[Math.floor(chance(`kind ${at}`) * kinds.length)] ?? "runner",
      afterMs: Math.round(least + chance(`moment ${at}`) * (most - least)),
    }));
  });
}

/** The same trial with a second kill, at a share of the steps that its second life took. */
function pairsOf(
  { kills, lives }: Trial,
  { pairs = 0, seed = 1, replay, random }: TortureOptions,
): readonly (readonly Kill[])[] {
  const [first] = kills;
  if (first === undefined || replay !== undefined || random !== undefined) return [];
  const second = lifeOf(first, 0) + 1;
  return (lives[second]?.steps ?? [])
    .filter((step) => chanceOf(`${seed} ${first.kind} ${first.step} ${step}`) < pairs)
    .map((step) => [first, { kind: first.kind, step, ...(second > 1 && { life: second }) }]);
}

/** Works through a list, a few at a time, in its order. */
async function eachOf<T>(
  items: readonly T[],
  concurrency: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await act(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
