import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { branchNameOf, checkWorkspaceName, workspaceNameOf } from "./names.ts";

const now = new Date("2026-11-22T10:20:30.400Z");

test.for([
  ["Fix null pointer in parseConfig!", "fix-null-pointer-in-parseconfig"],
  ["  a -- b__c / d  ", "a-b-c-d"],
  ["Crème brûlée", "creme-brulee"],
  [`${"a".repeat(49)} b`, "a".repeat(49)],
  ["x".repeat(80), "x".repeat(50)],
  ["直す", "task-20261122-102030"],
  ["../../etc", "etc"],
  ["", "task-20261122-102030"],
] as const)("calls the workspace of %j %s", ([description, name]) => {
  expect(workspaceNameOf(description, now)).toBe(name);
});

test("makes a name that can be one of any description", () => {
  assert(
    property(string({ unit: "binary", maxLength: 80 }), (description) => {
      const name = workspaceNameOf(description, now);
      expect(checkWorkspaceName(name)).toBe(name);
      expect(name.length).toBeLessThanOrEqual(50);
    }),
  );
});

test.for(["", "..", "a/b", "-a", ".a", "a.lock", "a b", "a\0", "x".repeat(61), "é"])(
  "refuses %j for a workspace",
  (name) => {
    const act = () => checkWorkspaceName(name);
    expect(act).toThrow(expect.objectContaining({ code: "ERR_UNSAFE_ID" }));
  },
);

test.for([
  [[], "fix/x"],
  [["refs/heads/main", "refs/tags/fix/x"], "fix/x"],
  [["refs/heads/fix/x"], "fix/x-20261122-102030"],
  [["refs/heads/Fix/X"], "fix/x-20261122-102030"],
  [["refs/remotes/origin/fix/x"], "fix/x-20261122-102030"],
  [["refs/heads/fix/x/y"], "fix/x-20261122-102030"],
  [["refs/heads/fix"], "fix-x"],
  [["refs/remotes/origin/fix", "refs/heads/fix-x"], "fix-x-20261122-102030"],
] as const)("beside %j the branch is %s", ([refs, name]) => {
  expect(branchNameOf({ prefix: "fix", workspace: "x", now }, refs)).toBe(name);
});
