import { expect, test } from "vitest";
import { parseMerge } from "./parse-merge.ts";

const TREE = "a".repeat(40);
const CLEAN = [TREE, "", ""];
const entry = (path: string): string => `100644 ${"b".repeat(40)} 1\t${path}`;
const joined = (...fields: readonly string[]): string => fields.join("\0");

test("reads a clean merge, with messages or without", () => {
  const clean = { tree: TREE, conflicts: [] };
  expect(parseMerge(joined(...CLEAN))).toEqual(clean);
  const told = [TREE, "", "1", "f", "Auto-merging", "Auto-merging f\n", ""];
  expect(parseMerge(joined(...told))).toEqual(clean);
});

test("names each unmerged path by what a message says of it, else as unmerged", () => {
  const message = ["2", "f", "g", "CONFLICT (rename/delete)", "CONFLICT: f\ng\n"];
  const output = joined(TREE, entry("g"), entry("g"), entry("h"), "", ...message, "");
  expect(parseMerge(output)?.conflicts).toEqual([
    { path: "g", kind: "rename/delete", message: "CONFLICT: f g" },
    { path: "h", kind: "unmerged", message: "" },
  ]);
});

test("names the first path of a conflict that leaves none unmerged", () => {
  const message = ["2", "f", "g", "CONFLICT (new kind)", "text"];
  expect(parseMerge(joined(TREE, "", ...message, ""))?.conflicts).toEqual([
    { path: "f", kind: "new kind", message: "text" },
  ]);
});

test("passes over what git 2.39 advises about submodules, behind all messages", () => {
  const message = ["1", "sub", "CONFLICT (contents)", "Merge conflict in sub\n"];
  const output = joined(TREE, entry("sub"), "", ...message, "Recursive merging …");
  expect(parseMerge(output)?.conflicts).toHaveLength(1);
});

test.for([
  ["nothing", [""]],
  ["no tree", ["fatal: not a tree", "", ""]],
  ["an id alone", [TREE]],
  ["another form of entry", [TREE, "f", "", ""]],
  ["a stage that does not exist", [TREE, `100644 ${"b".repeat(40)} 4\tf`, "", ""]],
  ["fewer paths than are announced", [TREE, "", "3", "f", "type", "text", ""]],
  ["a count that is none", [TREE, "", "x", "f", "type", "text", ""]],
  ["no end", [TREE, "", "1", "f", "type", "text"]],
] as const)("does not understand %s", ([, fields]) => {
  expect(parseMerge(joined(...fields))).toBeUndefined();
});
