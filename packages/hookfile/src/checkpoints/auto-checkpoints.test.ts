import { expect, test } from "vitest";
import { DEFAULT_AUTO_CHECKPOINTS, wantsCheckpoint } from "./auto-checkpoints.ts";
import { CHECKPOINT_TRIGGERS } from "../store/hook-file.ts";

// SPEC.md, statements 88.
test("every trigger makes a checkpoint with nothing set and nobody asking", () => {
  const wanted = CHECKPOINT_TRIGGERS.filter((trigger) =>
    wantsCheckpoint(DEFAULT_AUTO_CHECKPOINTS, trigger),
  );
  expect(wanted).toEqual(CHECKPOINT_TRIGGERS);
});

// SPEC.md, statements 94, 100.
test("the interval is 5 minutes unless it is set", () => {
  expect(DEFAULT_AUTO_CHECKPOINTS.interval).toBe(5 * 60 * 1000);
});

// SPEC.md, statements 95-99.
test.for([
  [95, "onCommit", "git_commit"],
  [96, "onPush", "git_push"],
  [97, "onPr", "pr_created"],
  [98, "onValidation", "validation"],
  [99, "onStepComplete", "step_complete"],
] as const)("%s: %s turns off checkpoints of %s and no other", ([, key, trigger]) => {
  const config = { ...DEFAULT_AUTO_CHECKPOINTS, [key]: false };
  const off = CHECKPOINT_TRIGGERS.filter((each) => !wantsCheckpoint(config, each));
  expect(off).toEqual([trigger]);
});

// SPEC.md, statements 100.
test("an interval of 0 turns off periodic checkpoints and no others", () => {
  const config = { ...DEFAULT_AUTO_CHECKPOINTS, interval: 0 };
  const off = CHECKPOINT_TRIGGERS.filter((each) => !wantsCheckpoint(config, each));
  expect(off).toEqual(["interval"]);
});
