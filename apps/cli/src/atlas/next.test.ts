import type { HookFile, HookInput } from "@quasar/hookfile";
import { expect, test } from "vitest";
import { aHook, SET_UP, START } from "../../test/atlas/a-hook.ts";
import { nextOf } from "./next.ts";

const OWNER = { pid: 4711, host: "here" } as Parameters<typeof nextOf>[2];
const WAITS = { type: "human_required", kind: "validation", reason: "none is configured" } as const;

/** The same with a work tree that is there. */
function working(...inputs: readonly HookInput[]): HookFile {
  return { ...aHook(...inputs), worktreePath: import.meta.dirname };
}

test("while somebody drives a task, nothing is named that would be refused", () => {
  const hook = working(SET_UP, START);
  expect(nextOf(hook, undefined)).toEqual(["atlas resume   # continue"]);
  expect(nextOf(hook, "fix-config", OWNER)).toEqual([
    "kill -INT 4711   # stops it, with all saved; then atlas resume fix-config",
  ]);
});

test("who has no validation command is told how to name one: to try again alone would lead back", () => {
  expect(nextOf(working(SET_UP, START, WAITS), "fix-config")).toEqual([
    "atlas retry fix-config   # try the step again",
    'atlas retry --validate "npm test" fix-config   # by another command',
    expect.stringMatching(/^atlas skip /u),
  ]);
});

test("where the work tree was deleted nothing is named that would lead back there", () => {
  const repoPath = import.meta.dirname;
  const hook = { ...aHook(SET_UP, START, WAITS), repoPath };
  const back = (command: string): string =>
    `git -C ${repoPath} worktree add --force /src/repo-fix-config fix/fix-config && atlas ${command} fix-config   # only with what is committed: no turn of an agent is done again`;
  const anew = `atlas abandon fix-config && atlas start --from-task task-1 "…"   # a new task on its branch`;
  // What an agent had not committed is what the step would continue without.
  expect(nextOf(hook, "fix-config")).toEqual([anew, back("retry")]);
  const validating = hook.steps.map((step) => ({ ...step, type: "validation" as const }));
  expect(nextOf({ ...hook, steps: validating }, "fix-config")).toEqual([back("retry"), anew]);
  const here = { ...hook, worktreePath: "/src/gone", repoPath: "/src/gone" };
  expect(nextOf(here, "fix-config")).toEqual([anew]);
  expect(nextOf(aHook(), "fix-config")).toEqual(["atlas resume fix-config   # continue"]);
});

test("what is next after the end works from any folder", () => {
  const hook = aHook(SET_UP, { type: "abandon" });
  expect(nextOf(hook, undefined)).toEqual(["git -C /src/repo log fix/fix-config"]);
});
