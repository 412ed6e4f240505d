import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createBatchSplitter, createLineSplitter } from "./line-splitter.ts";

/** The lines of some chunks, which all come in the same buffer, and which of them were cut. */
function split(chunks: readonly Buffer[], maxLineBytes = 1000) {
  const lines: string[] = [];
  const cut: string[] = [];
  const splitter = createLineSplitter(maxLineBytes, (line, isCut) => {
    lines.push(line);
    if (isCut) cut.push(line);
  });
  const buffer = Buffer.alloc(Math.max(0, ...chunks.map(({ length }) => length)));
  for (const chunk of chunks) {
    chunk.copy(buffer);
    splitter.push(buffer.subarray(0, chunk.length));
  }
  splitter.end();
  return { lines, cut };
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
      expect(split(chunks)).toEqual({ lines, cut: [] });
    }),
  );
});

test("hands over together what ends in one chunk, however short the lines are", () => {
  const batches: number[] = [];
  const splitter = createBatchSplitter(1000_000, (lines) => batches.push(lines.length));
  for (const chunk of ["y\n".repeat(30_000), "y", "y\n".repeat(30_000)]) {
    splitter.push(Buffer.from(chunk));
  }
  expect(batches).toEqual([30_000, 1, 29_999]);
});

test("takes a last line without a break, and line ends of either kind", () => {
  expect(split([Buffer.from("a\r\nb\n\nc")]).lines).toEqual(["a", "b", "", "c"]);
});

test.for([
  ["at once", ["xxxxxxxxxxx"], ["xxxxxxxxxx"]],
  ["in pieces", ["xxxxxx", "xxxxx", "yyy"], ["xxxxxx", "xxxx"]],
  ["between other lines", ["ok\nxxxxxxxxxxx\nok"], ["ok\n", "xxxxxxxxxx", "\nok"]],
  ["in the middle of a character", ["xxxxxxxx\u20ac\nok"], ["xxxxxxxx", "\nok"]],
] as const)("cuts a line that is too long, %s, and continues", ([, chunks, kept]) => {
  const { lines, cut } = split(
    chunks.map((chunk) => Buffer.from(chunk)),
    10,
  );
  expect(lines).toEqual(kept.join("").split("\n"));
  expect(cut).toEqual(lines.filter((line) => line !== "ok"));
});
