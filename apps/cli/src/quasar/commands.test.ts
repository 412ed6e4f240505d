import { expect, test } from "vitest";
import { COMMANDS as ATLAS } from "../atlas/commands.ts";
import { COMMANDS as QUASAR } from "./commands.ts";

test("no line of a description is broken by hand and by a terminal of 80 columns", () => {
  const descriptions = [...QUASAR, ...ATLAS].flatMap(({ description = "" }) => description);
  const broken = descriptions.filter((each) => each.includes("\n"));
  expect(broken).not.toEqual([]);
  const lines = broken.flatMap((each) => each.split("\n"));
  expect(lines.filter((line) => line.length > 79)).toEqual([]);
});
