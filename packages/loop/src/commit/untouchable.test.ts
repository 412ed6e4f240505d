import { expect, test } from "vitest";
import type { LoopRepository } from "../repository/repository.ts";
import { foreignWork } from "./untouchable.ts";

const repository = (paths: readonly string[]) =>
  ({ changedPaths: async () => paths }) as unknown as LoopRepository;

test.for([
  ["a file", "notes.txt", "notes.txt"],
  ["a file of a folder", "notes", "notes/a.txt"],
  ["a repository within, as a link", "vendor/x/", "vendor/x"],
] as const)("it is told that an agent has committed %s of the user's", async ([, own, changed]) => {
  const said = await foreignWork(
    { untouchablePaths: [own] },
    repository(["other.txt", changed]),
    "a".repeat(40),
    "b".repeat(40),
  );
  expect(said).toContain(own);
});

test("nothing is told of files beside the user's", async () => {
  const state = { untouchablePaths: ["notes", "vendor/x/"] };
  const changed = repository(["notes.txt", "vendor/xy"]);
  expect(await foreignWork(state, changed, "a", "b")).toBeUndefined();
});
