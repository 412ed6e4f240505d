import { expect, test } from "vitest";
import { sendSignal } from "./signal.ts";

test.for([1, -1, 0, Number.NaN])(
  "%d, which is no process of a user's alone, is not signalled",
  (pid) => {
    // Where it were, this process would be among those that end.
    expect(() => sendSignal(pid, "SIGURG")).toThrow(RangeError);
  },
);

test("a process that has gone is fine", () => {
  expect(() => sendSignal(2 ** 22 + 1, "SIGURG")).not.toThrow();
});
