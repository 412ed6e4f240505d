import { expect, test } from "vitest";
import { createBell } from "./bell.ts";

test.for([
  ["at a terminal after half a minute", true, 30_000, "\u0007"],
  ["not at a terminal after less", true, 29_999, ""],
  ["not where the output goes elsewhere", false, 3_600_000, ""],
] as const)("the bell rings %s", ([, isTTY, ms, rung]) => {
  let written = "";
  let time = 1_000;
  const stream = { isTTY, write: (text: string | Uint8Array) => ((written += String(text)), true) };
  const ring = createBell(stream, () => time);
  time += ms;
  ring();
  expect(written).toBe(rung);
});
