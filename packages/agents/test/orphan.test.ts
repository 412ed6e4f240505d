import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants, existsSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { endRunProcesses, findRunProcesses } from "../src/run-processes.ts";
import { aDirectory } from "./request.ts";

const RUNNER = fileURLToPath(new URL("runner.ts", import.meta.url));

/** Starts a runner and kills it as soon as its agent has said something. */
async function killedRunner(runId: string): Promise<string> {
  const dir = aDirectory();
  const runner = spawn(process.execPath, [RUNNER, runId, dir]);
  let printed = "";
  while (!printed.includes('"text"')) printed += String(await once(runner.stdout, "data"));
  runner.kill("SIGKILL");
  await once(runner, "exit");
  return dir;
}

test("an agent outlives its killed runner, and works on to its end", async () => {
  const runId = `orphan-${process.pid}`;
  const dir = await killedRunner(runId);
  // The supervisor and the agent.
  expect(findRunProcesses(runId)).toHaveLength(2);
  writeFileSync(join(dir, "go"), "");
  await expect.poll(() => findRunProcesses(runId)).toEqual([]);
  expect(existsSync(join(dir, "late.txt"))).toBe(true);
});

test("the agent of a killed runner is found by the run's id and ended", async () => {
  const runId = `ended-${process.pid}`;
  const dir = await killedRunner(runId);
  const found = findRunProcesses(runId) ?? [];
  expect(found).toHaveLength(2);
  // With what a supervisor starts when its agent has ended.
  const ended = expect.arrayContaining([...found]) as unknown;
  expect(await endRunProcesses(runId)).toEqual({ ended, left: [] });
  expect(findRunProcesses(runId)).toEqual([]);
  // Nothing is left that waits for it.
  const fd = () => openSync(join(dir, "go"), constants.O_WRONLY | constants.O_NONBLOCK);
  expect(fd).toThrow("ENXIO");
  expect(existsSync(join(dir, "late.txt"))).toBe(false);
});

test("what ignores the signal is killed after the grace", async () => {
  const runId = `deaf-${process.pid}`;
  const env = { ...process.env, QUASAR_RUN_ID: runId };
  const script = "trap '' TERM; echo ready; while :; do sleep 1; done";
  const shell = spawn("/bin/sh", ["-c", script], { env, detached: true });
  await once(shell.stdout, "data");
  const started = performance.now();
  const ended = await endRunProcesses(runId, { graceMs: 300 });
  expect(ended?.ended).toContain(shell.pid);
  expect(ended?.left).toEqual([]);
  expect(performance.now() - started).toBeGreaterThan(300);
});

test("a run's id is not taken for another's that begins with it", async () => {
  const env = { ...process.env, QUASAR_RUN_ID: `longer-${process.pid}` };
  const other = spawn("sleep", ["600"], { env });
  try {
    expect(findRunProcesses(`longer-${process.pid}`)).toEqual([other.pid]);
    expect(findRunProcesses(`longer-${String(process.pid).slice(0, -1)}`)).toEqual([]);
  } finally {
    other.kill("SIGKILL");
  }
});

test.for(["", "a b", "a\0b"])("refuses %j as a run's id", (runId) => {
  const refusal = { name: "AgentsError", code: "ERR_INVALID_RUN_ID" };
  expect(() => findRunProcesses(runId)).toThrow(expect.objectContaining(refusal));
});
