import type { HookFile } from "@quasar/hookfile";
import { expect, test } from "vitest";
import { aHook, after, SET_UP, START } from "../../test/atlas/a-hook.ts";
import { choicesOf } from "./choices.ts";

const linesOf = (hook: HookFile): readonly string[] =>
  choicesOf(hook).map(({ command, meaning }) => `${command}: ${meaning}`);

const GIVE_UP = "atlas abandon: give the task up; branch, commits and files stay";

test("a review is approved, which names the git steps that will run, or rejected in one of two ways", () => {
  const waits = { type: "human_required", kind: "review", reason: "look at it" } as const;
  const hook = aHook(SET_UP, START, waits);
  const rest = [
    'atlas reject --feedback "what is wrong": send it back',
    "atlas reject --final: refuse it for good: the task has failed",
    GIVE_UP,
  ];
  const approve = "atlas approve: see what was done, accept it and continue";
  expect(linesOf(hook)).toEqual([approve, ...rest]);
  const steps = hook.steps.map((step) =>
    step.name === "implement" ? { ...step, type: "git" as const } : step,
  );
  const pushing = { ...hook, steps };
  expect(linesOf(pushing)).toEqual([`${approve}; implement will run`, ...rest]);
});

test("after a crash what is recommended comes first, and why", () => {
  const crash = {
    type: "crash_detected",
    recovery: {
      detectedAt: after(3).toISOString(),
      crashType: "signal",
      lastKnownState: "step_running",
      wasValidating: false,
      recommendedAction: "retry_step",
      reason: "analyze may be repeated",
    },
  } as const;
  expect(linesOf(aHook(SET_UP, START, crash))).toEqual([
    "atlas resume: do what is recommended (retry_step): analyze may be repeated",
    "atlas retry: try the step again",
    'atlas skip --reason "why": continue without the step: it is recorded as skipped',
    GIVE_UP,
  ]);
});
