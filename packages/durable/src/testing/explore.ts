import type { FileSystem, Random } from "../file-system.ts";
import { createDisk, type SimulatedFileSystem } from "./disk.ts";
import { type Effect, EMPTY_IMAGE, type Image } from "./effects.ts";
import {
  createInterner,
  createTracker,
  PERSISTENCE_MODELS,
  type PersistenceModel,
} from "./models.ts";
import { type Chooser, createChooser } from "./seeded.ts";

/** What is stored, in one word; `undefined` is nothing. */
export type Value = string | undefined;

/** A process that runs on a simulated disk, and says what it promises. */
export interface SimulatedProcess {
  readonly fs: SimulatedFileSystem;
  readonly random: Random;
  /** An integer from 0 up to, but not including, `count`; replayed by the seed. */
  readonly choose: (count: number) => number;
  /** From now on a crash may leave `value`. */
  readonly begin: (value: Value) => void;
  /** From now on a crash must leave `value`: it was saved, or it was read and acted upon. */
  readonly acknowledge: (value: Value) => void;
}

export interface ExploreCrashesOptions {
  /** Replays everything. */
  readonly seed: number;
  /** Stops after the round in which this many states were judged, or once 1,000 seeds in a row bring no new choices. */
  readonly maxStates: number;
  /** Stops after this many rounds; each has a seed of its own. @default no limit */
  readonly maxRounds?: number | undefined;
  /** @default all five */
  readonly models?: readonly PersistenceModel[] | undefined;
  /** How many images of one crash point are checked; more than that are picked from. @default 256 */
  readonly statesPerPoint?: number | undefined;
  /** A process on an empty disk. */
  readonly workload: (process: SimulatedProcess) => void;
  /** A process after a crash: recovers, reads, acknowledges what it read, and may continue saving. */
  readonly resume: (process: SimulatedProcess) => void;
  /** What a reader finds; throws where it finds nothing that it can use. */
  readonly observe: (fs: FileSystem) => Value;
  /** Stands between the processes and the disk, to break what they do. */
  readonly mutate?: ((fs: SimulatedFileSystem) => FileSystem) | undefined;
}

export type CrashRegime = "power" | "kill-then-power" | "crash-in-recovery";

/** A state that breaks the promise. */
export interface CrashFinding {
  readonly regime: CrashRegime;
  readonly model: PersistenceModel;
  /** Give it as `seed`, with `maxRounds: 1`, to see it again. */
  readonly seed: number;
  /** Effects before the crash. */
  readonly point: number;
  readonly allowed: readonly Value[];
  readonly found: Value | Error;
  /** Names on the disk. */
  readonly names: readonly string[];
}

/** @see SPEC.md, "What is counted" */
export interface CrashReport {
  /** Different images per crash point and model, over all rounds. */
  readonly states: number;
  readonly statesByModel: Readonly<Record<PersistenceModel, number>>;
  readonly statesByRegime: Readonly<Record<CrashRegime, number>>;
  /** How often `observe` ran: an image that comes again in the same life is not read again. */
  readonly observed: number;
  readonly crashPoints: number;
  /** Crash points, per model, of which not every image was checked. */
  readonly sampledPoints: number;
  readonly rounds: number;
  /** States that break the promise. */
  readonly bad: number;
  /** The first few of them. */
  readonly findings: readonly CrashFinding[];
}

/**
 * Runs processes on a simulated disk, cuts the power after every effect they have on it, and judges
 * each state that a model allows the disk to be in: the value acknowledged last, or one begun since.
 *
 * Rounds with the same choices are run once, so the states of one report are all different cases.
 */
export function exploreCrashes(options: ExploreCrashesOptions): CrashReport {
  const { maxStates, maxRounds = Number.POSITIVE_INFINITY } = options;
  const tally = createTally();
  const seen = new Set<string>();
  let repeats = 0;
  for (let round = 0; tally.states < maxStates && round < maxRounds; round += 1) {
    const seed = options.seed + round;
    const fresh = { seed, image: EMPTY_IMAGE, allowed: new Set([undefined]) };
    const power = record(options, { ...fresh, regime: "power", sessions: ["workload"] });
    if (seen.has(power.choices)) {
      repeats += 1;
      if (power.choices === "" || repeats === MAX_REPEATS) break;
      continue;
    }
    repeats = 0;
    seen.add(power.choices);
    tally.rounds += 1;

    const pick = createChooser(seed);
    const crashed = judge(options, power, tally, pick);
    for (let count = 0; count < KILLS && power.effects > 0; count += 1) {
      const killAt = 1 + pick.choose(power.effects);
      const sessions = ["workload", "resume"] as const;
      const life = { ...fresh, regime: "kill-then-power", sessions, killAt } as const;
      judge(options, record(options, life), tally, pick);
    }
    for (const [index, start] of crashed.entries()) {
      const sessions = ["resume"] as const;
      const salt = 1 + index; // else the names that the crashed process made up would come again
      const life = { seed, salt, ...start, regime: "crash-in-recovery", sessions } as const;
      judge(options, record(options, life), tally, pick);
    }
  }
  return tally;
}

/** After so many seeds in a row without new choices there are hardly any. */
const MAX_REPEATS = 1000;

/** Kills and crashed images that each round continues from. */
const KILLS = 4;
const SAMPLES = 6;

type Tally = { -readonly [Key in keyof CrashReport]: CrashReport[Key] } & {
  statesByModel: Record<PersistenceModel, number>;
  statesByRegime: Record<CrashRegime, number>;
  findings: CrashFinding[];
};

function createTally(): Tally {
  return {
    states: 0,
    statesByModel: { kill: 0, ext4: 0, "ext4-nda": 0, posix: 0, nonatomic: 0 },
    statesByRegime: { power: 0, "kill-then-power": 0, "crash-in-recovery": 0 },
    observed: 0,
    crashPoints: 0,
    sampledPoints: 0,
    rounds: 0,
    bad: 0,
    findings: [],
  };
}

/** What a disk holds at the start, and which processes then run on it, one after the other. */
interface Life {
  readonly regime: CrashRegime;
  readonly seed: number;
  readonly salt?: number | undefined;
  readonly image: Image;
  readonly allowed: ReadonlySet<Value>;
  readonly sessions: readonly ("workload" | "resume")[];
  /** The effect right after which the first process is killed. */
  readonly killAt?: number | undefined;
}

type LifeEvent =
  | Effect
  | { readonly type: "begin" | "acknowledge"; readonly value: Value }
  | { readonly type: "killed" }
  | { readonly type: "failed"; readonly error: unknown };

interface RecordedLife extends Life {
  readonly events: readonly LifeEvent[];
  readonly effects: number;
  readonly choices: string;
}

function record(options: ExploreCrashesOptions, life: Life): RecordedLife {
  const { mutate = (fs) => fs } = options;
  const events: LifeEvent[] = [];
  const chooser = createChooser(life.seed ^ Math.imul(life.salt ?? 0, 0x9e3779b1));
  let effects = 0;
  let isAlive = true;
  const disk = createDisk(life.image, (effect) => {
    events.push(effect);
    effects += 1;
    if (effects !== life.killAt) return;
    isAlive = false;
    disk.kill();
  });
  for (const session of life.sessions) {
    isAlive = true;
    const promise = (type: "begin" | "acknowledge") => (value: Value) => {
      if (isAlive) events.push({ type, value });
    };
    const connected = disk.connect();
    try {
      options[session]({
        fs: { ...connected, ...mutate(connected) },
        random: chooser.bytes,
        choose: chooser.choose,
        begin: promise("begin"),
        acknowledge: promise("acknowledge"),
      });
    } catch (error) {
      if (isAlive) events.push({ type: "failed", error });
    }
    if (!isAlive) events.push({ type: "killed" });
  }
  return { ...life, events, effects, choices: chooser.choices.join() };
}

interface CrashedDisk {
  readonly image: Image;
  readonly allowed: ReadonlySet<Value>;
}

/** Judges every crash of a life, and returns a few of the crashed disks. */
function judge(
  options: ExploreCrashesOptions,
  life: RecordedLife,
  tally: Tally,
  pick: Chooser,
): readonly CrashedDisk[] {
  const { models = PERSISTENCE_MODELS, statesPerPoint = 256, observe } = options;
  const intern = createInterner();
  const trackers = models.map((model) => ({ model, ...createTracker(model, life.image, intern) }));
  const observed = new Map<string, Value | Error>();
  const samples: CrashedDisk[] = [];
  let allowed = life.allowed;
  let point = 0;
  let states = 0;
  let isCounted = life.killAt === undefined;

  const blame = (model: PersistenceModel, found: Value | Error, names: readonly string[]): void => {
    tally.bad += 1;
    if (tally.findings.length >= MAX_FINDINGS) return;
    const { regime, seed } = life;
    tally.findings.push({ regime, model, seed, point, allowed: [...allowed], found, names });
  };

  const look = (image: Image, key: string): Value | Error => {
    const known = observed.get(key);
    if (known !== undefined || observed.has(key)) return known;
    tally.observed += 1;
    let found: Value | Error;
    try {
      found = observe(createDisk(image).connect());
    } catch (error) {
      found = error instanceof Error ? error : new Error(String(error));
    }
    observed.set(key, found);
    return found;
  };

  const cutPower = (): void => {
    tally.crashPoints += 1;
    for (const { model, images } of trackers) {
      const emit = (image: Image, key: string): void => {
        states += 1;
        tally.statesByModel[model] += 1;
        const found = look(image, key);
        if (found instanceof Error || !allowed.has(found)) blame(model, found, namesOf(image));
        if (samples.length < SAMPLES) samples.push({ image, allowed });
        else if (pick.choose(states) < SAMPLES) {
          samples[pick.choose(SAMPLES)] = { image, allowed };
        }
      };
      if (!images(emit, statesPerPoint, pick.choose)) tally.sampledPoints += 1;
    }
  };

  for (const event of life.events) {
    switch (event.type) {
      case "begin":
        allowed = new Set([...allowed, event.value]);
        break;
      case "acknowledge":
        if (!allowed.has(event.value)) blame("kill", event.value, []);
        allowed = new Set([event.value]);
        if (isCounted) cutPower();
        break;
      case "killed":
        isCounted = true;
        break;
      case "failed":
        blame("kill", event.error instanceof Error ? event.error : undefined, []);
        break;
      case "folder":
      case "names":
      case "data":
      case "truncate":
      case "sync":
        point += 1;
        for (const { apply } of trackers) apply(event);
        if (isCounted) cutPower();
    }
  }
  tally.states += states;
  tally.statesByRegime[life.regime] += states;
  return samples;
}

const MAX_FINDINGS = 10;

function namesOf(image: Image): readonly string[] {
  return [...image.names.values()].flatMap((entries) => [...entries.keys()]);
}
