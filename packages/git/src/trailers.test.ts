import * as fc from "fast-check";
import { expect, test } from "vitest";
import { oneLine } from "./text.ts";
import { formatTrailers, parseTrailers } from "./trailers.ts";

test.for([
  ["no body", "Quasar-Task: t", {}],
  ["only a body", "subject\n\nbody", {}],
  ["trailers", "subject\n\nbody\n\nA: 1\nB-c:2", { A: ["1"], "B-c": ["2"] }],
  ["one name twice", "subject\n\nA: 1\nA: 2", { A: ["1", "2"] }],
  ["a folded value", "subject\n\nA: 1\n  2\n\t3", { A: ["1 2 3"] }],
  ["an empty value", "subject\n\nA:", { A: [""] }],
  ["trailers before the last paragraph", "subject\n\nA: 1\n\nbody", {}],
  ["lines that are none", "subject\n\n: x\nhttp//x\n(cherry picked)\nA: 1", { A: ["1"] }],
  ["line ends of DOS", "subject\r\n\r\nA: 1\r\nB: 2\r\n", { A: ["1"], B: ["2"] }],
  ["names of prototypes", "subject\n\n__proto__: 1\nconstructor: 2", { constructor: ["2"] }],
] as const)("reads %s", ([, message, expected]) => {
  expect(Object.fromEntries(parseTrailers(message))).toEqual(expected);
});

test("reads back any value that it wrote, as one line", () => {
  const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9-]{0,20}$/);
  fc.assert(
    fc.property(name, fc.string({ unit: "binary" }), (key, value) => {
      const message = `subject\n\n${formatTrailers({ [key]: value })}`;
      expect(parseTrailers(message)).toEqual(new Map([[key, [oneLine(value)]]]));
    }),
  );
});
