import { expect, test, vi } from "vitest";
import { aTimer, settled } from "../../test/timer.ts";
import { repeat } from "./repeat.ts";

const never = (): never => expect.unreachable();

test("calls once each time that the interval is over", async () => {
  const timer = aTimer();
  const act = vi.fn<() => void>();
  repeat({ every: 50, act, onError: never, wait: timer.wait });
  expect(timer.waiting()).toBe(50);
  expect(act).toHaveBeenCalledTimes(0);
  await timer.elapse();
  await timer.elapse();
  expect(act).toHaveBeenCalledTimes(2);
});

test("two calls never overlap", async () => {
  const timer = aTimer();
  const { promise, resolve } = Promise.withResolvers<void>();
  const act = vi.fn<() => Promise<void>>(() => promise);
  repeat({ every: 50, act, onError: never, wait: timer.wait });
  await timer.elapse();
  expect(timer.waiting()).toBeUndefined();
  await timer.elapse();
  expect(act).toHaveBeenCalledTimes(1);
  resolve();
  await settled();
  expect(timer.waiting()).toBe(50);
});

test("a call that fails is reported, and the next one comes", async () => {
  const timer = aTimer();
  const onError = vi.fn<(error: unknown) => void>();
  const act = vi.fn<() => Promise<void>>().mockRejectedValueOnce("full");
  repeat({ every: 50, act, onError, wait: timer.wait });
  await timer.elapse();
  await timer.elapse();
  expect(onError.mock.calls).toEqual([["full"]]);
  expect(act).toHaveBeenCalledTimes(2);
});

test.for(["stop", "signal"] as const)("is ended by %s, once and for all", async (how) => {
  const timer = aTimer();
  const act = vi.fn<() => void>();
  const controller = new AbortController();
  const { signal } = controller;
  const { stop } = repeat({
    every: 50,
    act,
    onError: never,
    wait: timer.wait,
    signal,
  });
  await timer.elapse();
  if (how === "signal") controller.abort();
  await stop();
  await timer.elapse();
  expect(act).toHaveBeenCalledTimes(1);
});

test.for([
  ["gives up as it is told, which is no failure", (reason: unknown) => reason, 0],
  ["fails all the same, which is told", () => new Error("full"), 1],
] as const)("stop waits for the call in progress, which %s", async ([, thrown, told]) => {
  const timer = aTimer();
  const onError = vi.fn<(error: unknown) => void>();
  const ended: string[] = [];
  const act = async (signal: AbortSignal): Promise<void> => {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    ended.push("call");
    throw thrown(signal.reason) as Error;
  };
  const { stop } = repeat({ every: 50, act, onError, wait: timer.wait });
  await timer.elapse();
  await stop().then(() => ended.push("stop"));
  expect(ended).toEqual(["call", "stop"]);
  expect(onError).toHaveBeenCalledTimes(told);
});

test("0 means never", async () => {
  const timer = aTimer();
  const act = vi.fn<() => void>();
  const { stop } = repeat({ every: 0, act, onError: never, wait: timer.wait });
  expect(timer.waiting()).toBeUndefined();
  await stop();
  expect(act).not.toHaveBeenCalled();
});

test.for([-1, 0.5, Number.NaN, 2 ** 31])("refuses to call every %s ms", (every) => {
  const act = never;
  const error = { name: "HookFileError", code: "ERR_INVALID_DURATION" };
  expect(() => repeat({ every, act, onError: act })).toThrow(expect.objectContaining(error));
});

test("by itself it goes by real time, and does not keep the process alive", async () => {
  const act = vi.fn<() => void>();
  const { stop } = repeat({ every: 5, act, onError: never });
  await expect.poll(() => act.mock.calls.length).toBeGreaterThan(1);
  await stop();
});
