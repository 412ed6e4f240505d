import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type SimulatedFileSystem, type Sync, withoutSync } from "@quasar/durable/testing";
import { lane } from "@quasar/vitest/lane";
import { describe, expect, onTestFinished, test } from "vitest";
import type { DiskCall } from "../../src/blackbox/disk-calls.ts";
import {
  bothOf,
  branch,
  checkpointOf,
  journalOf,
  type Observer,
  sealKey,
  turnsOf,
} from "../../src/blackbox/observers.ts";
import {
  agents,
  makePlace,
  oneCycle,
  type Place,
  removePlace,
  runIds,
} from "../../src/blackbox/place.ts";
import { exploreTrace, replayed } from "../../src/blackbox/replay.ts";
import { missing } from "../../src/blackbox/needs.ts";
import { traced } from "../../src/blackbox/traced.ts";

const isLong = lane === "long";

/** A life of a run: all that its processes did to the disk, one after the other. */
interface Life {
  readonly at: Place;
  readonly runId: string;
  readonly calls: readonly DiskCall[];
  readonly userCalls: readonly DiskCall[];
  readonly branchCalls: readonly DiskCall[];
}

function place(): Place {
  const at = makePlace("crash");
  onTestFinished(() => removePlace(at));
  return at;
}

async function whole(): Promise<Life> {
  const at = place();
  const run = await traced(at, ["run", "Write work.txt", ...agents(at, oneCycle())]);
  expect(run.code, run.stderr).toBe(0);
  const { calls, userCalls, branchCalls } = run;
  return { at, runId: runIds(at)[0] ?? "", calls, userCalls, branchCalls };
}

async function killedAndResumed(killAt: string): Promise<Life> {
  const at = place();
  const script = agents(at, oneCycle(300));
  const run = await traced(at, ["run", "Write work.txt", ...script], { killAt });
  const resume = await traced(at, ["resume"]);
  expect(resume.code, `${run.stderr}${resume.stderr}`).toBe(0);
  return {
    at,
    runId: runIds(at)[0] ?? "",
    calls: [...run.calls, ...resume.calls],
    userCalls: [...run.userCalls, ...resume.userCalls],
    branchCalls: [...run.branchCalls, ...resume.branchCalls],
  };
}

/** The files of a folder with their bytes, by path. */
type Files = Readonly<Record<string, string>>;

function filesOfDisk(dir: string, name: string): Files {
  const entries = readdirSync(dir, { withFileTypes: true }).map((entry): Files => {
    const path = join(dir, entry.name);
    const inner = `${name}/${entry.name}`;
    return entry.isDirectory()
      ? filesOfDisk(path, inner)
      : { [inner]: readFileSync(path).toString("latin1") };
  });
  return Object.assign({}, ...entries) as Files;
}

function filesOf(fs: SimulatedFileSystem, dir: string): Files {
  const entries = fs.readdir(dir).map((entry): Files => {
    const path = `${dir}/${entry}`;
    if (fs.lstat(path)?.kind === "directory") return filesOf(fs, path);
    const fd = fs.open(path, 0);
    const bytes = new Uint8Array(fs.fstat(fd).size);
    fs.read(fd, bytes, 0, bytes.length);
    return { [path]: Buffer.from(bytes).toString("latin1") };
  });
  return Object.assign({}, ...entries) as Files;
}

const lives: readonly (readonly [string, () => Promise<Life>])[] = [
  ["a run", whole],
  ["a run killed while the coder works, and its resume", () => killedAndResumed("coder    works")],
  ["a run killed in the review, and its resume", () => killedAndResumed("reviewer works")],
];

/** The folder is there before a run begins; of the branch what it was then does not matter. */
const heads: readonly DiskCall[] = [
  { type: "mkdir", path: "/heads" },
  { type: "sync", path: "/" },
];

/** Left out of what a life did: the first sync that fits, or a later one. */
function without(fits: (sync: Sync) => boolean, nth: number = 0) {
  return (fs: SimulatedFileSystem) => {
    let seen = 0;
    return withoutSync(fs, (sync) => fits(sync) && seen++ === nth);
  };
}

/** Another process may act between two calls of one, so that the first that fits is not always of the first turn. */
const TRIED = [0, 1, 2];

const mutants: readonly (readonly [
  string,
  (runId: string) => Observer,
  (sync: Sync) => boolean,
])[] = [
  ["a checkpoint's own", checkpointOf, ({ path }) => /runs\/[^/]+\/\.checkpoint/u.test(path)],
  [
    "the folder's, after the rename",
    checkpointOf,
    ({ before }) => /^rename .*\/checkpoint.toml$/u.test(before),
  ],
  ["the one of the folder of runs", checkpointOf, ({ path }) => path === "/quasar/runs"],
  ["the archive's own", checkpointOf, ({ path }) => /archive\/\.checkpoint/u.test(path)],
  [
    "the one of the journal, of a finished turn",
    journalOf,
    ({ path, count }) => path.endsWith("events.jsonl") && count === 3,
  ],
  ["the one of what an agent said", turnsOf, ({ path }) => path.endsWith(".out")],
  ["the one of an exit record", turnsOf, ({ path }) => path.includes(".exit")],
  [
    "the one of the folder of turns, at the end of one",
    turnsOf,
    ({ path, before }) => path.endsWith("turns") && /^rename .*\.exit$/u.test(before),
  ],
];

const skipped = missing("strace");
if (skipped !== undefined) console.warn(skipped);

describe.skipIf(skipped !== undefined)("the built command, by its system calls", () => {
  test.for(isLong ? lives : lives.slice(-1))(
    "keeps what it acted upon in every crash state of %s",
    async ([, live]) => {
      const { at, runId, calls } = await live();
      const folder = join(at.repo, ".git/quasar/runs");
      const disk = filesOf(replayed(calls), "/quasar/runs");
      expect(disk).toEqual(filesOfDisk(folder, "/quasar/runs"));
      for (const observerOf of [checkpointOf, journalOf, bothOf, turnsOf]) {
        const observer = observerOf(runId);
        expect(observer.observe(replayed(calls))).toBeDefined();
        const report = exploreTrace({ calls, ...observer });
        const { bad, findings, crashPoints, states, sampledPoints } = report;
        expect(findings).toEqual([]);
        expect(bad).toBe(0);
        expect(states).toBeGreaterThan(1000);
        console.log(
          `${crashPoints} crash points, ${states} states, ${sampledPoints} points sampled`,
        );
      }
    },
  );

  test("has the key of its seals on disk before it seals anything", async () => {
    const { userCalls } = await whole();
    const report = exploreTrace({ calls: userCalls, ...sealKey });
    expect(report.findings).toEqual([]);
    expect(report.states).toBeGreaterThan(10);
  });

  test("syncs a turn that is silent at its end, and a commit's branch by its folder", async () => {
    const at = place();
    const coder = join(at.root, "silent.sh");
    writeFileSync(coder, "#!/bin/sh\ncat > /dev/null; sleep 1.5; echo b > b.txt; echo Done.\n");
    chmodSync(coder, 0o755);
    const args = [...agents(at, oneCycle()), "--coder", `command:${coder}`];
    const run = await traced(at, ["run", "Write b.txt", ...args]);
    expect(run.code, run.stderr).toBe(0);
    const synced = (calls: readonly DiskCall[]) =>
      calls.flatMap((call) => (call.type === "sync" ? [call.path] : []));
    const turns = synced(run.calls).filter((path) => /\/turns(?:\/1\.|$)/u.test(path));
    // Once for each turn: the name of its exit record. What the coder wrote is synced with its file system.
    expect(turns.map((path) => basename(path))).toEqual(["turns", "turns"]);
    expect(synced(run.branchCalls)).not.toContain("/heads/main");
  });

  test("has a commit on its branch before it tells of it", async () => {
    const { branchCalls } = await whole();
    const calls = [...heads, ...branchCalls];
    const report = exploreTrace({ calls, ...branch });
    expect(report.findings).toEqual([]);
    expect(report.states).toBeGreaterThan(10);
    const mutate = without(({ path, before }) => path === "/heads" && /^rename /u.test(before));
    const unsynced = exploreTrace({ calls, ...branch, mutate, models: ["posix"] });
    expect(unsynced.bad).toBeGreaterThan(0);
  });

  test("would be seen to lose it without any one of its syncs", async () => {
    const { runId, calls } = await whole();
    for (const [name, observerOf, fits] of mutants) {
      const isSeen = TRIED.some((nth) => {
        const mutate = without(fits, nth);
        const report = exploreTrace({ calls, ...observerOf(runId), mutate, models: ["posix"] });
        return report.bad > 0;
      });
      expect(isSeen, name).toBe(true);
    }
  });
});
