// `node tools/words/lint.ts`: every tracked file against the list in words.ts.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { WordFinder } from "./find-words.ts";
import { readMarkdown } from "./read-markdown.ts";
import { readTypeScript } from "./read-typescript.ts";
import type { Text } from "./text.ts";
import { UNCHECKED, WORDS } from "./words.ts";

const ROOT = join(import.meta.dirname, "../..");
const READERS = new Map<string, (source: string) => readonly Text[]>([
  [".ts", readTypeScript],
  [".md", readMarkdown],
]);

const finder = new WordFinder(WORDS);
const lines = tracked().flatMap((path) => [...inName(path), ...inContent(path)]);
for (const { text, why } of finder.unused()) {
  lines.push(`tools/words/words.ts: nothing needs the exception "${text}" (${why})`);
}
if (lines.length > 0) {
  process.stdout.write(`${lines.join("\n")}\n\n${lines.length} to change\n`);
  process.exitCode = 1;
}

function tracked(): readonly string[] {
  const listed = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" });
  return listed.split("\0").filter((path) => path !== "" && !UNCHECKED.some((no) => no.test(path)));
}

function inName(path: string): readonly string[] {
  const text: Text = { kind: "identifier", text: path, start: 0 };
  return finder
    .find(path, text)
    .map(({ text, word }) => `${path}:1:1: ${advice(text, word.write)}`);
}

function inContent(path: string): readonly string[] {
  const read = READERS.get(extname(path));
  if (read === undefined) return [];
  const source = readFileSync(join(ROOT, path), "utf8");
  return read(source)
    .flatMap((text) => finder.find(path, text))
    .map(
      ({ text, word, start }) => `${path}:${position(source, start)}: ${advice(text, word.write)}`,
    );
}

function position(source: string, offset: number): string {
  const before = source.slice(0, offset).split("\n");
  return `${before.length}:${(before.at(-1) ?? "").length + 1}`;
}

function advice(text: string, write: string): string {
  return `"${text.replaceAll(/\s+/g, " ")}": write ${write}`;
}
