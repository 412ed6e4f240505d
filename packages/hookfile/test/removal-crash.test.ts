import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type FileSystem, readWholeFile, recoverDirectory, replaceFile } from "@quasar/durable";
import {
  createDisk,
  type Effect,
  exploreCrashes,
  type SimulatedProcess,
} from "@quasar/durable/testing";
import { expect, test } from "vitest";
import { buryTask, clearRemains, isBuried, remainsOf } from "../src/removal/tombstone.ts";
import { after, aHook, START } from "./interrupted.ts";

const DIR = "/state/task-1";
const FILES = {
  "history/1.jsonl": "the first events\n",
  "history/2.jsonl": "the others\n",
  "HOOK.md": "what to do\n",
  "hook.json": "where the task is\n",
} as const;
const KEPT = ["hook.json", "history/1.jsonl", "history/2.jsonl"] as const;
const BURIAL = { now: after(0), endedAt: START };

/** A task is saved twice, so that hook.json has a generation before; then it is removed. */
function workload({ fs, random, choose, begin, acknowledge }: SimulatedProcess): void {
  begin("task");
  for (const [name, text] of Object.entries(FILES)) {
    const bytes = Buffer.from(text);
    const keepPrevious = name === "hook.json";
    for (let save = choose(2); save < 2; save += 1) {
      replaceFile(join(DIR, name), bytes, { fs, random, keepPrevious });
    }
  }
  acknowledge("task");
  remove({ fs, random, begin, acknowledge });
}

function remove(process: Pick<SimulatedProcess, "fs" | "random" | "begin" | "acknowledge">): void {
  const { fs, random, begin, acknowledge } = process;
  begin("tombstone");
  buryTask(DIR, aHook("completed"), { fs, random, ...BURIAL });
  acknowledge("tombstone");
}

/** What the next cleanup does. */
function resume(process: SimulatedProcess): void {
  const { fs, acknowledge } = process;
  if (isBuried(DIR, { fs })) {
    clearRemains(DIR, { fs });
    acknowledge("tombstone");
    expect(remainsOf(DIR, { fs })).toEqual([]);
    return;
  }
  for (const dir of [DIR, join(DIR, "history")]) recoverDirectory(dir, { fs });
  const found = observe(fs);
  acknowledge(found);
  if (found === "task") remove(process);
}

/** A whole task, or a tombstone with a whole archive. */
function observe(fs: FileSystem): string | undefined {
  const read = (name: string): Uint8Array | undefined => {
    return readWholeFile(join(DIR, name), { fs, maxBytes: 10_000 });
  };
  const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();
  const tombstone = read("tombstone.json");
  if (tombstone !== undefined) {
    const { archive } = JSON.parse(text(tombstone)) as { archive: readonly { name: string }[] };
    expect(archive.map(({ name }) => name)).toEqual(KEPT);
    for (const name of KEPT) {
      expect(text(gunzipSync(read(`archive/${name}.gz`) ?? new Uint8Array()))).toBe(FILES[name]);
    }
    return "tombstone";
  }
  if (read("hook.json") === undefined) return undefined;
  for (const name of KEPT) expect(text(read(name))).toBe(FILES[name]);
  return "task";
}

/** Enough for all that the workload may choose. */
const maxRounds = 64;
// A rename that is not atomic may lose hook.json, which the store then reads from its second name.
const models = ["kill", "ext4", "ext4-nda", "posix"] as const;

test("a crash while a task is removed leaves the task, or a tombstone with all of it, never half", () => {
  const report = exploreCrashes({
    seed: 1,
    maxStates: 1_000_000,
    maxRounds,
    models,
    workload,
    resume,
    observe,
  });
  expect(report.findings).toEqual([]);
  expect(report.bad).toBe(0);
  expect(report.states).toBeGreaterThan(30_000);
});

test("hook.json goes last, and nothing before the tombstone of a killed process is on disk", () => {
  const effects: Effect[] = [];
  const disk = createDisk(undefined, (effect) => effects.push(effect));
  const fs = disk.connect();
  for (const [name, text] of Object.entries(FILES)) {
    replaceFile(join(DIR, name), Buffer.from(text), { fs, keepPrevious: false });
  }
  disk.connect().link(join(DIR, "HOOK.md"), join(DIR, "tombstone.json")); // not synced
  const dir = Number(fs.lstat(DIR)?.ino);
  expect(remainsOf(DIR, { fs }).at(-1)).toBe("hook.json");

  effects.length = 0;
  clearRemains(DIR, { fs });
  const changes = effects.filter(({ type }) => type === "names" || type === "sync");
  const firstRemoval = changes.findIndex(({ type }) => type === "names");
  expect(changes.slice(0, firstRemoval)).toContainEqual({ type: "sync", ino: dir, failed: false });
  expect(effects.findLast(({ type }) => type === "names")).toMatchObject({
    changes: [{ dir, name: "hook.json" }],
  });
});
