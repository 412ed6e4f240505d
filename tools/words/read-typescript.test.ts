import { expect, test } from "vitest";
import { readTypeScript } from "./read-typescript.ts";
import type { TextKind } from "./text.ts";

function texts(source: string, kind: TextKind): readonly string[] {
  return readTypeScript(source)
    .filter((text) => text.kind === kind)
    .map(({ text }) => text.trim().replaceAll(/\s+/g, " "));
}

test("reads names, but no keywords", () => {
  expect(texts("for (const a of b.c) if (#d in this) continue;", "identifier")).toEqual([
    "a",
    "b",
    "c",
    "#d",
  ]);
});

test.for([
  ["in quotes", `const a = "one" + 'two';`, ["one", "two"]],
  ["without what is escaped", String.raw`f("one\ntwo \"three\"")`, ["one two three"]],
  [
    "of a template, around what is filled in",
    "f(`one ${a} two ${b} three`)",
    ["one", "two", "three"],
  ],
  [
    "of a template in a template",
    "f(`one ${g({ a: `two ${b}` })} three`)",
    ["one", "two", "three"],
  ],
  ["after a regular expression with quotes", `f(/"/.test(a), "one")`, ["one"]],
  ["after a division", `f(a / 2, "one", b / 2)`, ["one"]],
] as const)("reads strings %s", ([, source, expected]) => {
  expect(texts(source, "string").filter((text) => text !== "")).toEqual(expected);
});

test.for([
  ["a block", "/** One\n * two. */\nf();", ["One two."]],
  [
    "lines that follow each other, as one",
    "  // One\n  // two.\n\nf(); // Three.",
    ["One two.", "Three."],
  ],
] as const)("reads comments: %s", ([, source, expected]) => {
  expect(texts(source, "prose")).toEqual(expected);
});

test("takes code in a comment for names", () => {
  expect(texts("// Calls `goOn` once.", "identifier")).toEqual(["`goOn`"]);
  expect(texts("// Calls `goOn` once.", "prose")).toEqual(["Calls once."]);
});

test("keeps places", () => {
  const source = "f(\n  `a ${b} c`, /* d */\n);";
  for (const { text, start } of readTypeScript(source)) {
    const word = text.trim();
    expect(source.slice(start + text.indexOf(word)).startsWith(word)).toBe(true);
  }
});
