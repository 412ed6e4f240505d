import { expect, test } from "vitest";
import { readMarkdown } from "./read-markdown.ts";
import type { TextKind } from "./text.ts";

const SOURCE = `# Head

Prose with \`code\` and [a link](target.md).
<!-- a note -->

\`\`\`console
$ quasar screen
\`\`\`

\`\`\`ts
call("string"); // comment
\`\`\`

End.
`;

function texts(kind: TextKind): readonly string[] {
  return readMarkdown(SOURCE)
    .filter((text) => text.kind === kind)
    .map(({ text }) => text.trim().replaceAll(/\s+/g, " "));
}

test("reads prose, without code, screens, notes and targets of links", () => {
  expect(texts("prose")).toEqual(["# Head Prose with and [a link] . End.", "comment"]);
});

test("reads names in code and in examples", () => {
  expect(texts("identifier")).toEqual(["`code`", "call"]);
});

test("reads strings of examples", () => {
  expect(texts("string")).toEqual(["string"]);
});

test("keeps places", () => {
  for (const { text, start } of readMarkdown(SOURCE).slice(1)) {
    const word = text.trim();
    expect(SOURCE.slice(start + text.indexOf(word)).startsWith(word)).toBe(true);
  }
});
