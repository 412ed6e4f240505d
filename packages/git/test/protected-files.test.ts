import { expect, test } from "vitest";
import { openProtectedFiles } from "../src/protected-files.ts";
import { openRepository } from "../src/repository.ts";
import { readCommitState } from "../src/work.ts";
import { aRepository, git, read, write } from "./fixture.ts";

const LINES = ["one", "two", "three", "four", "five", "six"];
const text = (...lines: readonly string[]): string => `${lines.join("\n")}\n`;

/** A committed file that somebody has changed, and is protected as it is. */
async function aProtectedFile() {
  const root = aRepository();
  write(root, "file", text(...LINES));
  git(root, "add", "-A");
  git(root, "commit", "-qm", "A file");
  write(root, "file", text("mine", ...LINES.slice(1)));
  const files = openProtectedFiles(await openRepository(root));
  const look = async () => files.contents(["file"], await readCommitState(root));
  const [base] = await look();
  if (base === undefined) throw new Error("nothing is there");
  await files.storeContents([base]);
  /** What is there now, beside what was protected. */
  const change = async () => {
    const [now] = await look();
    if (now === undefined) throw new Error("nothing is there");
    await files.storeContents([now]);
    return { base, now };
  };
  return { root, files, base, change };
}

test("a change of a protected file is in a tree of its own, without what was there before", async () => {
  const { root, files, change } = await aProtectedFile();
  write(root, "file", text("mine", ...LINES.slice(1, -1), "theirs"));
  const merged = await files.treeOfChanges(["file"], [await change()]);
  if (merged.kind !== "merged") throw new Error(merged.kind);
  expect(git(root, "show", `${merged.tree}:file`)).toBe(text(...LINES.slice(0, -1), "theirs"));
});

test("a change of the very lines that were changed before is a conflict", async () => {
  const { root, files, change } = await aProtectedFile();
  write(root, "file", text("theirs", ...LINES.slice(1)));
  const changes = [await change()];
  expect(await files.treeOfChanges(["file"], changes)).toEqual({
    kind: "conflicts",
    paths: ["file"],
  });
  expect(await files.lostWork(git(root, "rev-parse", "HEAD").trim(), changes)).toEqual(["file"]);
});

test("a file is put back as long as it holds what was seen of it", async () => {
  const { root, files, base, change } = await aProtectedFile();
  write(root, "file", text("theirs"));
  const seen = await readCommitState(root);
  expect(await files.putBack([base], seen)).toEqual(["file"]);
  expect(read(root, "file")).toBe(text("theirs"));
  expect(await files.putBack([(await change()).now], seen)).toEqual([]);
  expect(read(root, "file")).toBe(text(...LINES));
});
