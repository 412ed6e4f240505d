import { expect, test } from "vitest";
import { DEFAULT_AUTO_CHECKPOINTS, wantsCheckpoint } from "./auto-checkpoints.ts";
import { CHECKPOINT_TRIGGERS } from "../store/hook-file.ts";

test("every trigger makes a checkpoint with nothing set and nobody asking (seed atlas: 88)", () => {
  const wanted = CHECKPOINT_TRIGGERS.filter((trigger) =>
    wantsCheckpoint(DEFAULT_AUTO_CHECKPOINTS, trigger),
  );
  expect(wanted).toEqual(CHECKPOINT_TRIGGERS);
});

test("the interval is 5 minutes unless it is set (seed atlas: 94, 100)", () => {
  expect(DEFAULT_AUTO_CHECKPOINTS.interval).toBe(5 * 60 * 1000);
});

test.for([
  [95, "onCommit", "git_commit"],
  [96, "onPush", "git_push"],
  [97, "onPr", "pr_created"],
  [98, "onValidation", "validation"],
  [99, "onStepComplete", "step_complete"],
] as const)(
  "%s: %s turns off checkpoints of %s and no other (seed atlas: 95-99)",
  ([, key, trigger]) => {
    const config = { ...DEFAULT_AUTO_CHECKPOINTS, [key]: false };
    const off = CHECKPOINT_TRIGGERS.filter((each) => !wantsCheckpoint(config, each));
    expect(off).toEqual([trigger]);
  },
);

test("an interval of 0 turns off periodic checkpoints and no others (seed atlas: 100)", () => {
  const config = { ...DEFAULT_AUTO_CHECKPOINTS, interval: 0 };
  const off = CHECKPOINT_TRIGGERS.filter((each) => !wantsCheckpoint(config, each));
  expect(off).toEqual(["interval"]);
});
