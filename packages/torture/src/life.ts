import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { CHANCE } from "./chance.ts";
import type { Place } from "./place.ts";
import { endProcesses } from "./processes.ts";
import { formatStep } from "./step.ts";
import type { Kill } from "./trial.ts";
import { type KillKind, watcherSource } from "./watcher.ts";

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
  /** Whether it was killed so; else it ended by itself, or took too long. */
  readonly killed: boolean;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface LifeOptions {
  /** How many there were before it in the trial. */
  readonly number: number;
  readonly kill: Kill | undefined;
  readonly timeoutMs: number;
  /** Whether to find out at which steps it is alone, which takes time. */
  readonly counts: boolean;
}

/** Runs a command in a trial's place, watched, until it ends or is killed. */
export async function live(place: Place, command: Command, options: LifeOptions): Promise<Life> {
  const { number, kill, timeoutMs, counts } = options;
  const begun = performance.now();
  const file = (name: string): string => join(place.notes, `${number}.${name}`);
  const nodeOptions = place.env["NODE_OPTIONS"];
  const watcher = file("watcher.mjs");
  const log = file("steps");
  writeFileSync(
    watcher,
    watcherSource({
      root: place.root,
      log,
      chance: CHANCE,
      kill: kill?.step === undefined ? undefined : { step: kill.step, kind: kill.kind },
      counts,
      nodeOptions,
    }),
  );
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
  });
  closeSync(out);
  closeSync(err);
  let killing: Promise<void> | undefined;
  const killNow = (kind: KillKind): Promise<void> => {
    child.kill("SIGKILL");
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
  const lines = readLines(log);
  const [, last] = /^killed (.+)$/u.exec(lines.at(-1) ?? "") ?? [];
  const named = lines.map((line) => line.replace(/\t\d+$/u, ""));
  const own = last === undefined ? named : [...named.slice(0, -1), last];
  return {
    command,
    kill,
    steps: [...own, ...outside],
    alone: lines.filter((line) => line.endsWith("\t0")).map((line) => line.slice(0, -2)),
    killed: last !== undefined || (killing !== undefined && signal === "SIGKILL"),
    exitCode,
    signal,
    stdout: readFileSync(file("stdout"), "utf8"),
    stderr: readFileSync(file("stderr"), "utf8"),
    ms: performance.now() - begun,
  };
}

/** A step at which the runner is killed takes effect late, when what goes on meanwhile is resumed. */
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
    if (kill.kind === "runner") await sleep(HOLD_MS);
  };
  return steps;
}

async function isRunningAfter(ms: number, ending: Promise<unknown>): Promise<boolean> {
  return Promise.race([sleep(ms, true), ending.then(() => false)]);
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n").slice(0, -1);
  } catch (error) {
    // Nothing of node's was started.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
