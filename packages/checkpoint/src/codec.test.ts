import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Checkpoint } from "./checkpoint.ts";
import { createCheckpoint } from "./create.ts";
import { decodeCheckpoint } from "./decode.ts";
import { encodeCheckpoint } from "./encode.ts";
import { aCheckpoint } from "./testing.ts";

const goFile = (name: string): string =>
  readFileSync(new URL(`../test/fixtures/${name}`, import.meta.url), "utf8");

test.for<[string, Checkpoint]>([
  ["an empty state", createCheckpoint()],
  ["a mid-cycle state with findings", aCheckpoint({ phase: "reviewing" })],
  [
    "a multi-cycle state with commits",
    aCheckpoint({ cycle: 4, cycleCommits: ["1", "2", "3", "4"].map((digit) => digit.repeat(40)) }),
  ],
])("seed 1: serializes to and deserializes from TOML without data loss: %s", ([, checkpoint]) => {
  expect(decodeCheckpoint(encodeCheckpoint(checkpoint))).toStrictEqual(checkpoint);
});

test("seed 1: the version field is set to 1", () => {
  expect(createCheckpoint().version).toBe(1);
  expect(encodeCheckpoint(aCheckpoint())).toMatch(/^version = 1\n/);
});

test("reads a file of the Go original, to the nanosecond", () => {
  const checkpoint = decodeCheckpoint(goFile("go-populated.toml"));
  expect(checkpoint).toMatchObject({
    createdAt: "2026-11-20T18:04:05.123456789-05:00",
    phase: "resolving_issues",
    maxBudgetUsd: 70,
    coderOutput: "Changed a.go\n\t- tab\r\nCRLF line",
    revision: 0,
    extra: {},
  });
  expect(checkpoint.allFindings.map(({ id, status }) => [id, status])).toStrictEqual([
    ["f-c2beb96a4466", "found"],
    ["f-78def530c86a", "found"],
  ]);
});

test("reads the Go original's zero struct, once it has a version", () => {
  const text = goFile("go-zero.toml");
  expect(decodeCheckpoint(text.replace("version = 0", "version = 1"))).toStrictEqual(
    createCheckpoint(),
  );
  expect(() => decodeCheckpoint(text)).toThrow(
    expect.objectContaining({ code: "ERR_INCOMPATIBLE_VERSION" }),
  );
});
