import { expect, test, vi } from "vitest";
import { type ATask, aTaskAt, filesBelow, newestCheckpoint } from "../../test/stored-task.ts";
import { MINUTE } from "../../test/interrupted.ts";
import { aTimer, settled } from "../../test/timer.ts";
import { DEFAULT_AUTO_CHECKPOINTS } from "../checkpoints/auto-checkpoints.ts";
import { type IntervalCheckpointsOptions, startIntervalCheckpoints } from "./interval.ts";
import type { HookFileStore } from "../store/store.ts";

type Git = NonNullable<IntervalCheckpointsOptions["git"]>;

const CLEAN = { branch: "fix/null", dirty: false };
const never = (): never => expect.unreachable();

function start(task: ATask, options: Partial<IntervalCheckpointsOptions> = {}) {
  const timer = aTimer();
  const { interval } = DEFAULT_AUTO_CHECKPOINTS;
  const { store, now } = task;
  const git = async () => CLEAN;
  const { wait } = timer;
  const ticks = startIntervalCheckpoints({
    ...{ store, now, interval, git, wait, onError: never },
    ...options,
  });
  const tick = async (): Promise<void> => {
    task.pass(interval);
    await timer.elapse();
  };
  return { ...ticks, tick, timer };
}

// SPEC.md, statements 94, 113.
test("while a step runs there is a checkpoint every 5 minutes, which says when", async () => {
  const task = aTaskAt("implement");
  const { tick, timer } = start(task);
  expect(timer.waiting()).toBe(5 * MINUTE);
  await tick();
  await tick();
  expect(task.store.read()?.checkpoints).toMatchObject([
    { trigger: "interval", description: "Periodic checkpoint at 03:09:05", stepName: "implement" },
    { trigger: "interval", description: "Periodic checkpoint at 03:14:05", ...{ gitDirty: false } },
  ]);
});

// SPEC.md, statements 112.
test.for(["initializing", "pending", "validating", "waiting", "completed"] as const)(
  "a tick in another state writes nothing: %s",
  async (place) => {
    const task = aTaskAt(place);
    const before = filesBelow(task.dir);
    const git = vi.fn<Git>();
    const { tick } = start(task, { git });
    await tick();
    expect(filesBelow(task.dir)).toEqual(before);
    expect(git).not.toHaveBeenCalled();
  },
);

test("a step that ends while git is asked gets no checkpoint any more", async () => {
  const task = aTaskAt("implement");
  const git = async () => {
    task.happen({ type: "step_complete" });
    return CLEAN;
  };
  const { tick } = start(task, { git });
  await tick();
  expect(task.store.read()?.checkpoints).toEqual([]);
});

// SPEC.md, statements 114.
test.for(["stop", "signal"] as const)(
  "after %s no checkpoint is made, not by the tick in progress either",
  async (how) => {
    const task = aTaskAt("implement");
    const controller = new AbortController();
    const { promise, resolve } = Promise.withResolvers<typeof CLEAN>();
    const { tick, stop, timer } = start(task, { git: () => promise, signal: controller.signal });
    await tick();
    const stopped = how === "stop" ? stop() : controller.abort();
    resolve(CLEAN);
    await stopped;
    await settled();
    await tick();
    expect(timer.waiting()).toBeUndefined();
    expect(task.store.read()?.checkpoints).toEqual([]);
  },
);

test("a checkpoint that cannot be saved is reported, and the next tick tries again", async () => {
  const task = aTaskAt("implement");
  const onError = vi.fn<(error: unknown) => void>();
  const full = new Error("the disk is full");
  const update = vi.fn<HookFileStore["update"]>(task.store.update);
  update.mockImplementationOnce(() => {
    throw full;
  });
  const { tick } = start(task, { onError, store: { ...task.store, update } });
  await tick();
  expect(onError.mock.calls).toEqual([[full]]);
  expect(task.store.read()?.checkpoints).toEqual([]);
  await tick();
  expect(newestCheckpoint(task.store.read())?.trigger).toBe("interval");
  expect(onError).toHaveBeenCalledTimes(1);
});

test("two ticks never overlap, however long git takes", async () => {
  const task = aTaskAt("implement");
  const { promise, resolve } = Promise.withResolvers<typeof CLEAN>();
  const git = vi.fn<Git>(() => promise);
  const { tick } = start(task, { git });
  await tick();
  await tick();
  expect(git).toHaveBeenCalledTimes(1);
  resolve(CLEAN);
  await settled();
  await tick();
  expect(git).toHaveBeenCalledTimes(2);
});

// SPEC.md, statements 100.
test("an interval of 0 makes none", async () => {
  const task = aTaskAt("implement");
  const { tick, timer } = start(task, { interval: 0 });
  await tick();
  expect(timer.waiting()).toBeUndefined();
  expect(task.store.read()?.checkpoints).toEqual([]);
});
