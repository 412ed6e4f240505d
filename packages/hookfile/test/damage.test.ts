import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { byLane } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { HookFileError } from "../src/errors.ts";
import { decodeHookFile } from "../src/store/hook-codec.ts";
import { createHookFiles, type HookFiles } from "../src/store/hook-files.ts";
import { transition } from "../src/transitions/transitions.ts";
import { aCheckpoint, aTask } from "./a-task.ts";
import { temporaryFolders } from "./folder.ts";

const aFolder = temporaryFolders();
const now = (): Date => new Date("2026-01-02T03:04:05.678Z");

/** A task whose history has three files, the newest with two records. */
function aSavedTask(): { readonly dir: string; readonly files: HookFiles } {
  const dir = aFolder();
  const files = createHookFiles({ dir, now, rollBytes: 2500 });
  files.makeFolder();
  files.create(aTask({ description: "" }));
  const update = (word: string): void => {
    const checkpoint = aCheckpoint({ checkpointId: word });
    files.update((hook) => transition(hook, [{ type: "checkpoint", checkpoint }], { now: now() }));
  };
  for (let count = 1; count <= 5; count += 1) update(`c${count}`);
  return { dir, files };
}

/** Every truncation, then every flip of a bit; only each so manieth of both. */
function* damagedForms(whole: Uint8Array, step: number): Generator<Uint8Array> {
  for (let length = 0; length < whole.length; length += step) yield whole.subarray(0, length);
  for (let bit = 0; bit < whole.length * 8; bit += step) {
    const flipped = Uint8Array.from(whole);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    yield flipped;
  }
}

// SPEC.md, statements 16.
test("no truncation and no flip of a bit of hook.json is taken for what was written", () => {
  const { dir } = aSavedTask();
  const whole = readFileSync(join(dir, "hook.json"));
  let forms = 0;
  for (const bytes of damagedForms(whole, 1)) {
    forms += 1;
    expect(() => decodeHookFile(bytes)).toThrow(HookFileError);
  }
  expect(forms).toBe(whole.length * 9);
});

type Snapshot = readonly (readonly [name: string, bytes: Buffer])[];

function snapshot(dir: string): Snapshot {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" });
  return names.flatMap((name) =>
    name.includes(".") ? [[name, readFileSync(join(dir, name))] as const] : [],
  );
}

function restore(dir: string, files: Snapshot): void {
  rmSync(dir, { recursive: true });
  mkdirSync(join(dir, "history"), { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(dir, name), bytes);
}

/** Whether the caller is notified: at the opening, or while the whole history is read. */
function isTold(files: HookFiles): boolean {
  const opened = files.open();
  if (opened === undefined) return false;
  if (opened.problems.length > 0) return true;
  try {
    return [...files.records()].length === 0;
  } catch (error) {
    return error instanceof HookFileError && error.code === "ERR_DAMAGED";
  }
}

// SPEC.md, statements 16.
test("no truncation and no flip of a bit in a task's files passes in silence", {
  timeout: 1_200_000,
}, () => {
  const { dir, files } = aSavedTask();
  const whole = snapshot(dir);
  const names = whole.map(([name]) => name).filter((name) => /^hook\.json$|jsonl$/.test(name));
  expect(names.toSorted()).toEqual([
    "history/1.jsonl",
    "history/2.jsonl",
    "history/3.jsonl",
    "hook.json",
  ]);
  expect(isTold(files)).toBe(false);
  let forms = 0;
  const silent: string[] = [];
  for (const name of names) {
    const bytes = whole.find(([other]) => other === name)?.[1] ?? Buffer.alloc(0);
    for (const damaged of damagedForms(bytes, byLane({ fast: 4001, whole: 601, long: 1 }))) {
      restore(dir, whole);
      writeFileSync(join(dir, name), damaged);
      if (!isTold(files)) silent.push(`${name}: ${forms}`);
      forms += 1;
    }
  }
  expect(silent).toEqual([]);
  expect(forms).toBeGreaterThan(byLane({ fast: 25, whole: 150, long: 150 }));
});
