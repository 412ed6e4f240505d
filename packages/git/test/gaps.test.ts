import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openCommitGaps } from "../src/gaps.ts";
import { openRepository } from "../src/repository.ts";
import { aRepository, git, headOf, write } from "./fixture.ts";

test("what no commit holds is asked of one repository, each answer by itself", async () => {
  const root = aRepository();
  const from = headOf(root);
  const since = new Date();
  const gaps = openCommitGaps(await openRepository(root));
  mkdirSync(join(root, "empty"));
  write(root, ".gitignore", "notes.md\n");
  write(root, "notes.md", "work\n");
  write(root, "hidden", "as committed\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Work");
  write(root, ".gitignore", "notes.md\n# stashed\n");
  git(root, "stash");
  git(root, "update-index", "--assume-unchanged", "hidden");
  write(root, "hidden", "changed\n");
  write(root, ".git/info/exclude", "aside\n");
  write(root, "aside", "kept out\n");

  expect(await gaps.emptyFolders(since)).toEqual(["empty"]);
  expect((await gaps.hidden()).map(({ path }) => path)).toEqual(["hidden"]);
  expect(await gaps.changedByOutsideRules(since)).toEqual(["aside"]);
  expect((await gaps.newlyIgnored(since)).paths).toContain("notes.md");
  expect((await gaps.stashedSince(since)).map(({ base }) => base)).toEqual([headOf(root)]);
  expect((await gaps.landed(from, headOf(root))).tree).toBe(
    git(root, "rev-parse", "HEAD^{tree}").trim(),
  );
});

test("the signal that gaps are opened with ends each question", async () => {
  const root = aRepository();
  const signal = AbortSignal.abort(new Error("enough"));
  const gaps = openCommitGaps(await openRepository(root), { signal });
  const since = new Date(0);
  for (const asked of [
    gaps.landed("", headOf(root)),
    gaps.hidden(),
    gaps.emptyFolders(since),
    gaps.newlyIgnored(since),
    gaps.commitsLeftAside({ since, isWanted: () => true }),
  ]) {
    await expect(asked).rejects.toThrow("enough");
  }
});
