import { expect, test } from "vitest";
import { wordsOf } from "./tree.ts";

test.for([
  [{ advice: undefined, override: undefined }, "HEAD is lost"],
  [{ advice: "git fsck", override: undefined }, "HEAD is lost; git fsck"],
  [
    { advice: undefined, override: "accept-head" },
    "HEAD is lost; atlas retry, which takes it as it is",
  ],
  [
    { advice: "git fsck", override: "accept-head" },
    "HEAD is lost; git fsck, or atlas retry, which takes it as it is",
  ],
] as const)("of %j a person reads each way on, and no half of one", ([ways, words]) => {
  expect(wordsOf({ message: "HEAD is lost", ...ways })).toBe(words);
});
