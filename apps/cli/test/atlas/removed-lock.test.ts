import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lastRecord, type Running } from "../harness.ts";
import { holdingModel, releaseModel, takeOver } from "../held.ts";
import {
  agentsOf,
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
  expect(await agentsOf(at)).toHaveLength(1);
  return { at, engine, lock: join(taskDirOf(at), "run.lock") };
}

test("an engine keeps driving when its lock is removed, and no second one drives beside it", async () => {
  const { at, engine, lock } = await held();
  const agents = await agentsOf(at);
  rmSync(lock);
  const second = await atlas(at, ["resume", "--json"]);
  expect(second.code, second.stdout + second.stderr).toBe(6);
  expect(await agentsOf(at)).toEqual(agents);
  releaseModel(at);
  const done = await engine.finished;
  expect(done.code, done.stdout + done.stderr).toBe(9);
});

test("an interrupt ends no agent of a task whose lock another process has", async () => {
  const { at, engine, lock } = await held();
  const agents = await agentsOf(at);
  takeOver(lock);
  engine.child.kill("SIGINT");
  const { code, stdout } = await engine.finished;
  expect(code, stdout).toBe(6);
  expect(lastRecord({ stdout })).toMatchObject({ type: "error", code: "ERR_LOCKED" });
  expect(await agentsOf(at)).toEqual(agents);
  releaseModel(at);
});
