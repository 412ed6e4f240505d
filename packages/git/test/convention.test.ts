import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { usesConventionalCommits } from "../src/convention.ts";
import { anEmptyRepository, git, write } from "./fixture.ts";

function repositoryWith(...subjects: readonly string[]): string {
  const root = anEmptyRepository();
  for (const subject of subjects) git(root, "commit", "-q", "--allow-empty", "-m", subject);
  return root;
}

test.for([
  [true, "more than half are", ["Start", "feat: one", "fix(a-b): two"]],
  [true, "all are", ["chore!: start"]],
  [false, "half are", ["Start", "feat: one"]],
  [false, "their types are those of no convention", ["loop: start", "net/http: two"]],
  [false, "nothing follows the type", ["fix:start", "feat:"]],
  [false, "there are none", []],
] as const)("says %s of commits where %s", async ([expected, , subjects]) => {
  expect(await usesConventionalCommits({ root: repositoryWith(...subjects) })).toBe(expected);
});

test("asks the last 50 commits, and no merges", async () => {
  const root = repositoryWith(...Array.from({ length: 26 }, (_, n) => `Change ${n}`));
  for (let n = 0; n < 26; n += 1) {
    git(root, "switch", "-qC", "side");
    git(root, "commit", "-q", "--allow-empty", "-m", `feat: ${n}`);
    git(root, "switch", "-q", "main");
    git(root, "merge", "-q", "--no-ff", "-m", "Merge side", "side");
  }
  expect(await usesConventionalCommits({ root })).toBe(true);
});

test.for(["commitlint.config.mjs", ".commitlintrc", ".commitlintrc.yml"] as const)(
  "believes %s, whatever the commits are",
  async (name) => {
    const root = repositoryWith("Start");
    write(root, name, "x");
    expect(await usesConventionalCommits({ root })).toBe(true);
  },
);

test.for([
  [true, '{"commitlint":{}}'],
  [false, '{"devDependencies":{"commitlint":"1"}}'],
  [false, "{"],
  [false, "null"],
] as const)("says %s of a package.json with %s", async ([expected, text]) => {
  const root = repositoryWith("Start");
  write(root, "package.json", text);
  expect(await usesConventionalCommits({ root })).toBe(expected);
});

test("follows no link, and reads no folder", async () => {
  const root = repositoryWith("Start");
  symlinkSync("/etc/passwd", join(root, ".commitlintrc"));
  mkdirSync(join(root, "package.json"));
  expect(await usesConventionalCommits({ root })).toBe(false);
});
