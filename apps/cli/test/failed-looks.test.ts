import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  lastRecord,
  type Place,
  place,
  quasar,
  records,
  type Running,
  start,
  recordOf,
} from "./harness.ts";
import { holdingModel, releaseModel } from "./held.ts";
import { agents, oneCycle } from "./scripts.ts";

/** How many files a process may open from now on. */
function mayOpen({ child }: Running, files: number): void {
  execFileSync("prlimit", ["--pid", String(child.pid), `--nofile=${files}:4096`]);
}

/** A run whose coder is at work, until it is released. */
async function atWork(at: Place): Promise<Running> {
  const model = await holdingModel(at, "coder");
  const turns = oneCycle().map((turn) => ({ ...turn, says: ["Reading"] }));
  const running = start(at, ["run", "Write", "--json", ...agents(at, turns, { model })]);
  expect(await running.sees(recordOf("agent_event", 1, "coder"))).toBe(true);
  return running;
}

test("a turn whose files cannot be opened for a while is followed to its end", async () => {
  const at = place();
  const running = await atWork(at);
  mayOpen(running, 4);
  releaseModel(at);
  await sleep(2500);
  mayOpen(running, 1024);
  const done = await running.finished;
  expect(done.code, done.stdout + done.stderr).toBe(0);
  expect(turnsOf(done.stdout)).toEqual(["coder 1", "reviewer 1"]);
});

test("a turn whose files cannot be opened stops the run, its agent works on, and a resume reattaches", async () => {
  const at = place();
  const running = await atWork(at);
  mayOpen(running, 4);
  const stopped = await running.finished;
  expect(stopped.code, stopped.stdout + stopped.stderr).toBe(1);
  // What ends the run cannot be saved either: that is reported after it.
  const result = records(stopped.stdout).find(({ type }) => type === "result");
  expect(result).toMatchObject({ outcome: "storage", message: expect.stringContaining("EMFILE") });

  const status = lastRecord(await quasar(at, ["status", "--json"]));
  expect(status).toMatchObject({ runs: [{ openTurn: { role: "coder" } }] });
  const resuming = start(at, ["resume", "--json"]);
  expect(await resuming.sees('"how":"followed"')).toBe(true);
  releaseModel(at);
  const done = await resuming.finished;
  expect(done.code, done.stderr).toBe(0);
  expect(turnsOf(stopped.stdout + done.stdout)).toEqual(["coder 1", "reviewer 1"]);
  expect(lastRecord(done)).toMatchObject({ unknownUsd: 0 });
});

/** The turns that were begun, with their attempts. */
function turnsOf(stdout: string): readonly string[] {
  return records(stdout)
    .filter(({ type }) => type === "agent_start")
    .map(({ role, attempt }) => `${String(role)} ${String(attempt)}`);
}
