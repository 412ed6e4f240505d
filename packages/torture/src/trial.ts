import { isDeepStrictEqual } from "node:util";
import { type Command, type Life, live } from "./life.ts";
import { type Fixture, makePlace, type Place, removePlace } from "./place.ts";
import { endProcesses } from "./processes.ts";
import type { KillKind } from "./watcher.ts";

/** What of a trial's end is compared: plain data, by name. */
export type Facts = Readonly<Record<string, unknown>>;

/** What comes after a life: the command to try next, the end, or a failure that names itself. */
export type Next = "run" | "resume" | "end" | { readonly failed: string };

/** Something that is tortured: how it is started, gone on with, and looked at when it is through. */
export interface Subject {
  readonly fixture: Fixture;
  run(place: Place): Command;
  /** With the flags that a user needs after a plain kill: none. */
  resume(place: Place): Command;
  /** Called when no process of the trial is left. */
  observe(place: Place, lives: readonly Life[]): Facts | Promise<Facts>;
  /** @default after a kill `resume`, after exit code 0 `end`, else a failure */
  next?(life: Life, place: Place): Next | Promise<Next>;
  /**
   * What is wrong with a trial's facts, given those of the undisturbed run; one line each.
   *
   * @default every fact that is not equal
   */
  readonly judge?: (
    facts: Facts,
    whole: Facts,
    trial: Pick<Trial, "kills" | "lives">,
  ) => readonly string[];
}

/** A kill of one life: the first kill is of the run, a second one of the resume after it. */
export interface Kill {
  readonly step: string;
  readonly kind: KillKind;
}

/** A run with its kills, and what became of it. */
export interface Trial {
  readonly kills: readonly Kill[];
  readonly lives: readonly Life[];
  readonly facts: Facts;
  /** What is wrong, one line each; none if it is as though it had never been killed. */
  readonly deviations: readonly string[];
  readonly ms: number;
}

export interface TrialOptions {
  readonly scratch: string;
  readonly name: string;
  readonly kills: readonly Kill[];
  /** The undisturbed run's facts; `undefined` for that run itself. */
  readonly whole: Facts | undefined;
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
  try {
    const { lives, failures } = await liveOut(subject, place, options);
    // What is at work is let go on until here: a killed runner's agents may outlive it.
    await endProcesses(place.root);
    const facts = await subject.observe(place, lives);
    const judge = subject.judge ?? compareFacts;
    const judged = whole === undefined ? [] : judge(facts, whole, { kills, lives });
    const deviations = [...failures, ...judged];
    return { kills, lives, facts, deviations, ms: performance.now() - begun };
  } finally {
    await endProcesses(place.root);
    if (!options.keep) removePlace(place);
  }
}

async function liveOut(
  subject: Subject,
  place: Place,
  { kills, maxLives, timeoutMs }: TrialOptions,
): Promise<{ readonly lives: readonly Life[]; readonly failures: readonly string[] }> {
  const lives: Life[] = [];
  let next: Next = "run";
  while (next === "run" || next === "resume") {
    if (lives.length === maxLives)
      return { lives, failures: [`not ended after ${maxLives} lives`] };
    const kill = kills[lives.length];
    const command = next === "run" ? subject.run(place) : subject.resume(place);
    const life: Life = await live(place, command, { number: lives.length, kill, timeoutMs });
    if (kill !== undefined && kill.kind === "everything") await endProcesses(place.root);
    lives.push(life);
    next = (await subject.next?.(life, place)) ?? nextOf(life);
  }
  const [kill] = kills;
  const missed = kill !== undefined && lives[0]?.killedAt === undefined;
  return {
    lives,
    failures: [
      ...(next === "end" ? [] : [`failed: ${next.failed}`]),
      ...(missed ? ["not reached: the run did not come to the step"] : []),
    ],
  };
}

function nextOf({ exitCode, killedAt, signal, stderr }: Life): Next {
  if (killedAt !== undefined) return "resume";
  if (exitCode === 0) return "end";
  return { failed: `ended with ${signal ?? exitCode}: ${stderr.trim().slice(-300)}` };
}

/** The facts that differ, one line each. */
export function compareFacts(facts: Facts, whole: Facts): readonly string[] {
  const names = [...new Set([...Object.keys(whole), ...Object.keys(facts)])];
  return names
    .filter((name) => !isDeepStrictEqual(facts[name], whole[name]))
    .map((name) => `${name}: ${show(facts[name])} instead of ${show(whole[name])}`);
}

function show(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
