import { expect, test } from "vitest";
import { outcomeJson, readOutcome } from "./outcome.ts";

const CAME = { as: "failed", reason: "broken" } as const;

test("an outcome says on which machine it came", () => {
  expect(readOutcome(outcomeJson({ came: CAME, machine: "one" }))).toEqual({
    ...{ came: CAME, machine: "one" },
  });
});

test.for([
  ["that of an earlier version", CAME],
  ["no text", { ...CAME, machine: 3 }],
  ["far too long", { ...CAME, machine: "x".repeat(2000) }],
] as const)("an outcome counts whatever is said of its machine: %s", ([, value]) => {
  expect(readOutcome(value)).toEqual({ came: CAME, machine: "" });
});

test("what is no outcome is refused", () => {
  expect(() => readOutcome({ as: "done", machine: "one" })).toThrow(
    expect.objectContaining({ code: "ERR_PROTOCOL" }),
  );
});
