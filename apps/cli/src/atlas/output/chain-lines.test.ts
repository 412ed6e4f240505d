import { expect, test } from "vitest";
import { receiptsText } from "./chain-lines.ts";

test.for([
  [
    2,
    1,
    "unproved",
    "2 are here, 1 of them named by the commit; receipts after them could be missing",
  ],
  [2, 2, "proved", "2 of 2 signed are here"],
  [1, 2, "proved", "1 of 2 signed are here"],
  [2, undefined, "unproved", "2 are here; receipts after them could be missing"],
  [0, undefined, "unproved", "0 are here"],
] as const)("%s receipts here and %s signed, the tail %s: %s", ([here, signed, tail, text]) => {
  expect(receiptsText({ here, signed, tail }, {})).toBe(text);
});

test("receipts beyond a head that is kept here are told from those that it counts", () => {
  const chain = { here: 3, signed: 1, tail: "proved" } as const;
  expect(receiptsText(chain)).toBe("3 are here, 1 of them on record");
});
