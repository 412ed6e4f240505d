import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { CHANCE } from "./chance.ts";
import type { Place } from "./place.ts";
import { endOfProcesses, endProcesses } from "./processes.ts";
import { formatStep } from "./step.ts";
import type { Kill } from "./kill.ts";
import { type Clock, type KillKind, watcherSource, type WatchPlan } from "./watcher.ts";

/** A program and what it is told. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Beside what its place gives. @default none */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** One process of a trial: how it came to its end. */
export interface Life {
  readonly command: Command;
  /** Names of the steps that it took, and of that it was killed at; those that others saw come last. */
  readonly steps: readonly string[];
  /** How it was to be killed. */
  readonly kill: Kill | undefined;
  /** Steps at which no other process of the trial lived; only where that was asked for. */
  readonly alone: readonly string[];
  /** Those, and steps at which all others worked apart. */
  readonly unaided: readonly string[];
  /** Whether it was killed so; else it ended by itself, or took too long. */
  readonly killed: boolean;
  /** Whether the kill was made: of it, or of its program in the background alone. */
  readonly reached: boolean;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** How a life ended, and what it said last. */
export function endOf({ command, signal, exitCode, stderr, stdout }: Life): string {
  const said = [stderr, stdout].map((text) => text.trim().slice(-400)).join("\n");
  return `${command.args[1] ?? ""} ended with ${signal ?? exitCode}: ${said}`;
}

export interface LifeOptions {
  /** How many there were before it in the trial. */
  readonly number: number;
  readonly kill: Kill | undefined;
  readonly timeoutMs: number;
  /** Whether to find out at which steps it is alone, which takes time. */
  readonly counts: boolean;
  /** A variable in the environment of processes that work apart. */
  readonly apart?: string | undefined;
  /** What its program in the background is called, if it has one. */
  readonly background?: string | undefined;
  /** What else differs from run to run in names of files. */
  readonly chance?: WatchPlan["chance"] | undefined;
  readonly clock?: Clock | undefined;
}

/** Runs a command in a trial's place, watched, until it ends or is killed. */
export async function live(place: Place, command: Command, options: LifeOptions): Promise<Life> {
  const { number, kill, timeoutMs, counts, apart, background, chance = [], clock } = options;
  const begun = performance.now();
  const file = (name: string): string => join(place.notes, `${number}.${name}`);
  const nodeOptions = place.env["NODE_OPTIONS"];
  const watcher = file("watcher.mjs");
  const plan: WatchPlan = {
    root: place.root,
    log: file("steps"),
    chance: [...chance, ...CHANCE],
    kill: kill?.step === undefined ? undefined : { step: kill.step, kind: kill.kind },
    counts,
    apart,
    nodeOptions,
    clock,
  };
  writeFileSync(watcher, watcherSource(plan));
  const behind: WatchPlan = { ...plan, log: file("background-steps"), background };
  if (background !== undefined) writeFileSync(place.background, watcherSource(behind));
  const loading = `--import=${pathToFileURL(watcher).href}`;
  // Files, not pipes: what outlives the process may hold them open.
  const out = openSync(file("stdout"), "w");
  const err = openSync(file("stderr"), "w");
  const child = spawn(command.file, command.args, {
    cwd: place.work,
    env: {
      ...place.env,
      ...command.env,
      NODE_OPTIONS: nodeOptions === undefined ? loading : `${nodeOptions} ${loading}`,
    },
    stdio: ["ignore", out, err],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    detached: kill?.kind === "group", // in a group of its own
  });
  closeSync(out);
  closeSync(err);
  let killing: Promise<void> | undefined;
  const killNow = (kind: KillKind): Promise<void> => {
    if (kind === "group") killGroup(child.pid);
    else child.kill("SIGKILL");
    killing = kind === "everything" ? endProcesses(place.root) : Promise.resolve();
    return killing;
  };
  const ending = once(child, "exit");
  const outside = watchOutside(place, kill, killNow);
  if (kill?.afterMs !== undefined && (await isRunningAfter(kill.afterMs, ending))) {
    await killNow(kill.kind);
  }
  const [exitCode, signal] = (await ending) as [number | null, NodeJS.Signals | null];
  place.onReach = undefined;
  // What comes next is not to be taken for what was to be killed.
  await killing;
  if (background !== undefined && signal === null) await endOfProcesses(place.root, LINGER_MS);
  const own = readSteps(plan.log);
  const others = readSteps(behind.log);
  const killed =
    own.isKilled || (signal === "SIGKILL" && (killing !== undefined || others.isKilled));
  return {
    command,
    kill,
    steps: [...own.steps, ...others.steps, ...outside],
    alone: own.alone,
    unaided: own.unaided,
    killed,
    reached: killed || others.isKilled,
    exitCode,
    signal,
    stdout: readFileSync(file("stdout"), "utf8"),
    stderr: readFileSync(file("stderr"), "utf8"),
    ms: performance.now() - begun,
  };
}

/** How long what works in the background of a program that has ended may take. */
const LINGER_MS = 15_000;

function killGroup(leader: number | undefined): void {
  if (leader !== undefined) process.kill(-leader, "SIGKILL");
}

/** A step at which agents live on takes effect late, when what continues meanwhile is resumed. */
const HOLD_MS = 2500;

/** Names of the steps that others see, as they come. */
function watchOutside(
  place: Place,
  kill: Kill | undefined,
  killNow: (kind: KillKind) => Promise<void>,
): readonly string[] {
  const steps: string[] = [];
  const counts = new Map<string, number>();
  place.onReach = async (kind, on) => {
    const occurrence = (counts.get(`${kind} ${on}`) ?? 0) + 1;
    counts.set(`${kind} ${on}`, occurrence);
    const step = formatStep({ kind, on, occurrence });
    steps.push(step);
    if (kill === undefined || kill.step !== step) return;
    await killNow(kill.kind);
    if (kill.kind !== "everything") await sleep(HOLD_MS);
  };
  return steps;
}

async function isRunningAfter(ms: number, ending: Promise<unknown>): Promise<boolean> {
  return Promise.race([sleep(ms, true), ending.then(() => false)]);
}

/** The steps that a watcher has noted. */
function readSteps(
  log: string,
): Pick<Life, "steps" | "alone" | "unaided"> & { readonly isKilled: boolean } {
  const lines = readLines(log);
  const isKilled = lines.some((line) => line.startsWith(KILLED));
  const rows = lines.map((line) => line.replace(KILLED, "").split("\t"));
  const steps = rows.map(([step = ""]) => step);
  const stepsWhere = (column: 1 | 2): readonly string[] =>
    steps.filter((_, at) => rows[at]?.[column] === "0");
  return { steps, alone: stepsWhere(1), unaided: stepsWhere(2), isKilled };
}

/** How the line of the step begins that was killed at. */
const KILLED = "killed ";

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n").slice(0, -1);
  } catch (error) {
    // Nothing of node's was started.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
