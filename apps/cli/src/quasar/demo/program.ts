/** The program that the demo's agents fix: a real bug, and a real test that fails because of it. */

const BUGGY = `/** The middle of some numbers; between two middles, their mean. */
export function median(numbers) {
  const sorted = numbers.sort();
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
`;

/** Right for the failing test, and still wrong: it reorders its caller's array. */
const HALF_FIXED = BUGGY.replace("numbers.sort()", "numbers.sort((a, b) => a - b)");

const FIXED = BUGGY.replace("numbers.sort()", "numbers.toSorted((a, b) => a - b)");

const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { median } from "./median.js";

test("orders by value, not as text", () => {
  assert.equal(median([10, 9, 2]), 9);
});

test("takes the mean of two middles", () => {
  assert.equal(median([1, 2, 3, 4]), 2.5);
});
`;

const TEST_OF_FINDING = `${TEST}
test("leaves its caller's array alone", () => {
  const numbers = [3, 1, 2];
  median(numbers);
  assert.deepEqual(numbers, [3, 1, 2]);
});
`;

export const TASK = "Fix median(): its test fails";

/** The files before anybody works on them. */
export const FILES: Readonly<Record<string, string>> = {
  "median.js": BUGGY,
  "median.test.js": TEST,
  "package.json": `${JSON.stringify({ name: "demo", private: true, type: "module" }, null, 2)}\n`,
};

export const FINDING =
  "median() sorts the caller's own array. Sort a copy, and hold that by a test.";

/** What the coder writes, by cycle. */
export const CODER_FILES: readonly Readonly<Record<string, string>>[] = [
  { "median.js": HALF_FIXED },
  { "median.js": FIXED, "median.test.js": TEST_OF_FINDING },
];

/** The pretended agent: what it does in each turn, by what it is asked. */
export function script(): object {
  const [first, second] = CODER_FILES;
  return {
    turns: [
      {
        role: "coder",
        match: "sorts the caller",
        says: ["Reading median.js", "Sorting a copy with toSorted()", "Adding a test for it"],
        files: second,
        text: "median() sorts a copy now, and a test holds that.\n\nCOMMIT: Leave the caller's array alone in median()",
        costUsd: 0.04,
        delayMs: 3000,
      },
      {
        role: "coder",
        says: ["Running node --test", "sort() compares as text: 10 comes before 9"],
        files: first,
        text: "median() compares by value now.\n\nCOMMIT: Order by value, not as text, in median()",
        costUsd: 0.05,
        delayMs: 1600,
      },
      {
        role: "reviewer",
        match: "PRIOR FINDINGS",
        says: ["Reading the diff", "Running node --test"],
        text: `APPROVED: the data of the caller stays as it is.\n\nREPORT:\nSATISFACTION: high\nRISK: low\nNEEDS_HUMAN_REVIEW: no\nSUMMARY: median() orders a copy by value; two tests hold it.\n`,
        costUsd: 0.02,
        delayMs: 1200,
      },
      {
        role: "reviewer",
        says: ["Reading median.js", "Who calls it, and with what?"],
        text: `ISSUE:\nSEVERITY: major\nDESCRIPTION: ${FINDING}\n\nREPORT:\nSATISFACTION: medium\nRISK: medium\nNEEDS_HUMAN_REVIEW: no\nSUMMARY: The order is right, but the caller's array is changed.\n`,
        costUsd: 0.02,
        delayMs: 1200,
      },
    ],
  };
}
