import type { ValidationReceipt, Verdict } from "@quasar/receipts";
import { widthOf } from "@quasar/runs/text";
import type { TaskRecord } from "@quasar/tasks";
import { expect, test } from "vitest";
import {
  A_RECEIPT,
  A_TASK,
  aHook,
  after,
  checkpoint,
  DONE,
  SET_UP,
  START,
} from "../../../test/atlas/a-hook.ts";
import type { View } from "../../shared/output/text.ts";
import { type PictureFacts, pictureLines } from "./picture.ts";

const PLAIN: View = { columns: undefined, paint: (_style, text) => text, live: false };

const A_RESULT: TaskRecord["stepResults"][number] = {
  stepIndex: 0,
  stepName: "git_pr",
  attempt: 1,
  status: "success",
  startedAt: "2026-01-17T14:42:15.123Z",
  completedAt: "2026-01-17T14:42:27.423Z",
  durationMs: 1,
  output: "",
  filesChanged: [],
  metadata: {},
};

const COST = { spentUsd: 0.5, unknownUsd: 0, runs: [], problems: [] };

function picture(change: Partial<PictureFacts>, view: View = PLAIN): readonly string[] {
  const facts: PictureFacts = {
    hook: aHook(SET_UP, START, DONE, START),
    task: A_TASK,
    verdicts: new Map(),
    chain: { kind: "valid", problems: [], here: 0, signed: undefined, tail: "proved" },
    problems: [],
    quarantined: [],
    owner: undefined,
    now: after(10).getTime(),
    cost: COST,
    next: ["atlas resume   # continue"],
    ...change,
  };
  return pictureLines(facts, view);
}

const RECEIPT: ValidationReceipt = {
  ...A_RECEIPT,
  receiptId: "rcpt-1",
  stepName: "implement",
  command: "npm test",
};

test("the newest pull request is shown", () => {
  const results = [{ pr_url: "https://x/1" }, { pr_url: "https://x/2\u001b[2J" }, {}];
  const task = { ...A_TASK, stepResults: results.map((metadata) => ({ ...A_RESULT, metadata })) };
  expect(picture({ task })).toContain("  PR       https://x/2\\u{1b}[2J");
  expect(picture({}).join("\n")).not.toContain("  PR");
});

test("the picture of a running task", () => {
  const steps = [SET_UP, START, DONE, START, checkpoint("nil checks are in", 8)];
  expect(picture({ hook: aHook(...steps) }).join("\n")).toMatchInlineSnapshot(`
    "fix null pointer in config
      task     task-1 (bugfix)
      in       /src/repo-fix-config, branch fix/fix-config
      cost     $0.50 of $5.00

      ✓ analyze    done     1:00
      ▶ implement  running  6:00  attempt 1 of 3
      · review

    Hook State: step_running (implement, attempt 1)
    Last Checkpoint: ckpt-a1a1a1a1a1a1a1a1 (2 min ago)
      saved    manual: nil checks are in
      next     atlas resume # continue"
  `);
});

// SPEC.md, statements 196, 197.
test("a second attempt and the last checkpoint are reported in the seed's words", () => {
  const again = { type: "attempt_failed", reason: "a test fails" } as const;
  const hook = aHook(SET_UP, START, DONE, START, again, checkpoint("x", 8));
  const lines = picture({ hook });
  expect(lines).toContain("Hook State: step_running (implement, attempt 2)");
  expect(lines).toContain("Last Checkpoint: ckpt-a1a1a1a1a1a1a1a1 (2 min ago)");
});

test("a task that waits says for what, at the step that asks", () => {
  const asks = { type: "human_required", kind: "review", reason: "Is it right?" } as const;
  const hook = aHook(SET_UP, START, DONE, START, DONE, START, asks);
  const lines = picture({ hook });
  expect(lines.find((line) => line.includes(" review "))).toMatch(/^ {2}\? review +waits/u);
  expect(lines).toContain("  waits    Is it right?");
});

test("an interrupted step is shown as interrupted, not as running", () => {
  const recovery = {
    detectedAt: after(9).toISOString(),
    crashType: "signal",
    lastKnownState: "step_running",
    wasValidating: false,
    recommendedAction: "retry_step",
    reason: "it is safe to try again",
  } as const;
  const hook = aHook(SET_UP, START, DONE, START, { type: "crash_detected", recovery });
  const lines = picture({ hook });
  expect(lines.find((line) => line.includes(" implement "))).toMatch(
    /^ {2}! implement {2}interrupted/u,
  );
  expect(lines.join("\n")).toContain("cut off  seen 1 min ago, in step_running: it is safe");
});

test.for<readonly [string, Verdict | undefined, string]>([
  ["valid", { kind: "valid", coverage: "full", output: "matches" }, "VALID ✓"],
  ["changed output", { kind: "valid", coverage: "full", output: "modified" }, "OUTPUT MODIFIED ✗"],
  ["forged", { kind: "invalid", reason: "exit_code differs", output: "matches" }, "INVALID ✗"],
  ["not looked at", undefined, "not verified here"],
])("a receipt has its verdict: %s", ([, verdict, text]) => {
  const hook = { ...aHook(SET_UP, START, DONE, START), receipts: [RECEIPT] };
  const counted = { ...hook, counts: { ...hook.counts, receipts: 1 } };
  const verdicts = new Map(verdict === undefined ? [] : [["rcpt-1", verdict]]);
  const line = picture({ hook: counted, verdicts }).find((one) => one.includes("rcpt-1")) ?? "";
  expect(line).toContain(`npm test: ${text}`);
  expect(line.includes("✓")).toBe(text.includes("✓"));
});

test.for([20, 40, 60, 80, 132])("nothing is wider than a terminal of %i columns", (columns) => {
  const wide = "a very long description of what is done here, and 漢字 ".repeat(8);
  const asks = { type: "human_required", kind: "review", reason: wide } as const;
  const hook = aHook(SET_UP, START, DONE, START, checkpoint(wide, 5), DONE, START, asks);
  const long = { ...hook, title: wide, worktreePath: `/${"x".repeat(300)}`, receipts: [RECEIPT] };
  for (const line of picture({ hook: long }, { ...PLAIN, columns })) {
    // The hanging text of labelled lines has at least 20 columns, and a command is never broken.
    expect(widthOf(line), line).toBeLessThanOrEqual(Math.max(columns, 34));
  }
});

test("text of others can neither act on the terminal nor begin a line", () => {
  const evil = "x\u001b[2J\u202e\nHook State: completed";
  const asks = { type: "human_required", kind: "review", reason: evil } as const;
  const began = { type: "start_step", workingOn: evil } as const;
  const hook = aHook(SET_UP, began, checkpoint(evil, 5), asks);
  const steps = hook.steps.map((step) => ({ ...step, name: evil, note: evil }));
  const currentStep = hook.currentStep && { ...hook.currentStep, stepName: evil };
  const foreign = { ...hook, steps, currentStep, title: evil, branch: evil, template: evil };
  const text = picture({ hook: foreign }).join("\n");
  for (const char of ["\u001b", "\u202e"]) expect(text).not.toContain(char);
  expect(text.match(/^Hook State:/gmu)).toHaveLength(1);
});

test("colours are of the terminal's, and none where it has none", () => {
  const paint: View["paint"] = (style, text) => `<${style}>${text}</${style}>`;
  expect(picture({}, { ...PLAIN, paint }).join("\n")).toContain("<green>✓</green>");
  expect(picture({}).join("\n")).not.toContain("<");
});
