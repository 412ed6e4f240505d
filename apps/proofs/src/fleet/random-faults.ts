import { setTimeout as sleep } from "node:timers/promises";
import { phasesInChains } from "../torture/nebula/fifty-phases.ts";
import type { Machine } from "./machine.ts";
import type { Row } from "./rows.ts";
import type { Trial } from "./trial.ts";

/** What can happen to a part of a fleet, and is over after a time. */
interface Fault {
  readonly name: string;
  /** The longest, in milliseconds. */
  readonly mostMs: number;
  /** Whether a machine may lose its turn by it. */
  readonly mayLose: boolean;
  begin(): Promise<unknown> | void;
  end(): Promise<unknown> | void;
}

const MOST_FAULTS = 14;

const SETTING = { nebula: phasesInChains(20) };

/** The nebula that random faults meet, without any. */
export const ALL_QUIET: Row = {
  ...{ name: "twenty phases", expected: "0 repeated", setting: SETTING, maxRepeated: 0 },
  play: async () => ({ seen: [], broken: [] }),
};

/** Kills, freezes, cuts and restarts, one or two at a time. */
export const RANDOM_FAULTS: Row = {
  ...{ name: "random", expected: "≤ 1 repeated for each machine that is lost", setting: SETTING },
  maxRepeated: 0,
  async play(trial, random) {
    const seen: string[] = [];
    let maxRepeated = 0;
    for (let count = 0; count < MOST_FAULTS && !(await isDone(trial)); count += 1) {
      await sleep(2000 + 5000 * random());
      const all = faultsOf(trial);
      const pick = (of: readonly (readonly Fault[])[]): Fault | undefined => {
        const faults = of[Math.floor(random() * of.length)] ?? [];
        return faults[Math.floor(random() * faults.length)];
      };
      const one = pick(all);
      const others = all.filter((faults) => !faults.some(({ name }) => name === one?.name));
      const both = random() < 1 / 3 ? [one, pick(others)] : [one];
      await Promise.all(
        both.map(async (fault) => {
          if (fault === undefined) return;
          const ms = Math.round(fault.mostMs * random());
          if (fault.mayLose) maxRepeated += 1;
          seen.push(`${fault.name} ${ms} ms`);
          await fault.begin();
          await sleep(ms);
          await fault.end();
        }),
      );
    }
    return { seen, broken: [], maxRepeated };
  },
};

async function isDone(trial: Trial): Promise<boolean> {
  const { phases } = await trial.state();
  return phases.every(({ status }) => status === "done");
}

/** By what they concern. */
function faultsOf(trial: Trial): readonly (readonly Fault[])[] {
  const { server, depot, machines } = trial;
  return [
    [
      {
        ...{ name: "server killed", mostMs: 20_000, mayLose: false },
        begin: () => server.kill(),
        end: () => server.start(),
      },
      {
        ...{ name: "depot away", mostMs: 20_000, mayLose: false },
        begin: () => depot.takeAway(),
        end: () => depot.bringBack(),
      },
    ],
    ...machines.map(ofMachine),
  ];
}

function ofMachine(machine: Machine): readonly Fault[] {
  const { name, way } = machine;
  return [
    {
      ...{ name: `${name} restarted`, mostMs: 6000, mayLose: false },
      begin: () => machine.kill("worker"),
      end: () => machine.start(),
    },
    {
      ...{ name: `${name} gone`, mostMs: 20_000, mayLose: true },
      begin: () => machine.kill("all"),
      end: () => machine.start(),
    },
    {
      ...{ name: `${name} frozen`, mostMs: 25_000, mayLose: true },
      begin: () => machine.freeze("all"),
      end: () => machine.thaw(),
    },
    {
      ...{ name: `${name} cut off`, mostMs: 25_000, mayLose: true },
      begin: () => way.cut(),
      end: () => way.restore(),
    },
  ];
}
