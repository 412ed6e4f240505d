import { expect, test } from "vitest";
import { plainLine, plainText, shellWord } from "./plain.ts";

test("makes hostile text one harmless line", () => {
  expect(plainLine("a\u001b[31m b\r\n\tc\u202e\u0000\u2028d\ud800")).toBe("a b c d\ufffd");
  expect(plainLine("äöü".repeat(10), 5)).toBe("äöüä…");
  expect(plainText("a\r\nb\u2028c\td\u0007")).toBe("a\nb\nc\td");
});

test("reads a megabyte of escapes that are never closed once", () => {
  const started = performance.now();
  plainText("\u001b]a;".repeat(250_000));
  expect(performance.now() - started).toBeLessThan(20_000);
});

test.for([
  ["fix/it", "fix/it"],
  ["", "''"],
  ["a b", "'a b'"],
  ["it's $(x)", "'it'\\''s $(x)'"],
  ["a\nrm -rf", "'a rm -rf'"],
] as const)("makes %j one word of a shell command", ([text, word]) => {
  expect(shellWord(text)).toBe(word);
});
