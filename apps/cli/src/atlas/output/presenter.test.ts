import { expect, test } from "vitest";
import type { View } from "../../shared/output/text.ts";
import { TASK_PRESENTER, type TaskProgress } from "./presenter.ts";
import type { AtlasRecord } from "./record.ts";

const PLAIN: View = { columns: undefined, paint: (_style, text) => text, live: false };

const TASK: AtlasRecord = {
  type: "task",
  taskId: "task-1",
  workspaceId: "fix-config",
  description: "fix null pointer in config\nand more",
  template: "bugfix",
  workTree: "/src/repo-fix-config",
  branch: "fix/fix-config",
  coder: "claude",
  reviewer: "codex",
  turnBudgetUsd: 0,
  allowed: "coder: edits; a convenience, not a sandbox (docs/trust.md)",
  maxCycles: 3,
  maxBudgetUsd: 5,
  stepNames: ["analyze", "implement"],
};

const STARTED: AtlasRecord = {
  type: "step_started",
  step: "implement",
  stepType: "loop",
  index: 1,
  attempt: 2,
  maxAttempts: 3,
};

const CODER: AtlasRecord = {
  type: "loop",
  step: "implement",
  spentUsd: 0.25,
  event: { type: "agent_start", cycle: 1, role: "coder", turnId: "x.1", attempt: 1 },
};

const END: Extract<AtlasRecord, { readonly type: "result" }> = {
  type: "result",
  exit: 9,
  outcome: "awaiting",
  taskId: "task-1",
  state: "awaiting_human",
  step: "review",
  message: "Is it right?",
  retryAt: undefined,
  limit: undefined,
  spentUsd: 0.5,
  unknownUsd: 0.1,
  next: ["atlas approve"],
};

/** The lines of all records, and where they lead. */
function told(records: readonly AtlasRecord[], view: View = PLAIN): [string[], TaskProgress] {
  let progress = TASK_PRESENTER.idle;
  const lines = records.flatMap((record) => {
    progress = TASK_PRESENTER.advance(progress, record, 1000);
    return TASK_PRESENTER.lines(record, progress, view);
  });
  return [lines, progress];
}

test("a step is reported by its number, name, type and attempt", () => {
  const [lines] = told([TASK, STARTED]);
  expect(lines.at(-1)).toBe("step 2 of 2 implement (loop), attempt 2 of 3");
});

test("a start after a crash is none of the attempts that a step may have", () => {
  const [lines] = told([TASK, { ...STARTED, attempt: 4, failedAttempts: 1 }]);
  expect(lines.at(-1)).toBe("step 2 of 2 implement (loop), attempt 2 of 3, start 4");
});

test.for([
  ["retry_step", "implement may be repeated", "repeats the step"],
  ["retry_step", "no step had begun", "repeats the step: no step had begun"],
  ["retry_validation", "it was interrupted", "runs the validation again: it was interrupted"],
] as const)("what a resume does is told in words: %s, %s", ([action, reason, text]) => {
  const recovered = { step: "implement", lastState: "step_running", action, reason } as const;
  const [lines] = told([{ type: "recovered", ...recovered }]);
  expect(lines).toEqual(["recovered: step implement was interrupted", `  does     ${text}`]);
});

test("an attempt that a person added counts beyond the limit without naming it", () => {
  const [lines] = told([TASK, { ...STARTED, attempt: 4 }]);
  expect(lines.at(-1)).toBe("step 2 of 2 implement (loop), attempt 4");
});

test("what a step failed of keeps its lines, and is not repeated at the end", () => {
  const reason = "test failed: exit code 127\nsh: 1: tsc: not found\nInstall it.";
  const failed = { step: "validate", index: 1, reason, attempt: 1, goesOn: false } as const;
  const [lines] = told([TASK, { type: "step_failed", ...failed }, { ...END, message: reason }]);
  expect(lines.join("\n")).toContain(
    [
      "  failed   test failed: exit code 127",
      "           sh: 1: tsc: not found",
      "           Install it.",
    ].join("\n"),
  );
  expect(lines).toContain("  because  test failed: exit code 127");
  expect(lines.filter((line) => line.includes("tsc: not found"))).toHaveLength(1);
});

test("a failure whose first line announces the others does not end at the colon when it is told again", () => {
  const reason = "the remote refused it:\nremote: not today";
  const failed = { step: "git_push", index: 1, reason, attempt: 1, goesOn: false } as const;
  const [lines] = told([TASK, { type: "step_failed", ...failed }, { ...END, message: reason }]);
  expect(lines).toContain("  because  the remote refused it (see above)");
});

test("a step that is left out says why, and what shows it", () => {
  const [lines] = told([
    TASK,
    { type: "step_skipped", step: "git_push", index: 1, reason: "no remote", evidence: "none" },
  ]);
  expect(lines.slice(-2)).toEqual(["step 2 of 2 git_push", "  skipped  no remote (none)"]);
});

test("of an agent's turn by itself no cycle is reported, of a loop's it is", () => {
  const cycle: AtlasRecord = {
    type: "loop",
    step: "analyze",
    spentUsd: 0,
    event: { type: "cycle_start", cycle: 1 },
  };
  const single: AtlasRecord = { ...STARTED, stepType: "ai" };
  expect(told([TASK, single, cycle])[0].join("\n")).not.toContain("cycle 1");
  expect(told([TASK, STARTED, cycle])[0]).toContain("cycle 1 of 3");
});

test("the live block shows the step, its time, and who works", () => {
  const [, progress] = told([TASK, STARTED, CODER]);
  const block = TASK_PRESENTER.block(progress, 62_000, 80, PLAIN.paint);
  expect(block[0]).toContain("step 2 of 2 implement · 1:01");
  expect(block[1]).toContain("coder works · cycle 1 of 3");
});

test("the live block of an agent's turn by itself speaks of no cycle", () => {
  const [, progress] = told([TASK, { ...STARTED, stepType: "ai" }, CODER]);
  const block = TASK_PRESENTER.block(progress, 62_000, 80, PLAIN.paint);
  expect(block[1]).toContain("coder works · 1:01");
});

test("the live block shows the command that runs", () => {
  const command: AtlasRecord = { type: "command_started", step: "validate", command: "npm test" };
  const [, progress] = told([TASK, STARTED, command]);
  expect(TASK_PRESENTER.block(progress, 1000, 80, PLAIN.paint)[1]).toBe("  runs npm test");
});

test("a wait at a usage limit is reported with its time, and shown as long as it lasts", () => {
  const [until, waitMs] = ["2026-11-24T14:00:00.000Z", 3_600_000];
  const limit = { until, waitMs, isKnown: true, message: "All used up." };
  const waits: AtlasRecord = { type: "waiting", step: "implement", ...limit };
  const [lines, progress] = told([TASK, STARTED, CODER, waits]);
  expect(lines.join("\n")).toMatch(/ limit {4}All used up\.\n +waits until .*, 1 h: /u);
  const block = TASK_PRESENTER.block(progress, 61_000, 80, PLAIN.paint);
  expect(block[1]).toContain("waits for the usage limit · 59:00 left");
  const [, after] = told([TASK, STARTED, CODER, waits, CODER]);
  expect(TASK_PRESENTER.block(after, 1000, 80, PLAIN.paint)[1]).toContain("coder works");
});

test("an end by a usage limit says when it is lifted, and why it is not waited for", () => {
  const limit = "lifted at 14:00 (in 2 h); it is waited for at most 1 h";
  const [lines] = told([TASK, { ...END, outcome: "limit", message: "All used up.", limit }]);
  expect(lines).toContain("  because  All used up.");
  expect(lines).toContain(`  limit    ${limit}`);
});

test("nothing is live once the task stands still", () => {
  const waits: AtlasRecord = { type: "awaiting", step: "review", kind: "review", reason: "?" };
  const [, progress] = told([TASK, STARTED, CODER, waits]);
  expect(TASK_PRESENTER.block(progress, 1000, 80, PLAIN.paint)).toEqual([]);
});

test.for([
  ["completed", "completed"],
  ["interrupted", "interrupted in step review; everything is saved"],
] as const)("an end that is %s gives no reason", ([outcome, said]) => {
  const step = outcome === "completed" ? "" : "review";
  const [lines] = told([TASK, { ...END, outcome, step, message: "Said already." }]);
  expect(lines.slice(-3)).toEqual([
    said,
    "  cost     $0.40 known, up to $0.10 more, of $5.00",
    "  next     atlas approve",
  ]);
});

test("the end says what is waited for and what to type", () => {
  const [lines] = told([TASK, END]);
  expect(lines.slice(-4)).toEqual([
    "waits for you in step review",
    "  because  Is it right?",
    "  cost     $0.40 known, up to $0.10 more, of $5.00",
    "  next     atlas approve",
  ]);
});

test("what agents and commands say cannot act on the terminal or begin a line", () => {
  const evil = "x\u001b[2J\ncompleted";
  const [lines] = told([
    { ...TASK, description: evil, branch: evil },
    { ...STARTED, step: evil },
    { type: "step_done", step: evil, index: 1, durationMs: 1, summary: evil },
    { type: "step_failed", step: evil, index: 1, reason: evil, attempt: 1, goesOn: false },
    { type: "command_started", step: evil, command: evil },
    { ...END, step: evil, message: evil, next: [evil] },
  ]);
  const text = lines.join("\n");
  expect(text).not.toContain("\u001b");
  expect(text).not.toMatch(/^completed/mu);
});
