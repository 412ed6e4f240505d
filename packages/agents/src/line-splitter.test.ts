import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createLineSplitter } from "./line-splitter.ts";

/** The lines of some chunks, and whether all were taken. */
function split(chunks: readonly Buffer[], maxLineBytes = 1000) {
  const lines: string[] = [];
  const splitter = createLineSplitter(maxLineBytes, (line) => lines.push(line));
  const taken = chunks.every((chunk) => splitter.push(chunk));
  splitter.end();
  return { lines, taken };
}

test("finds the same lines however the bytes are cut", () => {
  const texts = fc.array(
    fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n]/g, "")),
  );
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 9 }), (lines, size) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      expect(split(chunks)).toEqual({ lines, taken: true });
    }),
  );
});

test("takes a last line without a break, and line ends of either kind", () => {
  expect(split([Buffer.from("a\r\nb\n\nc")]).lines).toEqual(["a", "b", "", "c"]);
});

test.for([
  ["at once", ["xxxxxxxxxxx"]],
  ["in pieces", ["xxxxxx", "xxxxx"]],
  ["after another line", ["ok\nxxxxxxxxxxx\n"]],
] as const)("gives up a line that is too long, %s", ([, chunks]) => {
  expect(
    split(
      chunks.map((chunk) => Buffer.from(chunk)),
      10,
    ).taken,
  ).toBe(false);
});
