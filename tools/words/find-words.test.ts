import { expect, test } from "vitest";
import { WordFinder } from "./find-words.ts";
import type { TextKind } from "./text.ts";
import type { Word } from "./words.ts";

const WORDS: readonly Word[] = [
  {
    not: "let go|lets go",
    write: "dispose",
    in: ["identifier", "string", "prose"],
    except: [
      { text: "let go of a rope", why: "a rope is one" },
      { text: "let_go", why: "a key on disk" },
      { text: "--let-go", files: ["apps/"], why: "a flag" },
    ],
  },
  { not: "eyes", write: "deps", in: ["identifier"] },
];

function found(text: string, kind: TextKind = "prose", path = "packages/a.ts"): readonly string[] {
  return new WordFinder(WORDS).find(path, { kind, text, start: 10 }).map(({ text }) => text);
}

test.for<[string, string, TextKind?]>([
  ["a phrase", "We let go of it."],
  ["a phrase in capitals", "LET GO of it."],
  ["a phrase over the end of a line", "We let\n   go of it."],
  ["another form", "It lets go."],
  ["a name", "letGo", "identifier"],
  ["a longer name", "wasLetGoAtEnd", "identifier"],
  ["a constant", "LET_GO_MS", "identifier"],
  ["a private name", "#letGo", "identifier"],
  ["a name in a string", "let-go", "string"],
  ["a file's name", "packages/a/let-go.ts", "identifier"],
  ["a name in code", "`letGo(tree)`", "identifier"],
])("finds %s", ([, text, kind]) => {
  expect(found(text, kind)).toHaveLength(1);
});

test.for<[string, string, TextKind?]>([
  ["a part of a word", "The outlet goes dry."],
  ["words of two paragraphs", "What it let\n\ngo of it."],
  ["a part of a part of a name", "outletGone", "identifier"],
  ["a word that is right in prose", "It is in the eyes of a reader."],
  ["an excepted phrase", "He let go of a rope."],
  ["an excepted name", "let_go", "identifier"],
])("passes over %s", ([, text, kind]) => {
  expect(found(text, kind)).toEqual([]);
});

test("excepts a phrase, not the sentence that it is in", () => {
  expect(found("He let go of a rope. Now let go.")).toEqual(["let go"]);
});

test("excepts a name, not those that contain it", () => {
  expect(found("let_go_at", "identifier")).toEqual(["let_go_at"]);
});

test("excepts in the files of the exception only", () => {
  expect(found("`run --let-go`", "identifier", "apps/a.ts")).toEqual([]);
  expect(found("`run --let-go`", "identifier")).toHaveLength(1);
});

test("tells where the word stands in the file", () => {
  const text = { kind: "prose", text: "We let go.", start: 10 } as const;
  expect(new WordFinder(WORDS).find("a.ts", text)[0]?.start).toBe(13);
});

test("names the exceptions that nothing has needed", () => {
  const finder = new WordFinder(WORDS);
  finder.find("a.ts", { kind: "identifier", text: "let_go", start: 0 });
  expect(finder.unused().map(({ text }) => text)).toEqual(["let go of a rope", "--let-go"]);
});
