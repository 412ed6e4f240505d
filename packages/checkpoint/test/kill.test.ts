import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { byLane } from "@quasar/vitest/lane";
import { expect, onTestFinished, test } from "vitest";
import { createCheckpointFiles } from "../src/checkpoint-files.ts";
import type { LoadedCheckpoint } from "../src/store.ts";
import { temporaryFolders } from "./folder.ts";

const aFolder = temporaryFolders();
const ROUNDS = byLane({ fast: 8, whole: 30, long: 50_000 });
const LANES = 2;

/** A process that saves as fast as it can; what it acknowledged is counted. */
interface Saver {
  readonly process: ChildProcess;
  readonly acknowledged: () => number;
  readonly firstSave: Promise<void>;
  readonly end: Promise<void>;
}

const script = fileURLToPath(new URL("saver.ts", import.meta.url));
/** A killed process leaves no compiled code behind; one that ends on its own does, for all others. */
const env = { ...process.env, NODE_COMPILE_CACHE: aFolder() };
spawnSync(process.execPath, ["--no-warnings", script, aFolder(), "first", "1", "1"], { env });

function startSaver(dir: string, name: string, first = 1): Saver {
  const child = spawn(process.execPath, ["--no-warnings", script, dir, name, `${first}`], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  const firstSave = new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString("latin1");
      resolve();
    });
    child.once("close", () => reject(new Error("the saver ended before its first save")));
  });
  const end = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
  });
  const acknowledged = (): number => Number(output.trimEnd().split("\n").at(-1) ?? 0);
  return { process: child, acknowledged, firstSave, end };
}

/** Throws unless every line of the output is of the same save as the rest. */
function wholeCount(loaded: LoadedCheckpoint | undefined): number {
  if (loaded === undefined) throw new Error("the checkpoint is gone");
  const { runId, cycle, coderOutput } = loaded.checkpoint;
  const line = `${runId} ${cycle}\n`;
  const expected = line.repeat(Math.ceil(60_000 / line.length));
  if (coderOutput !== expected) throw new Error("the checkpoint is torn");
  return cycle;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test(`${ROUNDS} kills at random instants: nothing torn, lost or behind what was acknowledged`, {
  timeout: 120_000 + 1_000 * ROUNDS,
}, async () => {
  const tally = { rounds: 0, saves: 0, inFlight: 0 };
  const lane = async (dir: string): Promise<void> => {
    let last = 0;
    for (let round = 0; round < ROUNDS / LANES; round++) {
      const saver = startSaver(dir, "saver", last + 1);
      await saver.firstSave;
      await pause(Math.random() * 12);
      saver.process.kill("SIGKILL");
      await saver.end;
      const files = createCheckpointFiles({ dir });
      const found = files.load("auth-api");
      const count = wholeCount(found);
      const acknowledged = saver.acknowledged();
      expect(found).toMatchObject({ source: "current", problems: [] });
      expect([acknowledged, acknowledged + 1]).toContain(count);
      files.recover();
      expect(wholeCount(files.load("auth-api"))).toBe(count);
      expect(readdirSync(dir).filter((name) => name.endsWith(".tmp"))).toStrictEqual([]);
      tally.rounds += 1;
      tally.saves += count - last;
      if (count > acknowledged) tally.inFlight += 1;
      last = count;
    }
  };
  await Promise.all(Array.from({ length: LANES }, () => lane(aFolder())));
  expect(tally.rounds).toBe(ROUNDS);
  expect(tally.saves).toBeGreaterThan(ROUNDS);
});

test("two live savers and a reader for 2 s: no read is torn", async () => {
  const dir = aFolder();
  mkdirSync(dir);
  const savers = [startSaver(dir, "one"), startSaver(dir, "two")];
  onTestFinished(() => {
    for (const saver of savers) saver.process.kill("SIGKILL");
  });
  await Promise.all(savers.map((saver) => saver.firstSave));
  const files = createCheckpointFiles({ dir });
  const seen = new Set<string>();
  let reads = 0;
  const leastSaves = (): number => Math.min(...savers.map((saver) => saver.acknowledged()));
  const isEnough = (): boolean => reads > 1000 && seen.size === 2 && leastSaves() > 50;
  for (const until = performance.now() + 2000; performance.now() < until || !isEnough(); reads++) {
    const loaded = files.load("auth-api");
    wholeCount(loaded);
    expect(loaded).toMatchObject({ source: "current", problems: [] });
    seen.add(loaded?.checkpoint.runId ?? "");
    if (reads % 50 === 0) await pause(0); // lets the savers' acknowledgements in
  }
  for (const saver of savers) expect(saver.process.exitCode).toBeNull();
  expect([...seen].toSorted()).toStrictEqual(["one", "two"]);
});
