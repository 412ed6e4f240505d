import { rmSync } from "node:fs";
import { join } from "node:path";
import { findTaskAgents } from "@quasar/tasks";
import { expect, test } from "vitest";
import { lastRecord, type Running } from "../harness.ts";
import { holdingModel, releaseModel, takeOver } from "../held.ts";
import {
  atlas,
  type AtlasPlace,
  atlasPlace,
  FIX,
  scripted,
  startAtlas,
  taskDirOf,
} from "./harness.ts";

interface Held {
  readonly at: AtlasPlace;
  readonly engine: Running;
  readonly taskDir: string;
  readonly lock: string;
}

/** A task whose coder is in the middle of its turn. */
async function held(): Promise<Held> {
  const at = atlasPlace();
  const model = await holdingModel(at, "coder");
  const turns = FIX.slice(1).map((turn) => ({ ...turn, says: ["Reading"] }));
  const args = ["start", "Write", "--template", "write", "--json", ...scripted(at, turns, model)];
  const engine = startAtlas(at, args);
  expect(await engine.sees('"type":"agent_event"'), engine.stdout()).toBe(true);
  const taskDir = taskDirOf(at);
  expect(await findTaskAgents(taskDir)).toHaveLength(1);
  return { at, engine, taskDir, lock: join(taskDir, "run.lock") };
}

test("an engine keeps driving when its lock is removed, and no second one drives beside it", async () => {
  const { at, engine, taskDir, lock } = await held();
  const agents = await findTaskAgents(taskDir);
  rmSync(lock);
  const second = await atlas(at, ["resume", "--json"]);
  expect(second.code, second.stdout + second.stderr).toBe(6);
  expect(await findTaskAgents(taskDir)).toEqual(agents);
  releaseModel(at);
  const done = await engine.finished;
  expect(done.code, done.stdout + done.stderr).toBe(9);
});

test("an interrupt ends no agent of a task whose lock another process has", async () => {
  const { at, engine, taskDir, lock } = await held();
  const agents = await findTaskAgents(taskDir);
  takeOver(lock);
  engine.child.kill("SIGINT");
  const { code, stdout } = await engine.finished;
  expect(code, stdout).toBe(6);
  expect(lastRecord({ stdout })).toMatchObject({ type: "error", code: "ERR_LOCKED" });
  expect(await findTaskAgents(taskDir)).toEqual(agents);
  releaseModel(at);
});
