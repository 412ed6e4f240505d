import { expect, test } from "vitest";
import { cutDiff } from "./cut-diff.ts";

const fileOf = (path: string, length: number): string =>
  `diff --git a/${path} b/${path}\n`.padEnd(length - 1, "+") + "\n";

test.for([
  ["all that fits", [100, 100], []],
  ["whole files as long as they fit", [100, 150, 100], ["file 1"]],
  ["nothing of a file that alone is too long", [201], ["file 0"]],
] as const)("keeps %s", ([, lengths, leftOut]) => {
  const files = lengths.map((length, n) => fileOf(`file ${n}`, length));
  const cut = cutDiff(files.join(""), 200);
  expect(cut.leftOut).toEqual(leftOut);
  expect(cut.text).toBe(files.filter((_, n) => !leftOut.includes(`file ${n}` as never)).join(""));
});

test("names a file as git quotes it", () => {
  expect(cutDiff('diff --git "a/\\303\\244" "b/\\303\\244"\n', 1).leftOut).toEqual(["\\303\\244"]);
});

test("says of binary files only that they differ", () => {
  const head = "diff --git a/x.png b/x.png\nindex 1111111..2222222 100644\n";
  const binary = `${head}GIT binary patch\nliteral 10\nRcmZQzU|\n\nliteral 0\nHcmV?d00001\n\n`;
  const { text } = cutDiff(binary + fileOf("a", 40), 200);
  expect(text).toBe(`${head}Binary files differ\n${fileOf("a", 40)}`);
});
