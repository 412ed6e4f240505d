import * as fc from "fast-check";
import { expect, test } from "vitest";
import { AGENT_TEXT, insertAgentText, removeAgentText } from "./agent-text.ts";

test.for([
  ["is a section of its own (seed atlas: 159)", /^## ATLAS Task Recovery\n/],
  ["shows how to find the active hook (seed atlas: 160)", /^atlas hook context$/m],
  ["says to read all of it (seed atlas: 161)", /^1\. Read the ENTIRE output$/m],
  [
    "says to do exactly what it says (seed atlas: 162)",
    /^2\. Follow its "What To Do Now" section EXACTLY$/m,
  ],
  ["says not to restart (seed atlas: 163)", /^3\. Do NOT restart from the beginning$/m],
  ["says not to repeat completed steps (seed atlas: 164)", /^4\. Do NOT repeat completed steps/m],
] as const)("the text for agents %s", ([, pattern]) => {
  expect(AGENT_TEXT).toMatch(pattern);
});

test("the search by name comes after the command, marked as a fallback (seed atlas: 160)", () => {
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
    "a file with an older text of ours in its midst",
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
