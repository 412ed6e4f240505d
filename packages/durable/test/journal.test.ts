import { expect, test } from "vitest";
import { openJournal, readJournal } from "../src/entries/journal.ts";
import {
  exploreCrashes,
  type SimulatedFileSystem,
  type SimulatedProcess,
  type Sync,
  withoutSync,
} from "../src/testing.ts";
import type { FileSystem } from "../src/file-system.ts";

const DIR = "/state/runs";
const FILE = `${DIR}/events.jsonl`;

/** What a reader finds: every record, in order. */
const observe =
  (joins: boolean) =>
  (fs: FileSystem): string => {
    const found = readJournal(FILE, { fs, joins });
    if (found?.damage !== undefined) throw new Error(found.damage.message);
    return (found?.records ?? []).map(({ data }) => String(data)).join();
  };

/** The same, once it is seen that a journal that was renewed is still there under its other name. */
function observeAll(fs: FileSystem): string {
  const names = fs.lstat(DIR) === undefined ? [] : fs.readdir(DIR);
  const isRenewed = names.some((name) => name.endsWith(".prev"));
  if (isRenewed && !names.some((name) => name.includes(".damaged-")))
    throw new Error("thrown away");
  return observe(true)(fs);
}

/** Opens what is there, takes it for the truth, and adds to it; now and then a flush fails. */
const work =
  (joins: boolean, failSync: (fs: SimulatedFileSystem, fd: number) => void) =>
  (process: SimulatedProcess): void => {
    let isFailing = false;
    const fs: FileSystem = {
      ...process.fs,
      fsync: (fd) => {
        if (!isFailing) return process.fs.fsync(fd);
        isFailing = false;
        failSync(process.fs, fd);
        throw new Error("the disk has failed");
      },
    };
    process.begin("");
    const journal = openJournal(FILE, { ...process, fs, joins, now: () => new Date(0) });
    let told = journal.records.map(({ data }) => String(data)).join();
    process.acknowledge(told);
    const count = process.choose(4);
    for (let done = 0; done < count; done += 1) {
      const words = Array.from({ length: 1 + process.choose(3) }, () => `v${process.choose(100)}`);
      const fails = process.choose(5) === 0;
      let next = told;
      for (const [index, word] of words.entries()) {
        next = next === "" ? word : `${next},${word}`;
        process.begin(next);
        const isLast = index === words.length - 1;
        isFailing = fails && isLast;
        if (isFailing) expect(() => journal.append(word)).toThrow("the disk has failed");
        else if (isLast) journal.append(word);
        else journal.add(word);
      }
      // A flush that fails takes all that was added since the last one, which is one record at most where none is joined.
      const kept = joins ? [] : words.slice(0, -2);
      told = fails ? [told, ...kept].filter((word) => word !== "").join() : next;
      process.acknowledge(told);
    }
  };

const life = (joins: boolean) => {
  const fails = work(joins, () => undefined);
  return { seed: 1, workload: fails, resume: fails, observe: observe(joins) };
};
const options = life(true);

test.for([
  ["each synced before the next", false],
  ["joined", true],
] as const)(
  "no acknowledged record is lost and none is invented, in every state of a crash: %s",
  ([, joins]) => {
    const report = exploreCrashes({ ...life(joins), maxStates: 100_000 });
    expect(report.findings).toEqual([]);
    expect(report.states).toBeGreaterThanOrEqual(100_000);
  },
);

// A process that is killed in the instant in which a flush fails cannot tell the next one about it.
test("what a failed flush may have lost is not built upon", () => {
  const loses = work(true, (fs, fd) => fs.failSync(fd));
  const lost = {
    workload: loses,
    resume: loses,
    observe: observe(true),
    maxRounds: 1,
    maxStates: 1,
  };
  const findings = Array.from({ length: 60 }, (_, seed) =>
    exploreCrashes({ ...lost, seed, statesPerPoint: 32 }),
  ).flatMap((report) => report.findings);
  expect(findings.filter(({ regime }) => regime !== "kill-then-power")).toEqual([]);
});

test.for([
  ["the journal is not synced", ({ path }) => path === FILE],
  ["the folder is not synced", ({ path }) => path === DIR],
  [
    "the ancestors of a new folder are not synced",
    ({ path }) => path !== DIR && DIR.startsWith(path),
  ],
  [
    "what is copied from a journal with a torn end is not synced",
    ({ path }) => path.endsWith(".tmp"),
  ],
  [
    "the second name of a journal with a torn end is not synced",
    ({ path, before }) => path === DIR && before.includes(".damaged-"),
  ],
] as readonly (readonly [string, (sync: Sync) => boolean])[])(
  "the explorer finds it where %s",
  ([, drop]) => {
    const mutate = (fs: SimulatedFileSystem): FileSystem => withoutSync(fs, drop);
    const report = exploreCrashes({ ...options, observe: observeAll, maxStates: 60_000, mutate });
    expect(report.bad).toBeGreaterThan(0);
  },
);

test("nothing of a torn end is thrown away, in every state of a crash", () => {
  const report = exploreCrashes({ ...options, observe: observeAll, maxStates: 60_000 });
  expect(report.findings).toEqual([]);
});
