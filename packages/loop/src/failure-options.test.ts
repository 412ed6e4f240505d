import { expect, test } from "vitest";
import { failureOptions } from "./failure-options.ts";

const denied = (...allow: string[]) => ({ what: "npm test", allow });

test.for([
  ["what was denied", { denials: [denied("Bash(npm test *)")] }, ["Bash(npm test *)"]],
  ["each rule once", { denials: [denied("Edit", "Bash"), denied("Edit")] }, ["Edit", "Bash"]],
] as const)("offers %s", ([, failure, allowedTools]) => {
  expect(failureOptions(failure)).toEqual({ allowedTools });
});

test("offers twice the requests that a turn could make, and nothing for any other failure", () => {
  expect(failureOptions({ requests: 201 })).toEqual({ maxRequests: 400 });
  expect(failureOptions({})).toEqual({});
});
