import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { currentProcess } from "@quasar/process";
import { expect, test, vi } from "vitest";
import { aTask, type ATask, aTaskAt } from "../../test/stored-task.ts";
import { SECOND } from "../../test/interrupted.ts";
import { aTimer } from "../../test/timer.ts";
import type { HookFileStore } from "../store/store.ts";
import {
  claimTask,
  type ClaimTaskOptions,
  HEARTBEAT_INTERVAL,
  lastHeartbeat,
  lockTask,
} from "./task-owner.ts";

const never = (): never => expect.unreachable();

function claim(task: ATask, options: Partial<ClaimTaskOptions> = {}) {
  const timer = aTimer();
  const { store, now } = task;
  const lock = lockTask(task.dir);
  const { wait } = timer;
  const claimed = claimTask({
    ...{ store, now, lock, runId: "run-1", wait, onError: never },
    ...options,
  });
  return { ...claimed, timer };
}

test("who claims a task is recorded, and holds run.lock", () => {
  const task = aTaskAt("implement");
  const { owner } = claim(task);
  expect(owner).toEqual({ ...currentProcess(), runId: "run-1" });
  expect(task.store.read()?.owner).toEqual(owner);
  const error = { code: "ERR_LOCKED", owner: currentProcess() };
  expect(() => lockTask(task.dir)).toThrow(expect.objectContaining(error));
});

test("a heartbeat comes at once and then every 15 seconds, and leaves the hook file alone", async () => {
  const task = aTaskAt("implement");
  const { timer } = claim(task);
  const { revision } = task.store.read() ?? {};
  expect(HEARTBEAT_INTERVAL).toBe(15 * SECOND);
  expect(timer.waiting()).toBe(15 * SECOND);
  expect(lastHeartbeat(task.dir, "run-1")).toBe("2026-01-02T03:04:05.000Z");
  task.pass(15 * SECOND);
  await timer.elapse();
  expect(lastHeartbeat(task.dir, "run-1")).toBe("2026-01-02T03:04:20.000Z");
  expect(lastHeartbeat(task.dir, "run-2")).toBeUndefined();
  expect(task.store.read()?.revision).toBe(revision);
});

test("a heartbeat that fails is reported, and the next one comes", async () => {
  const task = aTaskAt("implement");
  const onError = vi.fn<(error: unknown) => void>();
  const heartbeat = join(task.dir, "heartbeat.json");
  mkdirSync(heartbeat);
  const { timer } = claim(task, { onError });
  expect(onError).toHaveBeenCalledTimes(1);
  rmSync(heartbeat, { recursive: true });
  await timer.elapse();
  expect(lastHeartbeat(task.dir, "run-1")).toBeDefined();
});

test.for(["", "{", "[]", "null", '{"run_id":"run-1","beat_at":5}', "x".repeat(5000)])(
  "a heartbeat that cannot be read is none: %.10s",
  (text) => {
    const { dir } = aTask();
    writeFileSync(join(dir, "heartbeat.json"), text);
    expect(lastHeartbeat(dir, "run-1")).toBeUndefined();
  },
);

test("a release frees the lock, takes the owner out and ends the heartbeat, once", async () => {
  const task = aTaskAt("pending");
  const { release, timer } = claim(task);
  release();
  release();
  expect(task.store.read()).not.toHaveProperty("owner");
  await timer.elapse();
  expect(timer.waiting()).toBeUndefined();
  expect(existsSync(join(task.dir, "heartbeat.json"))).toBe(false);
  lockTask(task.dir).release();
});

test.for(["initializing", "implement", "validating"] as const)(
  "a release in the middle of %s leaves the owner, so that the interruption is seen",
  (place) => {
    const task = aTaskAt(place);
    const { owner, release } = claim(task);
    release();
    expect(task.store.read()?.owner).toEqual(owner);
    lockTask(task.dir).release();
  },
);

test("a release takes nobody else's name out", () => {
  const task = aTaskAt("pending");
  const { owner, release } = claim(task);
  const other = { ...owner, runId: "run-2" };
  task.store.update((hook) => ({ hook: { ...hook, owner: other }, events: [] }));
  release();
  expect(task.store.read()?.owner).toEqual(other);
});

test("the lock is free even if the owner could not be taken out", () => {
  const task = aTaskAt("pending");
  const update = vi.fn<HookFileStore["update"]>(task.store.update);
  const { release } = claim(task, { store: { ...task.store, update } });
  update.mockImplementation(() => {
    throw new Error("the disk is full");
  });
  expect(release).toThrow("the disk is full");
  lockTask(task.dir).release();
});

test("the heartbeat ends with the signal", async () => {
  const task = aTaskAt("implement");
  const controller = new AbortController();
  const { timer } = claim(task, { signal: controller.signal });
  controller.abort();
  await timer.elapse();
  expect(timer.waiting()).toBeUndefined();
  expect(readFileSync(join(task.dir, "heartbeat.json"), "utf8")).toContain("03:04:05");
});
