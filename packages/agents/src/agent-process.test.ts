import { expect, test } from "vitest";
import { failureOfProcess } from "./agent-process.ts";
import type { ChildOutcome } from "./child.ts";

const PROGRAM = { title: "Claude Code", file: "claude", args: [], ownEnv: [], input: "" };
const STOPPED: ChildOutcome = {
  ...{ started: true, stopped: "requests", exitCode: 0, exitSignal: null },
  ...{ stderrTail: "", durationMs: 1, orphansEnded: 0 },
};

test("a turn that was stopped for its requests says how many it made", () => {
  expect(failureOfProcess(STOPPED, PROGRAM, { maxRequests: 200 }, 201)).toEqual({
    kind: "turn-limit",
    message: "Claude Code made 201 requests, more than one turn may make.",
    retryable: false,
    requests: 201,
  });
});
