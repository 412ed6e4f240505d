import * as fc from "fast-check";
import { expect, test } from "vitest";
import { AGENT_TEXT, insertAgentText, removeAgentText } from "./agent-text.ts";

// SPEC.md, statements 159, 160, 161, 162, 163, 164.
test.for([
  ["is a section of its own", /^## ATLAS Task Recovery\n/],
  ["shows how to find the active hook", /^atlas hook context$/m],
  ["says to read all of it", /^1\. Read the ENTIRE output$/m],
  ["says to do exactly what it says", /^2\. Follow its "What To Do Now" section EXACTLY$/m],
  ["says not to restart", /^3\. Do NOT restart from the beginning$/m],
  ["says not to repeat completed steps", /^4\. Do NOT repeat completed steps/m],
] as const)("the text for agents %s", ([, pattern]) => {
  expect(AGENT_TEXT).toMatch(pattern);
});

// SPEC.md, statements 160.
test("the search by name comes after the command, marked as a fallback", () => {
  const [first, fallback] = AGENT_TEXT.split(/^FALLBACK, only /m);
  expect(first).not.toContain("ls ~");
  expect(fallback).toContain("ls ~/.atlas/workspaces/*/tasks/*/HOOK.md 2>/dev/null | head -1");
});

const BLOCK = `<!-- >>> atlas hook >>> -->\n${AGENT_TEXT}<!-- <<< atlas hook <<< -->`;

test.for([
  ["an empty file", "", `${BLOCK}\n`],
  ["a file", "# Project\n", `# Project\n\n${BLOCK}\n`],
  ["a file whose last line does not end", "# Project", `# Project\n\n${BLOCK}`],
  ["a file of CRLF", "# P\r\nx\r\n", `# P\r\nx\r\n\r\n${BLOCK.replaceAll("\n", "\r\n")}\r\n`],
  [
    "a file with our older text in its midst",
    "a\n\n<!-- >>> atlas hook >>> -->\nold $& text\n<!-- <<< atlas hook <<< -->\n\nb\n",
    `a\n\n${BLOCK}\n\nb\n`,
  ],
  [
    "a file with a start that never ends",
    "<!-- >>> atlas hook >>> -->\nkeep me\n",
    `<!-- >>> atlas hook >>> -->\nkeep me\n\n${BLOCK}\n`,
  ],
] as const)("the text is put into %s, and nothing else changes", ([, before, after]) => {
  expect(insertAgentText(before)).toBe(after);
});

const line = fc.constantFrom(
  "",
  "# Project",
  "  text ",
  "\ufeffx",
  "<!-- >>> atlas hook >>> -->",
  "see <!-- <<< atlas hook <<< --> there",
);
const file = fc
  .tuple(fc.array(line, { maxLength: 6 }), fc.constantFrom("\n", "\r\n", "\n\n"))
  .map(([lines, lineEnd]) => lines.join(lineEnd));

test("putting it in twice is once, and taking it out gives the file back", () => {
  fc.assert(
    fc.property(file, (text) => {
      const once = insertAgentText(text);
      expect(insertAgentText(once)).toBe(once);
      expect(removeAgentText(once)).toBe(text);
      expect(removeAgentText(text)).toBe(text);
    }),
    { numRuns: 2_000 },
  );
});

test("what was added behind the text stays when it is taken out", () => {
  expect(removeAgentText(`${insertAgentText("a\n")}\nb\n`)).toBe("a\n\nb\n");
});
