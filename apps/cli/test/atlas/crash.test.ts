import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createHookFileStore, transition } from "@quasar/hookfile";
import { expect, test } from "vitest";
import { git, lastRecord, quasar } from "../harness.ts";
import { holdingModel, releaseModel } from "../held.ts";
import { LONG } from "../scripts.ts";
import {
  agentsOf,
  atlas,
  atlasJson,
  type AtlasPlace,
  atlasPlace,
  FIX,
  scripted,
  startAtlas,
  taskDirOf,
  workTreeOf,
} from "./harness.ts";

/** Agents of whom the coder takes his time. */
function slow(at: AtlasPlace): readonly string[] {
  return scripted(
    at,
    FIX.slice(1).map((turn) => (turn.role === "coder" ? { ...turn, delayMs: LONG } : turn)),
  );
}

/** Agents of whom the coder continues after his first word only when he is released. */
async function held(at: AtlasPlace): Promise<readonly string[]> {
  const turns = FIX.slice(1).map((turn) => ({ ...turn, says: ["Reading"] }));
  return scripted(at, turns, await holdingModel(at, "coder"));
}

const START = ["start", "fix null pointer in config", "--template", "write"];

// SPEC.md, statements 195, 201, 202.
test("after kill -9 the picture tells of the crash, HOOK.md what to do, and resume continues", async () => {
  const at = atlasPlace();
  const running = startAtlas(at, [...START, ...(await held(at))]);
  expect(await running.sees("coder    works")).toBe(true);
  const busy = await atlas(at, ["resume"]);
  expect([busy.code, busy.stdout]).toEqual([6, ""]);
  const { pid } = running.child;
  expect(busy.stderr).toMatch(new RegExp(`^error: process ${pid} on .* drives the task$`, "mu"));
  expect(busy.stderr).toContain("atlas status");
  expect((await atlas(at, ["retry"])).stderr).toContain(`process ${pid} on `);
  // There is nothing to do but to wait, or to stop it.
  const next = [expect.stringContaining(`kill -INT ${pid} `)];
  expect(await atlasJson(at, ["status"])).toMatchObject({ code: 0, owner: { pid }, next });
  running.child.kill("SIGKILL");
  await running.finished;

  const status = await atlas(at, ["status"]);
  expect(status.stdout).toContain("Hook State: recovering (implement, attempt 1)");
  expect(status.stdout).toMatch(/^ {2}! implement +interrupted/mu);
  const there = { ...at, repo: workTreeOf(at) };
  const context = await atlas(there, ["hook", "context"]);
  expect(context.stdout).toContain("atlas resume");
  expect(readFileSync(join(taskDirOf(at), "HOOK.md"), "utf8")).toBe(context.stdout);
  const { choices } = await atlasJson(at, ["recover"]);
  expect(choices).toContainEqual(expect.objectContaining({ name: "resume" }));
  expect((await atlas(at, ["recover", "--apply", "approve"])).code).toBe(6);

  releaseModel(at);
  const resumed = await atlas(at, ["resume"]);
  expect(resumed.code, resumed.stderr).toBe(9);
  expect(resumed.stdout).toContain("recovered: step implement was interrupted");
  // The agent that had outlived its runner was followed: nothing was paid for twice.
  expect(git(there, "log", "--format=%s", "main..")).toBe("test: fix null pointer in config");
  const { cost } = await atlasJson(at, ["status"]);
  expect(cost).toMatchObject({ spentUsd: expect.closeTo(0.4) as number });
});

test("where a task's agent has outlived its engine, quasar does not work beside it", async () => {
  const at = atlasPlace();
  const running = startAtlas(at, [...START, ...slow(at)]);
  expect(await running.sees("coder    works")).toBe(true);
  const there = { ...at, repo: workTreeOf(at) };
  // The supervisor and its agent: before, it would end with the engine.
  const pids = async () => (await agentsOf(at)).flatMap((agents) => agents.pids);
  await expect.poll(async () => (await pids()).length).toBe(2);
  running.child.kill("SIGKILL");
  await running.finished;
  const beside = await quasar(there, ["run", "x", ...scripted(at)]);
  expect(beside.code, beside.stdout).toBe(6);
  expect(beside.stderr).toContain("works in this tree");
  // The first command after the crash, which nobody has looked at yet.
  const skipped = await atlasJson(there, ["skip", "--reason", "by hand"]);
  expect(skipped).toMatchObject({ code: 0, state: "step_pending" });
  expect((await atlas(there, ["abandon", "--yes"])).code).toBe(0);
  expect((await quasar(there, ["run", "x", ...scripted(at)])).code).toBe(0);
});

test("Ctrl-C saves and leaves with 130; an agent that works by HOOK.md alone then ends the step by a command", async () => {
  const at = atlasPlace();
  const running = startAtlas(at, [...START, ...slow(at), "--json"]);
  expect(await running.sees('"agent_start"')).toBe(true);
  expect((await atlas(at, ["step", "done", "--summary", "x"])).code).toBe(6);
  running.child.kill("SIGINT");
  const stopped = await running.finished;
  expect(stopped.code, stopped.stderr).toBe(130);
  const result = lastRecord(stopped);
  expect(result).toMatchObject({ type: "result", exit: 130, outcome: "interrupted" });
  expect(result["next"]).toContain("atlas resume   # continue");

  const there = { ...at, repo: workTreeOf(at) };
  expect((await atlas(there, ["recover", "--apply", "retry"])).code).toBe(0);
  // As an agent finds it that nobody drives.
  createHookFileStore({ dir: taskDirOf(at) }).update((hook) =>
    transition(hook, [{ type: "start_step" }], { now: new Date() }),
  );
  const done = await atlas(there, ["step", "done", "--summary", "written by hand"]);
  expect(done.code, done.stderr).toBe(0);
  expect(done.stdout).toContain("review is due");
  const { checkpoints } = await atlasJson(there, ["hook", "checkpoints"]);
  expect(checkpoints).toContainEqual(
    expect.objectContaining({ trigger: "step_complete", description: "written by hand" }),
  );
  scripted(at); // nobody is asked any more
  expect((await atlas(there, ["resume"])).code).toBe(9);
});
