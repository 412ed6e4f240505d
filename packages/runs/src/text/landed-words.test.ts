import { expect, test } from "vitest";
import { landedWords } from "./landed-words.ts";

test.for([
  [0, 0, 0, "no phases to land on nebula/x"],
  [1, 0, 0, "0 of 1 phase landed on nebula/x"],
  [1, 1, 0, "1 of 1 phase landed on nebula/x"],
  [1, 1, 1, "0 of 1 phase landed on nebula/x (1 made no changes)"],
  [4, 0, 0, "0 of 4 phases landed on nebula/x"],
  [4, 1, 0, "1 of 4 phases landed on nebula/x"],
  [4, 3, 0, "3 of 4 phases landed on nebula/x"],
  [4, 4, 0, "4 of 4 phases landed on nebula/x"],
  [4, 1, 1, "0 of 4 phases landed on nebula/x (1 made no changes)"],
  [4, 2, 2, "0 of 4 phases landed on nebula/x (2 made no changes)"],
  [4, 2, 1, "1 of 4 phases landed on nebula/x (1 more made no changes)"],
  [4, 4, 2, "2 of 4 phases landed on nebula/x (2 more made no changes)"],
  [4, 4, 4, "0 of 4 phases landed on nebula/x (4 made no changes)"],
] as const)("of %d phases, %d done, %d of them unchanged", (row) => {
  const [phaseCount, landedCount, unchangedCount, words] = row;
  const counts = { phaseCount, landedCount, unchangedCount };
  expect(landedWords(counts, "nebula/x")).toBe(words);
  expect(landedWords(counts)).toBe(words.replace(" on nebula/x", ""));
});
