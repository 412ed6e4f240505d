import { type HookFile, type HookInput, transition } from "@quasar/hookfile";
import { decodeHookFile, encodeHookFile } from "@quasar/hookfile/internal";
import { expect, test } from "vitest";
import { assignRun, endRun, runName } from "./step-runs.ts";

const NOW = { now: new Date("2026-01-02T03:04:05Z") };

/** A task that is about to start its first step. */
function aHook(): HookFile {
  const names = { taskId: "task-1", workspaceId: "w", title: "t", description: "t" };
  const places = { branch: "fix/t", worktreePath: "/w", repoPath: "/r", keyIndex: 0 };
  const steps = [
    { name: "implement", type: "loop", maxAttempts: 3 },
    { name: "verify", type: "verify" },
    { name: "constructor", type: "ai" },
    { name: "review", type: "human", onReject: "implement" },
  ] as const;
  const task = { ...names, ...places, template: "bugfix", steps };
  return transition(undefined, [{ type: "init", task }, { type: "setup_complete" }], NOW).hook;
}

function after(hook: HookFile, ...inputs: readonly HookInput[]): HookFile {
  return transition(hook, inputs, NOW).hook;
}

/** As the engine starts a step: both in one update. */
function start(hook: HookFile, name: string): HookFile {
  return after(assignRun(hook, name), { type: "start_step" });
}

const CRASH: readonly HookInput[] = [
  {
    type: "crash_detected",
    recovery: {
      detectedAt: "2026-01-02T03:04:05.000Z",
      crashType: "signal",
      lastKnownState: "step_running",
      wasValidating: false,
      recommendedAction: "retry_step",
      reason: "it may be repeated",
    },
  },
  { type: "retry_step" },
];

function stopped(kind: "attempts" | "interrupted" | "git" | "review"): readonly HookInput[] {
  return [{ type: "human_required", kind, reason: "why" }, { type: "retry_step" }];
}

test("a step's first run is its first, and is called after the step", () => {
  const hook = start(aHook(), "implement");
  expect(runName(hook, "implement")).toBe("implement-1");
  expect(runName(hook, "verify")).toBe("verify-1");
  expect(hook.stepRuns).toEqual({ implement: 1 });
});

type Row = readonly [what: string, inputs: readonly HookInput[], number: number];
const rows: readonly Row[] = [
  ["a crash", CRASH, 1],
  ["two crashes", [...CRASH, { type: "start_step" }, ...CRASH], 1],
  ["a failure that a person has seen to", stopped("attempts"), 1],
  ["an interruption that a person has looked at", stopped("interrupted"), 1],
  ["a commit that failed", stopped("git"), 1],
  ["a review of what came of it", stopped("review"), 2],
  [
    "a reject while it was awaited",
    [
      { type: "human_required", kind: "interrupted", reason: "why" },
      { type: "human_reject", feedback: "not so" },
    ],
    2,
  ],
];
test.for(rows)("after %s an attempt has the run it should have", ([, inputs, number]) => {
  const hook = start(after(start(aHook(), "implement"), ...inputs), "implement");
  expect(runName(hook, "implement")).toBe(`implement-${number}`);
});

test("a reject gives new runs to the step that it goes to and to those after it, once", () => {
  let hook = after(start(aHook(), "implement"), { type: "step_complete" });
  for (const name of ["verify", "constructor"]) {
    hook = after(start(hook, name), { type: "step_complete" });
  }
  hook = after(
    start(hook, "review"),
    { type: "human_required", kind: "review", reason: "look" },
    { type: "human_reject", feedback: "not so" },
  );
  hook = start(hook, "implement");
  expect(runName(hook, "implement")).toBe("implement-2");
  hook = start(after(hook, ...CRASH), "implement");
  expect(runName(hook, "implement")).toBe("implement-2");
  for (const name of ["verify", "constructor"]) {
    hook = start(after(hook, { type: "step_complete" }), name);
    expect(runName(hook, name)).toBe(`${name}-2`);
  }
});

test("a verification whose findings were rejected is asked anew", () => {
  let hook = after(start(aHook(), "implement"), { type: "step_complete" });
  hook = after(
    start(hook, "verify"),
    { type: "human_required", kind: "review", reason: "it found" },
    { type: "human_reject", feedback: "fix it" },
  );
  expect(runName(start(hook, "verify"), "verify")).toBe("verify-2");
});

test("a reject that has left the newest events is still seen by the step that is to be done again", () => {
  let hook = after(start(aHook(), "implement"), { type: "step_complete" });
  for (const name of ["verify", "constructor"]) {
    hook = after(start(hook, name), { type: "step_complete" });
  }
  hook = after(
    start(hook, "review"),
    { type: "human_required", kind: "review", reason: "look" },
    { type: "human_reject", feedback: "not so" },
  );
  expect(runName(start({ ...hook, history: [] }, "implement"), "implement")).toBe("implement-2");
});

test("a run that was ended is followed by a new one, also within the same update", () => {
  const hook = start(aHook(), "implement");
  const failed = after(hook, { type: "attempt_failed", reason: "no" });
  expect(runName(assignRun(failed, "implement"), "implement")).toBe("implement-1");
  const ended = assignRun(endRun(failed, "implement"), "implement");
  expect(runName(ended, "implement")).toBe("implement-2");
  expect(assignRun(ended, "implement")).toBe(ended);
});

test("a hook file keeps the runs, and what others keep beside them", () => {
  const hook = start({ ...aHook(), extra: { mine: 1 } }, "implement");
  const ended = { ...endRun(hook, "implement"), revision: 1 };
  const read = decodeHookFile(encodeHookFile(ended));
  expect(read).toMatchObject({
    extra: { mine: 1 },
    stepRuns: { implement: 1 },
    endedRuns: { implement: 1 },
  });
  expect(runName(assignRun(read, "implement"), "implement")).toBe("implement-2");
});

test.for([
  ["a list", []],
  ["no number", { implement: "9" }],
  ["a number below 1", { implement: 0 }],
  ["nothing", null],
] as const)("a hook file with %s in the place of the runs is refused", ([, value]) => {
  const whole = Buffer.from(encodeHookFile({ ...aHook(), revision: 1 })).toString();
  const file = { ...(JSON.parse(whole) as object), step_runs: value };
  const damaged = Buffer.from(JSON.stringify(file));
  expect(() => decodeHookFile(damaged)).toThrow(
    expect.objectContaining({ code: "ERR_INVALID_HOOK_FILE" }),
  );
});

test("a step that is called as what every object has begins with its first run", () => {
  expect(runName(start(aHook(), "constructor"), "constructor")).toBe("constructor-1");
});
