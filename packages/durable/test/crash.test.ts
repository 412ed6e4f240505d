import { byLane, sample } from "@quasar/vitest/lane";
import { describe, expect, test } from "vitest";
import { createOnce, recoverDirectory, replaceFile } from "../src/index.ts";
import {
  createChooser,
  createDisk,
  type Effect,
  exploreCrashes,
  PERSISTENCE_MODELS,
  type SimulatedProcess,
} from "../src/testing.ts";
import { MUTANTS, WITHOUT_SYNC_OF_FILE } from "./mutants.ts";
import {
  afterAnotherTool,
  DIR,
  encode,
  FILE,
  observe,
  remove,
  resume,
  saveAndDamage,
  workload,
} from "./protocol.ts";

const MAX_STATES = byLane({ fast: 20_000, whole: 100_000, long: 20_000_000 });

test("a crash leaves what was acknowledged or what was begun, whole, in every state", {
  timeout: 600_000,
}, () => {
  const report = exploreCrashes({ seed: 1, maxStates: MAX_STATES, workload, resume, observe });
  expect(report.findings).toEqual([]);
  expect(report.bad).toBe(0);
  expect(report.states).toBeGreaterThanOrEqual(MAX_STATES);
});

test("a file is created once, whole, in every state", () => {
  const create = (process: SimulatedProcess, value: string): void => {
    process.begin(value);
    createOnce(FILE, encode(value), 0o600, process);
    process.acknowledge(observe(process.fs));
  };
  const report = exploreCrashes({
    seed: 1,
    maxStates: 10_000,
    workload: (process) => create(process, `v${process.choose(100)}`),
    resume: (process) => create(process, `v${100 + process.choose(100)}`),
    observe,
  });
  expect(report.findings).toEqual([]);
  expect(report.states).toBeGreaterThanOrEqual(10_000);
});

test("an exploration ends where its processes have no more choices, with the states that there are", () => {
  const save = ({ choose, begin, acknowledge, ...process }: SimulatedProcess): void => {
    const value = `v${choose(5)}`;
    begin(value);
    replaceFile(FILE, encode(value), process);
    acknowledge(value);
  };
  const options = { seed: 1, maxStates: Number.POSITIVE_INFINITY, observe };
  const report = exploreCrashes({ ...options, workload: save, resume: recoverAndRead });
  expect(report.rounds).toBe(5);
  expect(report.bad).toBe(0);
});

test.for(PERSISTENCE_MODELS)(
  "without a second name, %s is survived if its rename is atomic",
  (model) => {
    const only = (process: SimulatedProcess): void => {
      for (const value of ["v1", "v2", "v3"].slice(process.choose(2))) {
        process.begin(value);
        replaceFile(FILE, encode(value), { ...process, keepPrevious: false });
        process.acknowledge(value);
      }
    };
    const options = { seed: 1, maxStates: 10_000, maxRounds: 10, models: [model], observe };
    const report = exploreCrashes({ ...options, workload: only, resume: recoverAndRead });
    expect(report.bad > 0).toBe(model === "nonatomic");
  },
);

function recoverAndRead(process: SimulatedProcess): void {
  recoverDirectory(DIR, process);
  process.acknowledge(observe(process.fs));
}

test("recovery leaves nothing of a save that was killed, whenever it was", () => {
  const leftAfterKill = (killAt: number): { effects: number; names: readonly string[] } => {
    let effects = 0;
    const disk = createDisk(undefined, () => {
      effects += 1;
      if (effects === killAt) disk.kill();
    });
    const { bytes: random } = createChooser(killAt);
    const save = (): void => replaceFile(FILE, encode("v1"), { fs: disk.connect(), random });
    expect(attempt(save)).toBe(killAt === 0 ? "done" : "killed");
    const ofSave = effects;
    const fs = disk.connect();
    recoverDirectory(DIR, { fs });
    return { effects: ofSave, names: fs.lstat(DIR) === undefined ? [] : fs.readdir(DIR) };
  };
  const { effects } = leftAfterKill(0);
  const left = Array.from({ length: effects }, (_, index) => leftAfterKill(1 + index).names);
  expect(left.flat().filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect(left.flat()).toContain("file.1.prev");
});

test("recovery syncs a folder again that this process has synced before", () => {
  const effects: Effect[] = [];
  const disk = createDisk(undefined, (effect) => effects.push(effect));
  const fs = disk.connect();
  replaceFile(FILE, encode("v1"), { fs });
  replaceFile(FILE, encode("v2"), { fs: disk.connect() });
  effects.length = 0;
  recoverDirectory(DIR, { fs });
  const ino = Number(fs.lstat(DIR)?.ino);
  expect(effects).toContainEqual({ type: "sync", ino, failed: false });
});

function attempt(act: () => void): "done" | "killed" {
  try {
    act();
    return "done";
  } catch {
    return "killed";
  }
}

describe("a file of another tool, not synced,", () => {
  test.for([
    ["is whole when it is the generation before", saveAndDamage],
    ["is whole while it is being removed", (process: SimulatedProcess) => remove(process)],
  ] as const)("%s, because it is synced first", ([, act]) => {
    const bad = [undefined, WITHOUT_SYNC_OF_FILE].map((mutate) => {
      const report = exploreCrashes({
        seed: 1,
        maxStates: 10_000,
        workload: (process) => afterAnotherTool(process, act),
        resume: () => {},
        observe,
        mutate,
      });
      return report.bad > 0;
    });
    expect(bad).toEqual([false, true]);
  });
});

describe("the explorer notices that", () => {
  test.for(sample(Object.keys(MUTANTS), 2))("%s", (name) => {
    const mutate = MUTANTS[name];
    const options = { seed: 1, maxStates: 50_000, workload, resume, observe, mutate };
    expect(exploreCrashes(options).bad).toBeGreaterThan(0);
  });
});
