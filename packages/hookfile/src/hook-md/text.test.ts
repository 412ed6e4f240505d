import { expect, test } from "vitest";
import { visibleLine, visibleLines } from "./text.ts";

test.for([
  ["a word", "parser.go", "parser.go"],
  ["lines", "a\nb\r\nc\rd", "a↵b↵c↵d"],
  ["a tab", "a\tb", "a b"],
  ["an escape sequence", "\u001b[31mred", "<U+001B>[31mred"],
  ["a NUL", "a\0b", "a<U+0000>b"],
  ["a change of direction", "abc\u202efed", "abc<U+202E>fed"],
  ["what has no width", "a\u200bb", "a<U+200B>b"],
  ["a variation selector", "⚠\ufe0f", "⚠<U+FE0F>"],
  ["a tag beyond the first plane", "\u{e0067}", "<U+E0067>"],
  ["half of a pair", "a\ud83d", "a<U+D83D>"],
  ["a space that is not U+0020", "a\u00a0b", "a<U+00A0>b"],
  ["blanks around", " \t\r\nx\n ", "x"],
  ["nothing but blanks", " \n\t", "(empty)"],
  ["nothing but what has no width", "\u200b", "<U+200B>"],
  ["letters of any script, and signs", "Ünï 日本 عربي 🙂 e\u0301", "Ünï 日本 عربي 🙂 e\u0301"],
] as const)("on a line, %s shows", ([, text, shown]) => {
  expect(visibleLine(text, 100)).toBe(shown);
});

test.for([
  ["lines", "a\n\nb\r\nc", "a\n\nb\nc"],
  ["a return that ends no line", "a\rb", "a<U+000D>b"],
  ["a tab", "\ta\n\tb", "a\n    b"],
  ["other separators of lines", "a\u2028b\u0085c", "a<U+2028>b<U+0085>c"],
  ["nothing", "", "(empty)"],
] as const)("in a fence, %s shows", ([, text, shown]) => {
  expect(visibleLines(text, 100)).toBe(shown);
});

test.for([
  ["as long as may be", "x".repeat(10), "x".repeat(10)],
  ["longer", "x".repeat(11), `${"x".repeat(9)}…`],
  ["of pairs", "🙂".repeat(11), `${"🙂".repeat(9)}…`],
  ["of returns", "\r\n".repeat(50) + "x".repeat(10), "x".repeat(10)],
  ["of hidden characters", "\u200b".repeat(3), "<U+200B><…"],
  ["longer than is checked", "x".repeat(1_000_000), `${"x".repeat(9)}…`],
  ["with line ends beyond what is checked", `a${"\r\n".repeat(1_000)}b`, `a${"↵".repeat(8)}…`],
] as const)("a line %s is cut to its length in code points", ([, text, shown]) => {
  expect(visibleLine(text, 10)).toBe(shown);
});

test("of an output the end is kept", () => {
  expect(visibleLines("0123456789abc", 10, "end")).toBe("…456789abc");
  expect(visibleLines(`${"x".repeat(1_000_000)}🙂end`, 5, "end")).toBe("…🙂end");
});
