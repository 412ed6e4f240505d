import { execFileSync } from "node:child_process";
import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { expect, test } from "vitest";
import { branchOf } from "./branch.ts";

test.for([
  ["A b_c/d", "nebula/a-b-c-d"],
  ["..v1.2..3..", "nebula/v1.2.3"],
  ["x.lock.lock", "nebula/x"],
  ["x.lock-", "nebula/x"],
  [`${"a".repeat(59)}.b`, `nebula/${"a".repeat(59)}`],
  [`${"a".repeat(55)}.lock.b`, `nebula/${"a".repeat(55)}`],
  ["日本", "nebula/n-cf2abf0c"],
  [".lock", "nebula/lock"],
] as const)("the branch of %j", ([name, branch]) => {
  expect(branchOf(name)).toBe(branch);
});

const PARTS = [".", "-", "_", "/", " ", ".lock", "a", "B", "9", "@{", "~", "é", ".."] as const;

test("every name has a branch that git takes", () => {
  const made = array(constantFrom(...PARTS), { maxLength: 70 });
  const names = oneof(
    string({ unit: "binary" }),
    made.map((parts) => parts.join("")),
  );
  assert(
    property(names, (name) => {
      const branch = branchOf(name);
      expect(branch).toMatch(/^nebula\/[a-z0-9][a-z0-9.-]{0,59}$/u);
      execFileSync("git", ["check-ref-format", "--branch", branch], { stdio: "ignore" });
    }),
  );
});
