import { expect, test } from "vitest";
import { nameBeside } from "./move-branch.ts";

test.for([
  ["a branch of the same name", "d", "d", [], "d-before"],
  ["a branch below the one to be made", "d/x", "d", ["d/y"], "d-before/x"],
  ["a branch above the one to be made", "d", "d/x", [], "d-before"],
  ["one whose new name is taken", "d", "d", ["d-before", "d-before-2/x"], "d-before-3"],
  ["one whose new folder is a branch", "d/x", "d", ["d-before"], "d-before-2/x"],
  ["one whose new name is the one to be made", "d", "d-before/x", [], "d-before-2"],
] as const)("has a free name for %s", ([, branch, room, others, free]) => {
  expect(nameBeside(branch, room, [branch, ...others])).toBe(free);
});
