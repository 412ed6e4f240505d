import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { acquireLock } from "@quasar/durable";
import { byLane } from "@quasar/vitest/lane";
import { expect, onTestFinished, test } from "vitest";
import { createHookFileStore } from "../src/store/store.ts";
import { aTask } from "./a-task.ts";
import { temporaryFolders } from "./folder.ts";

const aFolder = temporaryFolders();
const UPDATES = byLane({ fast: 20, whole: 50, long: 5000 });
const PROCESSES = 8;

const script = fileURLToPath(new URL("updater.ts", import.meta.url));
/** A killed process leaves no compiled code behind; one that ends by itself does, for all others. */
const env = { ...process.env, NODE_COMPILE_CACHE: aFolder() };
const warmUp = createHookFileStore({ dir: aFolder() });
warmUp.create(aTask());
spawnSync(process.execPath, ["--no-warnings", script, warmUp.dir, "first", "1", "1"], { env });

/** Runs updaters of one name, one after the other, each killed in the midst of it. */
async function lane(
  dir: string,
  name: string,
  tally: { acknowledged: string[]; kills: number },
): Promise<void> {
  let count = 0;
  while (tally.acknowledged.length < UPDATES) {
    const child = start(dir, name, count + 1);
    const updates = 1 + Math.floor(Math.random() * 140);
    const told = await readLines(child, updates, () => tally.acknowledged.length >= UPDATES);
    tally.acknowledged.push(...told);
    tally.kills += 1;
    count += told.length + 1; // the one that was in flight may be there
  }
}

function start(dir: string, name: string, first: number): ChildProcess {
  const args = ["--no-warnings", script, dir, name, `${first}`];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Kills at a random instant after so many lines; resolves to all whole lines, once it is dead. */
function readLines(child: ChildProcess, count: number, isEnough: () => boolean): Promise<string[]> {
  let output = "";
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString("latin1");
      if (output.split("\n").length <= count && !isEnough()) return;
      setTimeout(() => child.kill("SIGKILL"), Math.random() * 15);
    });
    child.once("close", (code) => {
      if (code === null) resolve(output.split("\n").slice(0, -1));
      else reject(new Error(`an updater ended by itself, with ${code}`));
    });
  });
}

test(`8 processes with random SIGKILLs: ${UPDATES} acknowledged updates, none lost, no lock held`, {
  timeout: 120_000 + 500 * UPDATES,
}, async () => {
  const dir = aFolder();
  const store = createHookFileStore({ dir });
  store.create(aTask());
  const tally = { acknowledged: [] as string[], kills: 0 };
  // Others look at it meanwhile, without the lock.
  let seen = 0;
  const reader = setInterval(() => {
    const revision = store.read()?.revision ?? 0;
    expect(revision).toBeGreaterThanOrEqual(seen);
    seen = revision;
  }, 150);
  onTestFinished(() => clearInterval(reader));
  const names = Array.from({ length: PROCESSES }, (_, index) => `p${index}`);
  await Promise.all(names.map((name) => lane(dir, name, tally)));

  clearInterval(reader);
  expect(seen).toBeGreaterThan(1);
  acquireLock(join(dir, "hook.lock")).release(); // throws where it is held
  const opened = store.open();
  expect(opened?.problems.filter(({ code }) => code !== "torn_history")).toEqual([]);
  expect(store.open()).toMatchObject({ source: "current", problems: [] });

  const stored = [...store.checkpoints()].map(({ checkpointId }) => checkpointId);
  expect(new Set(stored).size).toBe(stored.length);
  expect(stored).toEqual(expect.arrayContaining(tally.acknowledged));
  expect(tally.acknowledged.length).toBeGreaterThanOrEqual(UPDATES);
  // What is there and was not acknowledged was in flight when its process was killed.
  expect(stored.length - tally.acknowledged.length).toBeLessThanOrEqual(tally.kills);

  const events = [...store.history()];
  expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index + 1));
  expect(opened?.hook.counts).toMatchObject({ events: events.length, checkpoints: stored.length });
  expect(opened?.hook.revision).toBe(events.length);
  expect(events.map(({ event }) => event).slice(-200)).toEqual(opened?.hook.history);
  expect(readdirSync(dir).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect(tally.kills).toBeGreaterThanOrEqual(PROCESSES);
});
