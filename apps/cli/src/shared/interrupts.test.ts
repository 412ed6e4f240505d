import { afterEach, expect, test, vi } from "vitest";
import { listenForInterrupts } from "./interrupts.ts";

afterEach(() => void vi.restoreAllMocks());

/** What comes of signals, one after the other. */
function after(...names: readonly ("SIGINT" | "SIGTERM" | "SIGHUP")[]) {
  const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
  const told: string[] = [];
  const onSecond = vi.fn<() => Promise<void>>(() => new Promise(() => {}));
  const interrupts = listenForInterrupts((name) => void told.push(name), onSecond);
  try {
    for (const name of names) process.emit(name, name);
  } finally {
    interrupts.stop();
  }
  const { signal } = interrupts;
  const isLeft = exit.mock.calls.length > 0;
  return { told, code: interrupts.exitCode(), seconds: onSecond.mock.calls.length, signal, isLeft };
}

test("the first signal saves, the second leaves, the third does not wait", () => {
  const saved = { told: ["SIGINT"], code: 130, seconds: 0, isLeft: false };
  expect(after("SIGINT")).toMatchObject(saved);
  expect(after("SIGINT").signal.aborted).toBe(true);
  expect(after("SIGINT", "SIGTERM")).toMatchObject({ ...saved, seconds: 1 });
  expect(after("SIGINT", "SIGINT", "SIGINT")).toMatchObject({ isLeft: true });
});

test("a terminal that is closed says so more than once, and what it ends is saved all the same", () => {
  const saved = { told: ["SIGHUP"], code: 129, seconds: 0, isLeft: false };
  expect(after("SIGHUP", "SIGHUP", "SIGHUP")).toMatchObject(saved);
  expect(after("SIGINT", "SIGHUP")).toMatchObject({ told: ["SIGINT"], seconds: 0 });
  expect(after("SIGHUP", "SIGTERM")).toMatchObject({ told: ["SIGHUP"], seconds: 1 });
});
