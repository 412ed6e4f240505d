import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { LANE } from "@quasar/nebula/port";
import { type Machine, TTL_S } from "./machine.ts";
import { type Asked, FIRST_REVIEW, type Setting, SLOW_WORK, type Trial } from "./trial.ts";
import { until } from "./until.ts";

/** What a row says beside what holds in each. */
export interface Seen {
  /** For the table, such as `taken over in 11.2 s`. */
  readonly seen: readonly string[];
  readonly broken: readonly string[];
  /** How many turns may be asked for again. @default as the row has it */
  readonly maxRepeated?: number | undefined;
}

/** A kind of failure, and what is to come of it. */
export interface Row {
  readonly name: string;
  readonly expected: string;
  readonly setting: Setting;
  /** How many turns may be asked for again. */
  readonly maxRepeated: number;
  /** Lets it happen. The nebula ends afterwards. @param random - 0 to 1 */
  play(trial: Trial, random: () => number): Promise<Seen>;
}

const TAKEOVER_S = 15;
const WAIT_MS = 60_000;

const secondsSince = (since: number, at = performance.now()): number =>
  Math.round((at - since) / 100) / 10;

/** A measure with its limit. */
function within(what: string, seconds: number, limit: number): Seen {
  const seen = `${what} ${seconds} s`;
  return { seen: [seen], broken: seconds <= limit ? [] : [`${seen}, more than ${limit} s`] };
}

function all(...parts: readonly Seen[]): Seen {
  return {
    seen: parts.flatMap(({ seen }) => seen),
    broken: parts.flatMap(({ broken }) => broken),
  };
}

const law = (isKept: boolean, broken: string): Seen => ({
  seen: [],
  broken: isKept ? [] : [broken],
});

/** The first phase's coder at work, and where. */
async function slowTurn(
  trial: Trial,
): Promise<{ readonly asked: Asked; readonly machine: Machine; readonly work: string }> {
  const asked = await trial.request(SLOW_WORK);
  return { asked, machine: trial.machine(asked.machine), work: await trial.refOf("a") };
}

async function takenOver(trial: Trial, work: string, since: number, not: Machine): Promise<Seen> {
  const { at } = await trial.taken(work, since, { timeoutMs: WAIT_MS, not });
  return within("taken over in", secondsSince(since, at), TAKEOVER_S);
}

/** How long it takes until no process of a turn is left on a machine. */
async function agentEnds(machine: Machine, turnId: string, since: number): Promise<Seen> {
  await until("the old agent has ended", WAIT_MS, () => !machine.turns().has(turnId));
  return within("old agent ended after", secondsSince(since), 5);
}

/** Has a machine stand still, and wake when another one works. */
function frozen(part: "all" | "all but agents"): Row["play"] {
  return async (trial) => {
    const { asked, machine, work } = await slowTurn(trial);
    const since = performance.now();
    await machine.freeze(part);
    const taken = await takenOver(trial, work, since, machine);
    await sleep(Math.max(0, 60_000 - (performance.now() - since)));
    const isAlive = machine.turns().has(asked.turnId);
    const thawed = performance.now();
    await machine.thaw();
    return all(
      taken,
      await agentEnds(machine, asked.turnId, thawed),
      law(isAlive, "the agent has ended before the thaw: the row shows nothing"),
    );
  };
}

/** With which all others are compared. */
export const UNDISTURBED: Row = {
  ...{ name: "undisturbed", expected: "0 repeated", setting: {}, maxRepeated: 0 },
  play: async () => ({ seen: [], broken: [] }),
};

export const ROWS: readonly Row[] = [
  {
    name: "worker-killed",
    expected: "adopted ≤ 5 s after its restart, 0 repeated",
    setting: { slowMs: 12_000 },
    maxRepeated: 0,
    async play(trial) {
      const { machine, work } = await slowTurn(trial);
      await machine.kill("worker");
      await sleep(1000);
      const since = performance.now();
      await machine.start();
      const { machine: by, at } = await trial.taken(work, since, { timeoutMs: WAIT_MS });
      return all(
        within("adopted in", secondsSince(since, at), 5),
        law(by === machine, `${by.name} has taken it over`),
      );
    },
  },
  {
    name: "machine-gone",
    expected: `taken over ≤ ${TAKEOVER_S} s, ≤ 1 repeated`,
    setting: { slowMs: 8000 },
    maxRepeated: 1,
    async play(trial) {
      const { machine, work } = await slowTurn(trial);
      const since = performance.now();
      await machine.kill("all");
      return takenOver(trial, work, since, machine);
    },
  },
  {
    name: "machine-gone-between",
    expected: `taken over ≤ ${TAKEOVER_S} s, only the turn that has just begun is repeated`,
    setting: {},
    maxRepeated: 1,
    async play(trial) {
      const asked = await trial.request(FIRST_REVIEW);
      const [machine, work] = [trial.machine(asked.machine), await trial.refOf("a")];
      const since = performance.now();
      await machine.kill("all");
      return takenOver(trial, work, since, machine);
    },
  },
  {
    name: "server-down",
    expected: "the turn in flight ends, nothing begins; continues ≤ 5 s after, 0 repeated",
    setting: { slowMs: 18_000 },
    maxRepeated: 0,
    async play(trial) {
      const { asked } = await slowTurn(trial);
      const down = performance.now();
      await trial.server.kill();
      await sleep(20_000);
      const begun = turnsBegun(trial, down + TTL_S * 1000);
      const continues = trial.asked.some(({ turnId, step }) => turnId === asked.turnId && step > 0);
      await trial.server.start();
      const back = performance.now();
      await until("a turn begins", WAIT_MS, () => turnsBegun(trial, back).length > 0);
      return all(
        within("continues after", secondsSince(back), 5),
        law(continues, "the turn in flight did not continue"),
        law(begun.length === 0, `begun without a server: ${begun.join(", ")}`),
      );
    },
  },
  {
    name: "all-killed",
    expected: "the same branch, 0 repeated",
    setting: { slowMs: 8000, max: 2 },
    maxRepeated: 0,
    async play(trial, random) {
      await slowTurn(trial);
      await Promise.all([
        trial.server.kill(),
        ...trial.machines.map((machine) => machine.kill("worker")),
      ]);
      await sleep(2000);
      const starts = [
        () => trial.server.start(),
        ...trial.machines.map((machine) => () => machine.start()),
      ];
      const order = starts.map((start) => ({ start, at: random() }));
      for (const { start } of order.toSorted((one, other) => one.at - other.at)) {
        await start();
        await sleep(1000);
      }
      return { seen: [], broken: [] };
    },
  },
  {
    name: "worker-frozen",
    expected: `taken over ≤ ${TAKEOVER_S} s, old agent ended ≤ 5 s after the thaw, ≤ 1 repeated`,
    setting: { slowMs: 72_000 },
    maxRepeated: 1,
    play: frozen("all but agents"),
  },
  {
    name: "machine-frozen",
    expected: `taken over ≤ ${TAKEOVER_S} s, old agent ended ≤ 5 s after the thaw, ≤ 1 repeated`,
    setting: { slowMs: 18_000 },
    maxRepeated: 1,
    play: frozen("all"),
  },
  {
    name: "lander-frozen",
    expected: "another one finds the same landing done, ≤ 1 repeated",
    setting: {},
    maxRepeated: 1,
    async play(trial) {
      trial.depot.holdNext();
      const commit = await trial.depot.held(WAIT_MS);
      const machine = trial.laneHolder();
      if (machine === undefined) throw new Error("nobody has the lane");
      const since = performance.now();
      await machine.freeze("all");
      const taken = await takenOver(trial, LANE, since, machine);
      await sleep(10_000);
      trial.depot.release();
      await machine.thaw();
      await trial.done();
      return all(taken, law(trial.depot.has(commit), "the landing was made again"));
    },
  },
  {
    name: "depot-away",
    expected: "turns end, landing waits, 0 repeated",
    setting: { slowMs: 8000 },
    maxRepeated: 0,
    async play(trial) {
      const { asked } = await slowTurn(trial);
      trial.depot.takeAway();
      await sleep(60_000);
      const continues = trial.asked.some(({ turnId, step }) => turnId === asked.turnId && step > 0);
      const back = performance.now();
      trial.depot.bringBack();
      await until("a turn begins", WAIT_MS, () => turnsBegun(trial, back).length > 0);
      return all(
        { seen: [`next turn after ${secondsSince(back)} s`], broken: [] },
        law(continues, "the turn in flight did not continue"),
      );
    },
  },
  {
    name: "clock-set",
    expected: "no turn ended or repeated",
    setting: { slowMs: 18_000, hasClock: true },
    maxRepeated: 0,
    async play(trial) {
      const { asked, machine } = await slowTurn(trial);
      for (const seconds of [3600, 0, -3600, 0]) {
        machine.setClock(seconds);
        await sleep(3500);
      }
      const isAlive = machine.turns().has(asked.turnId);
      const isTaken = () =>
        trial.asked.some(({ step, turnId }) => turnId === asked.turnId && step > 0);
      await until("the turn continues", WAIT_MS, isTaken);
      return all(
        law(isAlive, "the turn was ended"),
        law(saysAnotherHour(machine), "its clock was not set: the row shows nothing"),
      );
    },
  },
  {
    name: "network-cut",
    expected: `nothing begins there; taken over ≤ ${TAKEOVER_S} s, ≤ 1 repeated`,
    setting: { slowMs: 42_000 },
    maxRepeated: 1,
    async play(trial) {
      const { asked, machine, work } = await slowTurn(trial);
      const since = performance.now();
      machine.way.cut();
      const taken = await takenOver(trial, work, since, machine);
      await sleep(Math.max(0, 30_000 - (performance.now() - since)));
      const begun = turnsBegun(trial, since + TTL_S * 1000, machine.name);
      const restored = performance.now();
      machine.way.restore();
      return all(
        taken,
        law(begun.length === 0, `begun without a server: ${begun.join(", ")}`),
        await agentEnds(machine, asked.turnId, restored),
      );
    },
  },
];

/** Whether the worker of a machine has printed a time that is far from now. */
function saysAnotherHour({ log }: Machine): boolean {
  const times = readFileSync(log, "utf8").matchAll(/"time":"([^"]+)"/gu);
  return [...times].some(([, time = ""]) => Date.parse(time) > Date.now() + 1_800_000);
}

/** Turns whose first request came after a moment. */
function turnsBegun({ asked }: Trial, after: number, machine?: string): readonly string[] {
  return asked
    .filter(({ turnId }, at) => asked.findIndex((each) => each.turnId === turnId) === at)
    .filter(({ at, machine: name }) => at > after && (machine === undefined || name === machine))
    .map(({ work }) => work);
}
