import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cut, oneLine, tail } from "./text.ts";

test.for([
  ["plain text", "plain text"],
  [" a\t b\r\nc\u2028d ", "a b c d"],
  ["\u001b]0;title\u0007", "]0;title"],
  ["a\u202eb\u2066c", "a b c"],
  ["a\u200eb\u200fc\u061cd", "a b c d"],
  ["\ud83d", "\ufffd"],
  ["👩\u200d💻", "👩\u200d💻"],
] as const)("makes one line of %j", ([text, expected]) => {
  expect(oneLine(text)).toBe(expected);
});

test("leaves no control in any text, and a line as it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const line = oneLine(text);
      expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      expect(oneLine(line)).toBe(line);
    }),
  );
});

test.for([
  ["abc", 3, "abc"],
  ["abcd", 3, "ab…"],
  ["a bcd", 3, "a…"],
  ["😀😀😀", 2, "😀…"],
] as const)("cuts %j to %d code points", ([text, limit, expected]) => {
  expect(cut(text, limit)).toBe(expected);
});

test("cuts no line of an output in two", () => {
  const whole = new Set(Array.from({ length: 400 }, (_, n) => `${n} ${"s".repeat(n)}`));
  const kept = tail([...whole].join("\n"));
  expect(kept.length).toBeLessThanOrEqual(2_000);
  expect(kept.split("\n").filter((line) => !whole.has(line))).toEqual([]);
  expect(kept.split("\n").length).toBeGreaterThan(3);
});

test("keeps the last lines of an output, cleaned", () => {
  const lines = Array.from({ length: 40 }, (_, index) => `\u001b[1mline ${index}\r`);
  const kept = tail(lines.join("\n")).split("\n");
  expect(kept).toHaveLength(12);
  expect(kept.at(-1)).toBe("[1mline 39");
  expect(tail("x".repeat(1e6))).toBe("(a line too long to show)");
  expect(tail(`${"x".repeat(1e6)}\nlast`)).toBe("(a line too long to show)\nlast");
  expect(tail("\n\n")).toBe("");
});
