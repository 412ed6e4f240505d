import { expect, test } from "vitest";
import { WordFinder } from "./find-words.ts";
import type { TextKind } from "./text.ts";
import { WORDS } from "./words.ts";

const SCREEN = "apps/cli/src/quasar/commands/run.ts";

function found(text: string, kind: TextKind = "prose", path = SCREEN): readonly string[] {
  return new WordFinder(WORDS).find(path, { kind, text, start: 0 }).map(({ text }) => text);
}

test.for<[string, TextKind?]>([
  ["quasar resume goes on with the run"],
  ["the coder's turn came to nothing", "string"],
  ["nobody knows how it ended", "string"],
  ["The file is set aside."],
  ["It puts down where the work stands."],
  ["its end is looked for", "string"],
  ["What was kept bears witness."],
  ["the agent is told what was changed", "string"],
  ["another file of ours", "string"],
  ["letGo", "identifier"],
  ["hasUnsaidCosts", "identifier"],
])("finds a word in: %s", ([text, kind]) => {
  expect(found(text, kind)).toHaveLength(1);
});

test.for<[string, TextKind?]>([
  ["The task continues, and `quasar resume` resumes the run."],
  ["Remove what goes only with it."],
  ["Look at the diff, then approve.", "string"],
  ["Git looks for hooks in that folder.", "string"],
  ["recommended for teams"],
  ["The supervisor is told to stop."],
  ["What is left of the budget"],
  ["A link outlives its file."],
  ["unsaid_costs", "string"],
])("finds nothing in: %s", ([text, kind]) => {
  expect(found(text, kind)).toEqual([]);
});

test("holds only what a user sees to the words of screens", () => {
  const text = "the agent is told what was changed";
  expect(found(text, "string", "packages/loop/src/engine.test.ts")).toEqual([]);
});
