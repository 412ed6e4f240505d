import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hiddenChanges } from "../src/hidden.ts";
import { aFolder, anEmptyRepository, git, write } from "./fixture.ts";

const NAMES = ["a b.txt", "\u00fc/deep.txt", "same.txt", "seen.txt", "gone.txt"] as const;

/** A repository with some files, all but one of which git was told not to look at. */
function withHidden(flag: string, ...options: string[]): string {
  const root = anEmptyRepository(aFolder(), ...options);
  for (const name of NAMES) write(root, name, "committed\n");
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", "first");
  const hidden = NAMES.filter((name) => name !== "seen.txt");
  git(root, "update-index", flag, "--", ...hidden);
  return root;
}

test.for([
  ["--assume-unchanged", [], ["a b.txt", "gone.txt", "\u00fc/deep.txt"]],
  ["--assume-unchanged", ["--object-format=sha256"], ["a b.txt", "gone.txt", "\u00fc/deep.txt"]],
  ["--skip-worktree", [], ["a b.txt", "\u00fc/deep.txt"]],
] as const)("finds the changes that %s %j hides", async ([flag, options, expected]) => {
  const root = withHidden(flag, ...options);
  expect(await hiddenChanges(root)).toEqual([]);
  for (const name of ["a b.txt", "\u00fc/deep.txt", "seen.txt"]) write(root, name, "changed\n");
  rmSync(join(root, "gone.txt"));
  const changes = await hiddenChanges(root);
  expect(changes.map(({ path }) => path)).toEqual(expected);
  const [{ mode, id } = { mode: "", id: "" }] = changes;
  expect(mode).toBe("100644");
  expect(id).toBe(git(root, "hash-object", "a b.txt").trim());
});
