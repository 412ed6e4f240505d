import { expect, test } from "vitest";
import { lostWords } from "./lost-words.ts";

test.for([
  [["/t"], true, "its state, at least 1 ref and 1 work tree"],
  [["/t"], false, "its state, 1 ref and 1 work tree"],
  [[], true, "its state, 1 ref and no work trees"],
] as const)("of the work trees %j, with a dry run: %s, it says: %s", ([trees, isDry, words]) => {
  expect(lostWords({ trees, refs: ["refs/quasar/nebula/a/1"] }, isDry)).toBe(words);
});
