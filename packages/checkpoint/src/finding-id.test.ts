import { expect, test } from "vitest";
import { findingId } from "./finding-id.ts";

test.for([
  ["major", "missing nil check in a.go:12", "f-e67f8738fdc5"],
  ["major", "bad", "f-8b8e622349e8"],
  ["critical", "bad", "f-ab488000c9c2"],
  ["MAJOR", "missing nil check in a.go:12", "f-0acb9d483394"],
] as const)("is that of the Go original: %s, %s", ([severity, description, id]) => {
  expect(findingId(severity, description)).toBe(id);
});

test("trims what Go trims, and no more", () => {
  const goSpaces = "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000";
  expect(findingId("major", `${goSpaces}bad${goSpaces}`)).toBe(findingId("major", "bad"));
  expect(findingId("major", "\ufeffbad")).not.toBe(findingId("major", "bad"));
});

test("takes a megabyte of spaces in its stride", () => {
  const started = performance.now();
  findingId("major", `a${" ".repeat(1_000_000)}b`);
  // Minutes where every space is searched for an end of all that follow it.
  expect(performance.now() - started).toBeLessThan(30_000);
});
