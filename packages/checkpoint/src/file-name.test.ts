import * as fc from "fast-check";
import { basename, dirname } from "node:path";
import { expect, test } from "vitest";
import { checkpointNames, checkpointPath, isNameOf } from "./file-name.ts";

test.for([
  ["", "checkpoint.toml"],
  ["auth-api", "checkpoint.auth-api.toml"],
  ["a.b_c-9", "checkpoint.a.b_c-9.toml"],
  ["x".repeat(100), `checkpoint.${"x".repeat(100)}.toml`],
])(
  "seed 2: CheckpointPath returns checkpoint.<phaseID>.toml when phaseID is non-empty, checkpoint.toml otherwise: %j",
  ([phaseId, name]) => {
    expect(checkpointPath("/some/dir", phaseId)).toBe(`/some/dir/${name}`);
  },
);

test("the phase may be left out", () => {
  expect(checkpointPath("/some/dir")).toBe("/some/dir/checkpoint.toml");
});

test.for([
  ["a/b"],
  ["/../../../etc/passwd"],
  [".."],
  ["."],
  ["A"],
  ["con"],
  ["con.x"],
  ["lpt1"],
  ["a.toml"],
  ["a.prev"],
  ["a.tmp"],
  ["a.toml.damaged-20261120T180405Z"],
  ["é"],
  ["e\u0301"],
  ["~a"],
  [" "],
  ["-a"],
  ["😀".repeat(200)],
  ["x".repeat(101)],
  ["\u202e"],
])("encodes %j", ([phaseId]) => {
  const path = checkpointPath("/some/dir", phaseId);
  expect(dirname(path)).toBe("/some/dir");
  expect(basename(path)).toMatch(/^checkpoint\.~~?[0-9a-v]+\.toml$/);
  expect(basename(path).length).toBeLessThanOrEqual(130);
});

test.for([["a\0b"], ["a\nb"], ["\x1b[2J"], ["\x9b"], ["\ud83d"], ["x".repeat(1025)]])(
  "refuses %j",
  ([phaseId]) => {
    expect(() => checkpointPath("/some/dir", phaseId)).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_CHECKPOINT" }),
    );
  },
);

test("no two ids share a name, however a file system folds case", () => {
  const id = fc.string({ unit: "binary", minLength: 1, maxLength: 80 }).filter((text) => {
    return text.isWellFormed() && !/\p{Cc}/u.test(text);
  });
  fc.assert(
    fc.property(id, id, (a, b) => {
      const [nameA, nameB] = [checkpointPath("d", a), checkpointPath("d", b)];
      expect(nameA).toBe(nameA.toLowerCase());
      expect(nameA === nameB).toBe(a === b);
      expect(isNameOf(basename(nameA), a)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("knows its own files among others", () => {
  const others = [
    "checkpoint.a.toml.tmp",
    ".checkpoint.a.toml.0123456789abcdef.tmp",
    "checkpoint.b.toml.damaged-20261120T180405Z",
    "checkpoint.c.toml.0.prev",
    "checkpoint.d.toml.prev",
    "Checkpoint.toml",
    "nebula.toml",
    "lock",
  ];
  const ours = ["checkpoint.toml", "checkpoint.a.toml", "checkpoint.e.toml.7.prev"];
  expect(checkpointNames([...ours, ...others])).toStrictEqual([
    "checkpoint.a.toml",
    "checkpoint.e.toml",
    "checkpoint.toml",
  ]);
});
