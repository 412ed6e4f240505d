import { join } from "node:path";
import { expect, test } from "vitest";
import { onGitWork } from "../src/git-work.ts";
import { dirtyPaths } from "../src/status.ts";
import { workTreeId } from "../src/work-tree-id.ts";
import { createWorktree } from "../src/worktree.ts";
import { aFolder, aRepository, failureCode } from "./fixture.ts";

/** The pieces of work of an action, in order; what ends is in brackets. */
async function heard(action: () => Promise<unknown>): Promise<readonly string[]> {
  const told: string[] = [];
  const unsubscribe = onGitWork({
    begun: ({ what }) => told.push(what),
    ended: ({ what }) => told.push(`(${what})`),
  });
  await action();
  unsubscribe();
  return told;
}

test("tells of each git command as it begins and as it ends", async () => {
  const root = aRepository();
  const told = await heard(() => dirtyPaths(root));
  expect(told.slice(-2)).toEqual(["status", "(status)"]);
});

test("tells of a command that has failed that it has ended", async () => {
  const told = await heard(() => failureCode(dirtyPaths(aFolder())));
  expect(told.length).toBeGreaterThan(0);
  expect(told.filter((each) => each.startsWith("("))).toHaveLength(told.length / 2);
});

test("tells of all of a work tree's making, and of all the reading of files, as one", async () => {
  const root = aRepository();
  const path = join(aFolder(), "tree");
  const making = await heard(() => createWorktree(root, { path, branch: "new", from: "HEAD" }));
  expect([making[0], making.at(-1)]).toEqual(["make work tree", "(make work tree)"]);
  expect(making).toContain("worktree");
  const reading = await heard(() => workTreeId(root));
  expect([reading[0], reading.at(-1)]).toEqual(["read files", "(read files)"]);
});

test("tells nobody who has unsubscribed", async () => {
  const root = aRepository();
  const told = await heard(async () => {});
  await dirtyPaths(root);
  expect(told).toEqual([]);
});
