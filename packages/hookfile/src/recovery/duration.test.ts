import { expect, test } from "vitest";
import { parseRetention } from "./duration.ts";

// SPEC.md, statements 156.
test.for([
  ["0", 0],
  ["250ms", 250],
  ["90s", 90_000],
  ["5m", 300_000],
  ["720h", 30 * 86_400_000],
  ["7d", 7 * 86_400_000],
  ["2w", 14 * 86_400_000],
  ["1h30m", 5_400_000],
  ["5m0s", 300_000],
  ["0d", 0],
] as const)("reads the duration %s", ([text, milliseconds]) => {
  expect(parseRetention(text)).toBe(milliseconds);
});

test.for([
  "",
  "7",
  "-7d",
  "+7d",
  "7 d",
  "7D",
  "1.5h",
  "7d ",
  "d",
  "7y",
  "1e3s",
  "9007199254740993ms",
  `${"9".repeat(400)}d`,
])("refuses the duration %j, a negative or senseless one", (text) => {
  const error = { name: "HookFileError", code: "ERR_INVALID_DURATION" };
  expect(() => parseRetention(text)).toThrow(expect.objectContaining(error));
});
