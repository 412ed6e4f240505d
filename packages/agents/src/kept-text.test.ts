import { expect, test } from "vitest";
import { createKeptText } from "./kept-text.ts";

function keptOf(lines: readonly string[], most: number): ReturnType<typeof createKeptText> {
  const kept = createKeptText(most);
  for (const line of lines) kept.add(line);
  return kept;
}

const LINES = Array.from({ length: 1000 }, (_, n) => `line ${n}`);

test("a text that is short enough is kept whole", () => {
  const kept = keptOf(["a", "", "b"], 100);
  expect([kept.text(), kept.isCut()]).toEqual(["a\n\nb", false]);
});

test("of a longer one the beginning and the end are kept, and how much lies between", () => {
  const kept = keptOf(LINES, 100);
  const text = kept.text();
  expect(text).toMatch(
    /^line 0\nline 1\n[^]*\n… \d+ characters are left out here …\n[^]*line 998\nline 999$/u,
  );
  expect(text.length).toBeLessThan(160);
  const whole = `${LINES.join("\n")}\n`.length;
  const said = Number(/… (\d+) characters/u.exec(text)?.[1]);
  const note = `… ${said} characters are left out here …\n`.length;
  expect(text.length + 1 - note + said).toBe(whole);
  expect(kept.isCut()).toBe(true);
});

test("the last line is kept, up to the size of all", () => {
  expect(keptOf(["a", "x".repeat(100)], 100).text()).toBe(`a\n${"x".repeat(100)}`);
  const longer = keptOf(["a", `${"x".repeat(100)}y${"z".repeat(99)}`], 100);
  const note = "… 100 characters are left out here …";
  expect(longer.text()).toBe(`a\n${note}\ny${"z".repeat(99)}`);
});

test("what is missing between two lines is said to be left out", () => {
  const kept = keptOf(["a"], 100);
  kept.omit(7);
  kept.add("b");
  expect(kept.text()).toBe("a\n… 7 characters are left out here …\nb");
});
