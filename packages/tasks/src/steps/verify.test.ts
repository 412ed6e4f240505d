import { expect, test } from "vitest";
import type { AgentWork } from "../runs/agent-work.ts";
import type { WorkOutcome } from "./agent-work.ts";
import type { RunningStep } from "./step.ts";
import { createVerifyStep } from "./verify.ts";
import { parseVerdict } from "./verdict.ts";

test.for<readonly [string, string, readonly string[] | undefined]>([
  ["a pass", '{"passed": true, "issues": [], "summary": "fine"}', []],
  ["a pass that names an issue all the same", '{"passed": true, "issues": ["a"]}', ["a"]],
  ["issues", '{"passed": false, "issues": ["a", "b"]}', ["a", "b"]],
  [
    "issues with a weight",
    '{"passed": false, "issues": [{"severity": "major", "description": "a\\nb"}]}',
    ["major: a b"],
  ],
  ["a failure that names only a summary", '{"passed": false, "summary": "bad"}', ["bad"]],
  ["a failure that names nothing", '{"passed": false}', ["it did not pass, and no issue is named"]],
  ["JSON in a fence", 'Look:\n```json\n{"passed": true}\n```\n{more}', []],
  ["JSON between words", 'I say {"passed": false, "issues": ["a"]} to that', ["a"]],
  ["an approving review", "APPROVED: all well", []],
  ["a review with an issue", "ISSUE:\nSEVERITY: minor\nDESCRIPTION: a\n", ["minor: a"]],
  [
    "a structured review",
    '{"verdict": "changes_requested", "findings": [{"severity": "minor", "description": "a"}]}',
    ["minor: a"],
  ],
  ["a pass beside an issue in words", '{"passed": true}\n\nISSUE:\nDESCRIPTION: a', undefined],
  [
    "a pass beside a failure",
    '```json\n{"passed": true}\n```\n\n```json\n{"passed": false, "summary": "b"}\n```',
    undefined,
  ],
  ["a pass in words", 'FAILED: a pass had been {"passed": true}, and this is none.', undefined],
  ["a pass in a fence that words deny", 'It failed.\n```json\n{"passed": true}\n```', undefined],
  ["a pass that is there twice", '{"passed": false, "issues": ["a"], "passed": true}', undefined],
  ["a pass beside an approval in words", '{"passed": true}\n\nAPPROVED: yes', []],
  ["nothing", "", undefined],
  ["words", "It looks good to me.", undefined],
  ["other JSON", '{"ok": true}', undefined],
  ["a pass that is a text", '{"passed": "true"}', undefined],
])("reads %s", ([, text, issues]) => {
  expect(parseVerdict(text)?.issues).toEqual(issues);
});

async function verify(result: WorkOutcome): Promise<readonly [unknown, readonly AgentWork[]]> {
  const asked: AgentWork[] = [];
  const step = createVerifyStep({
    workOnStep: async (_, work) => {
      asked.push(work);
      return result;
    },
  });
  const input = { definition: { timeoutMs: 5 }, prompt: "Look at it" };
  return [await step.run(input as unknown as RunningStep), asked];
}

const done = (text: string): WorkOutcome => ({ kind: "done", text, costUsd: 0.5 });

test("asks the reviewer, who only reads, and completes where nothing is found", async () => {
  const [outcome, asked] = await verify(done('{"passed": true, "summary": "all there"}'));
  expect(outcome).toMatchObject({ kind: "completed", summary: "all there", costUsd: 0.5 });
  expect(asked).toMatchObject([{ kind: "review", access: "read", timeoutMs: 5 }]);
  expect(asked[0]?.prompt).toMatch(/^Look at it\n\nChange nothing\./);
});

test("has a person decide about what is found", async () => {
  const [outcome] = await verify(done('{"passed": false, "issues": ["no test", "a\\u001b[31m"]}'));
  expect(outcome).toMatchObject({
    kind: "awaiting",
    awaiting: "review",
    reason: "the verification found 2 issues: 1. no test; 2. a [31m",
  });
});

test("tells a person no more than can be read of very many or very long issues", async () => {
  const issues = Array.from({ length: 50 }, () => "x".repeat(5000));
  const [outcome] = await verify(done(JSON.stringify({ passed: false, issues })));
  const { reason } = outcome as { reason: string };
  expect(reason.length).toBeLessThan(3500);
  expect(reason).toMatch(/ and 40 more$/);
});

test.for(["", " \n", "Looks good!"])(
  "takes the answer %j for a failure, and has a new run asked",
  async (text) => {
    const [outcome] = await verify(done(text));
    expect(outcome).toMatchObject({
      ...{ kind: "failed", awaiting: "attempts", retryable: true, endsRun: true },
    });
  },
);

test("ends as the agent's work ends where that failed", async () => {
  const stopped = { kind: "stopped", why: "limit", message: "later" } as const;
  expect((await verify(stopped))[0]).toEqual(stopped);
});
