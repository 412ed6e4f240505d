import type { Kill } from "./kill.ts";
import { isDeepStrictEqual } from "node:util";
import { type Command, type Life, live } from "./life.ts";
import { type Fixture, makePlace, type Place, removePlace } from "./place.ts";
import { endProcesses } from "./processes.ts";
import type { Clock, WatchPlan } from "./watcher.ts";

/** What of a trial's end is compared: plain data, by name. */
export type Facts = Readonly<Record<string, unknown>>;

/** What comes after a life: the command to try next, the end, or a failure that names itself. */
export type Next = "run" | "resume" | "end" | Command | { readonly failed: string };

/** Something about a trial's end that is not as it is where nobody is killed. */
export interface Deviation {
  /** Which promise it breaks; the name of the fact by default. */
  readonly law: string;
  readonly message: string;
}

/** Something that is tortured: how it is started, resumed, and looked at when it is through. */
export interface Subject {
  readonly fixture: Fixture;
  /** Puts into a trial's place what only that trial has. @default nothing */
  prepare?(place: Place): void;
  run(place: Place): Command;
  /** With the flags that a user needs after a plain kill: none. */
  resume(place: Place): Command;
  /** Called when no process of the trial is left. */
  observe(place: Place, lives: readonly Life[]): Facts | Promise<Facts>;
  /**
   * What its program in the background is called: one that the command starts by the way, and that
   * loads `place.background` before anything else. Its steps are killed at too. @default none
   */
  readonly background?: string | undefined;
  /**
   * A variable in the environment of its processes that work apart, such as agents: in a process group of
   * their own, and on whatever the command does next. @default none does
   */
  readonly apart?: string | undefined;
  /**
   * Steps that are taken or not as it happens, such as what depends on how soon something in the
   * background is done: that one is missed is no deviation. @default none
   */
  readonly unsteady?: RegExp | undefined;
  /** What else differs from run to run in names of files: patterns, and what stands for them. @default none */
  readonly chance?: WatchPlan["chance"] | undefined;
  /** Timers of the command that go off when the subject says so. @default none */
  clock?(place: Place): Clock;
  /** @default after a kill `resume`, after exit code 0 `end`, else a failure */
  next?(life: Life, place: Place): Next | Promise<Next>;
  /**
   * What is wrong with a trial's facts, given those of the undisturbed run.
   *
   * @default every fact that is not equal
   */
  readonly judge?: (
    facts: Facts,
    whole: Facts,
    trial: Pick<Trial, "kills" | "lives">,
  ) => readonly Deviation[];
}

/** A run with its kills, and what became of it. */
export interface Trial {
  /** Those of its lives; the first one also where its life never came. */
  readonly kills: readonly Kill[];
  readonly lives: readonly Life[];
  readonly facts: Facts;
  /** None if it is as though it had never been killed. */
  readonly deviations: readonly Deviation[];
  /** Its folder, which is there only while it is kept. */
  readonly root: string;
  readonly ms: number;
}

export interface TrialOptions {
  readonly scratch: string;
  readonly name: string;
  readonly kills: readonly Kill[];
  /** The undisturbed run's facts; `undefined` for that run itself. */
  readonly whole: Facts | undefined;
  /** Whether to find out at which steps its processes are alone, which takes time. */
  readonly counts: boolean;
  readonly maxLives: number;
  readonly timeoutMs: number;
  /** Leaves the trial's folder where it is. */
  readonly keep: boolean;
}

/** Runs a subject, kills it as told, and resumes it until it ends. */
export async function runTrial(subject: Subject, options: TrialOptions): Promise<Trial> {
  const { scratch, name, kills, whole } = options;
  const begun = performance.now();
  const place = makePlace(scratch, name, subject.fixture);
  const { root } = place;
  let deviations: readonly Deviation[] = [];
  try {
    subject.prepare?.(place);
    const { lives, failures } = await liveOut(subject, place, options);
    // Until here they were let continue: a killed runner's agents may outlive it.
    await endProcesses(root);
    const facts = await subject.observe(place, lives);
    const judge = subject.judge ?? compareFacts;
    // Not those of lives that there were not; the first one names the trial.
    const made = kills.filter((kill, at) => at === 0 || lifeOf(kill, at) < lives.length);
    const judged = whole === undefined ? [] : judge(facts, whole, { kills: made, lives });
    deviations = [...failures, ...judged];
    return { kills: made, lives, facts, deviations, root, ms: performance.now() - begun };
  } finally {
    await endProcesses(root);
    if (!options.keep || deviations.length === 0) removePlace(place);
  }
}

async function liveOut(
  subject: Subject,
  place: Place,
  { kills, maxLives, timeoutMs, counts }: TrialOptions,
): Promise<{ readonly lives: readonly Life[]; readonly failures: readonly Deviation[] }> {
  const lives: Life[] = [];
  const ended = (law: string, message: string): Awaited<ReturnType<typeof liveOut>> => ({
    lives,
    failures: [{ law, message }],
  });
  const { apart, background, chance } = subject;
  const clock = subject.clock?.(place);
  let next: Next = "run";
  while (next !== "end" && !isFailure(next)) {
    if (lives.length === maxLives) return ended("unending", `not ended after ${maxLives} lives`);
    const number = lives.length;
    const kill = kills.find((each, index) => lifeOf(each, index) === number);
    const command = typeof next === "object" ? next : subject[next](place);
    const watched = { number, kill, timeoutMs, counts, apart, background, chance, clock };
    const life = await live(place, command, watched);
    // What was started in the instant of the kill.
    if (life.killed && kill?.kind === "everything") await endProcesses(place.root);
    lives.push(life);
    next = (await subject.next?.(life, place)) ?? nextOf(life);
  }
  if (next !== "end") return ended("refused", next.failed);
  const [kill] = kills;
  const isMissed = kill !== undefined && lives[lifeOf(kill, 0)]?.reached !== true;
  if (isMissed && kill.step !== undefined && subject.unsteady?.test(kill.step) !== true) {
    return ended("unreached", `the run did not come to ${kill.step}`);
  }
  return { lives, failures: [] };
}

function isFailure(next: Next): next is { readonly failed: string } {
  return typeof next === "object" && "failed" in next;
}

/** Which life a kill is of. */
export function lifeOf({ life }: Kill, index: number): number {
  return life ?? index;
}

function nextOf({ exitCode, killed, signal, stderr }: Life): Next {
  if (killed) return "resume";
  if (exitCode === 0) return "end";
  return { failed: `ended with ${signal ?? exitCode}: ${stderr.trim().slice(-300)}` };
}

/** The facts that differ. */
export function compareFacts(facts: Facts, whole: Facts): readonly Deviation[] {
  const names = [...new Set([...Object.keys(whole), ...Object.keys(facts)])];
  return names
    .filter((name) => !isDeepStrictEqual(facts[name], whole[name]))
    .map((name) => ({
      law: name,
      message: `${show(facts[name])} instead of ${show(whole[name])}`,
    }));
}

function show(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
