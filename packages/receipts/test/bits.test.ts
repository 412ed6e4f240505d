import { byLane } from "@quasar/vitest/lane";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ValidationReceipt } from "../src/index.ts";
import { judgeReceipt } from "../src/judge.ts";
import { aPlace, type Place } from "./fixtures.ts";

let place: Place;
let receipts: readonly ValidationReceipt[];
beforeAll(() => {
  place = aPlace();
  receipts = [0, 1, 2].map((exitCode) => place.sign({ exitCode }).receipt);
});
afterAll(() => place.remove());

/** Each bit, or one in so many. */
const STEP = byLane({ fast: 97, whole: 3, long: 1 });

test("every bit flipped in a receipt's file is found", () => {
  const keys = { accounts: () => accounts };
  const accounts = place.keys.accounts();
  const accepted: string[] = [];
  let flips = 0;
  for (const [index, receipt] of receipts.entries()) {
    const bytes = place.file(receipt);
    const isValid = () => judgeReceipt(receipt, bytes, place.task, keys).verdict.kind === "valid";
    expect(isValid()).toBe(true);
    // In the short form each receipt has its third of the bits: all places, all fields.
    for (let bit = index % STEP; bit < bytes.length * 8; bit += STEP) {
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      if (isValid()) accepted.push(`bit ${bit} of receipt ${index}`);
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      flips += 1;
    }
  }
  expect(accepted).toEqual([]);
  expect(flips).toBeGreaterThan(byLane({ fast: 500, whole: 20_000, long: 60_000 }));
});

test("every bit flipped in a field of hook.json is found", () => {
  const accounts = place.keys.accounts();
  const accepted: string[] = [];
  let flips = 0;
  for (const receipt of receipts) {
    const bytes = place.file(receipt);
    for (const [field, value] of Object.entries(receipt)) {
      for (const flipped of flipsOf(value as string | number)) {
        const changed = { ...receipt, [field]: flipped };
        const { verdict } = judgeReceipt(changed, bytes, place.task, { accounts: () => accounts });
        if (verdict.kind === "valid") accepted.push(`${field} ${flipped}`);
        flips += 1;
      }
    }
  }
  expect(accepted).toEqual([]);
  expect(flips).toBeGreaterThan(9_000);
});

/** A value with each of its bits changed: of text the UTF-8, of a number the low 16. */
function* flipsOf(value: string | number): Generator<string | number> {
  if (typeof value === "number") {
    for (let bit = 0; bit < 16; bit += 1) yield value ^ (1 << bit);
    return;
  }
  const bytes = Buffer.from(value);
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    bytes[bit >> 3]! ^= 1 << (bit & 7);
    yield bytes.toString();
    bytes[bit >> 3]! ^= 1 << (bit & 7);
  }
}
