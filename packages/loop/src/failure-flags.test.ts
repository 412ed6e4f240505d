import { expect, test } from "vitest";
import { allowFlags, failureFlags } from "./failure-flags.ts";

test.for([
  ["a rule without a space", ["Bash"], "--allow-tool Bash"],
  ["a rule with a pattern", ["Bash(npm test *)"], '--allow-tool "Bash(npm test *)"'],
  ["a rule that a shell would expand", ["Bash(a $b *)"], "--allow-tool 'Bash(a $b *)'"],
  ["a rule with a quote", ["it's \\"], "--allow-tool 'it'\\''s \\'"],
  ["each rule once", ["Edit", "Bash", "Edit"], "--allow-tool Edit --allow-tool Bash"],
] as const)("names %s", ([, rules, flags]) => {
  expect(allowFlags(rules)).toBe(flags);
});

const DENIALS = [{ what: "npm test", allow: ["Bash(npm test *)"] }];

test.for([
  ["what was denied", { denials: DENIALS }, '--allow-tool "Bash(npm test *)"'],
  ["twice the requests that a turn could make", { requests: 201 }, "--max-requests 400"],
  ["nothing for any other failure", {}, ""],
] as const)("offers %s", ([, failure, flags]) => {
  expect(failureFlags(failure)).toBe(flags);
});
