import { expect, test } from "vitest";
import { fence, firstLine, oneLine, trimSpace, truncate } from "./text.ts";

test.for([
  ["spaces", "  a b \t", "a b"],
  ["a next-line sign, which JavaScript keeps", "\u0085a\u0085", "a"],
  ["not a byte order mark, which JavaScript cuts", "\ufeffa", "\ufeffa"],
  ["everything", " \n\u3000", ""],
] as const)("trims %s", ([, text, trimmed]) => {
  expect(trimSpace(text)).toBe(trimmed);
});

test("cuts by code points and marks the cut", () => {
  expect(truncate("😀😀😀", 2)).toBe("😀😀... [truncated]");
  expect(truncate("😀😀", 2)).toBe("😀😀");
  expect(firstLine("\n  first 😀 line\nsecond", 7)).toBe("first 😀");
});

test("joins lines by one space", () => {
  expect(oneLine(" a \r\n\n  b\u2028c ")).toBe("a b c");
});

test("fences text that has fences of its own", () => {
  expect(fence("a\n````\nb")).toBe("`````\na\n````\nb\n`````");
  expect(fence("a")).toBe("```\na\n```");
});

test("handles a megabyte of spaces in one pass", () => {
  const started = performance.now();
  oneLine(`a${" ".repeat(1_000_000)}b`);
  trimSpace(`${" ".repeat(1_000_000)}b`);
  fence("`a".repeat(500_000));
  // It takes milliseconds; with a look at all that follows for each space it takes minutes.
  expect(performance.now() - started).toBeLessThan(30_000);
});
