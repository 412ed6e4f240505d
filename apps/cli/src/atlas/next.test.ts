import { expect, test } from "vitest";
import { aHook, SET_UP, START } from "../../test/atlas/a-hook.ts";
import { nextOf } from "./next.ts";

const OWNER = { pid: 4711, host: "here" } as Parameters<typeof nextOf>[2];
const WAITS = { type: "human_required", kind: "validation", reason: "none is configured" } as const;

test("while somebody drives a task, nothing is named that would be refused", () => {
  const hook = aHook(SET_UP, START);
  expect(nextOf(hook, undefined)).toEqual(["atlas resume   (go on)"]);
  expect(nextOf(hook, "fix-config", OWNER)).toEqual([
    "kill -INT 4711   (stops it, with all saved; then atlas resume fix-config)",
  ]);
});

test("who has no validation command is told how to name one: to try again alone would lead back", () => {
  expect(nextOf(aHook(SET_UP, START, WAITS), "fix-config")).toEqual([
    "atlas retry fix-config   (try the step again)",
    'atlas retry --validate "npm test" fix-config   (by another command)',
    expect.stringMatching(/^atlas skip /u),
  ]);
});

test("what is next after the end works from any folder", () => {
  const hook = aHook(SET_UP, { type: "abandon" });
  expect(nextOf(hook, undefined)).toEqual(["git -C /src/repo log fix/fix-config"]);
});
