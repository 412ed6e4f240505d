import { createHash } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import { changeDigest } from "../../src/landing/change-digest.ts";
import { commitTree } from "../../src/landing/commit-tree.ts";
import { conflictMarkersLeft } from "../../src/landing/conflict-markers.ts";
import type { MergeFolder } from "../../src/landing/merge-folder.ts";
import { linesLeft, type Marks, MarkScanner } from "../../src/landing/marks.ts";
import { mergeTrees } from "../../src/landing/merge-trees.ts";
import { failureCode, git } from "../fixture.ts";
import { commit, type Files, lines, lose, openAt, show, type Sides, twoSides } from "./fixture.ts";

/** How much is kept of an output of git's: no test writes what really is too much. */
const output = vi.hoisted(() => ({ most: Number.MAX_SAFE_INTEGER }));

vi.mock(import("../../src/process.ts"), async (load) => {
  const { runProcess } = await load();
  return {
    runProcess: async (file, spec) =>
      runProcess(file, { ...spec, maxOutput: Math.min(spec.maxOutput, output.most) }),
  };
});

interface Conflicted {
  readonly folder: MergeFolder;
  readonly conflictCommit: string;
  readonly paths: readonly string[];
}

async function conflicted(sides: Sides): Promise<Conflicted> {
  const folder = await openAt(sides.root);
  const { tree, conflicts } = await mergeTrees(folder, sides);
  const author = { name: "Quasar", email: "quasar@localhost" };
  const parents = [sides.ours, sides.theirs];
  const made = { tree, parents, message: "Conflicts", author, atSeconds: 1 };
  const conflictCommit = await commitTree(folder, made);
  git(sides.root, "checkout", "-q", "--detach", conflictCommit);
  return { folder, conflictCommit, paths: conflicts.map(({ path }) => path) };
}

/** What remains once some files have been changed. */
async function leftAfter(sides: Sides, files: Files): Promise<readonly string[]> {
  const { folder, ...rest } = await conflicted(sides);
  return pathsLeft(folder, { ...rest, tree: commit(sides.root, files) });
}

async function pathsLeft(...args: Parameters<typeof conflictMarkersLeft>): Promise<string[]> {
  return (await conflictMarkersLeft(...args)).map(({ path }) => path);
}

const aConflict = (): Sides =>
  twoSides(
    { f: lines(), g: "g\n" },
    { f: lines({ 5: "ours" }), g: "our g\n" },
    { f: lines({ 5: "theirs" }), g: "their g\n" },
  );

test("finds the markers in a tree that nobody has touched, and in a commit's, by path", async () => {
  const sides = aConflict();
  const { folder, conflictCommit, paths } = await conflicted(sides);
  const tree = git(sides.root, "rev-parse", `${conflictCommit}^{tree}`).trim();
  for (const each of [tree, conflictCommit]) {
    const left = await conflictMarkersLeft(folder, { conflictCommit, tree: each, paths });
    expect(left).toEqual([
      { path: "f", lines: [6, 10] },
      { path: "g", lines: [1, 5] },
    ]);
  }
  const some = { conflictCommit, tree, paths: ["g", "g", "missing"] };
  expect(await pathsLeft(folder, some)).toEqual(["g"]);
});

test("finds none where all is resolved, or the files are gone", async () => {
  expect(await leftAfter(aConflict(), { f: lines({ 5: "both" }), g: undefined })).toEqual([]);
});

test("names the path that still has one", async () => {
  expect(await leftAfter(aConflict(), { g: "both\n" })).toEqual(["f"]);
});

test("finds the markers in a file that was moved since", async () => {
  const sides = aConflict();
  const { conflictCommit } = await conflicted(sides);
  const moved = { f: undefined, h: show(sides.root, conflictCommit, "f"), g: "both\n" };
  expect(await leftAfter(sides, moved)).toEqual(["h"]);
});

test("finds a file that has the name yet that the merge gave it", async () => {
  const sides = twoSides({}, { d: "ours\n" }, { "d/e": "theirs\n" });
  expect(await leftAfter(sides, {})).toEqual([`d~${sides.ours}`]);
  const moved = { [`d~${sides.ours}`]: undefined, other: "ours\n" };
  expect(await leftAfter(sides, moved)).toEqual([]);
});

/** Of a text that comes in pieces of two bytes. */
function marksIn(text: string): Marks {
  const scanner = new MarkScanner(ids);
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0; at < bytes.length; at += 2) scanner.write(bytes.subarray(at, at + 2));
  return scanner.end();
}

const linesOf = (conflict: string, text: string): readonly number[] =>
  linesLeft(marksIn(conflict), marksIn(text));

const ids = ["a".repeat(40), "b".repeat(40)] as const;
const [START, END] = [`<<<<<<< ${ids[0]}`, `>>>>>>> ${ids[1]}`];
const CONFLICT = ["Title", "=======", START, "ours", "=======", "theirs", END, "<<<<<<< HEAD"];

test.for([
  ["nothing", [], []],
  ["the first line alone", [START], [1]],
  ["the last line alone", [END], [1]],
  ["all of a conflict", CONFLICT, [3, 7]],
  ["a line far below, whatever stands between", ["", "x", "", "\r", "=======", END], [6]],
  ["the separator beside the title", ["Title", "=======", "ours", "=======", "theirs"], [2, 4]],
  ["a resolution", ["Title", "=======", "both"], []],
  ["a marker that was there before", ["<<<<<<< HEAD", "=======", "both"], []],
  ["a marker of another width", ["Title", "=======", "========"], []],
  ["a marker with a carriage return", [`${START}\r`], [1]],
  ["the marker of a renamed file", [`${START}:old name`], [1]],
  ["text that only begins like one", [`${START}x`], []],
  ["a marker that is quoted", [`> ${START}`], []],
] as const)("tells of %s", ([, text, expected]) => {
  expect(linesOf(CONFLICT.join("\n"), text.join("\n"))).toEqual(expected);
});

test("names the first twenty lines", () => {
  const from = (first: number, step: number): number[] =>
    Array.from({ length: 20 }, (_, at) => first + at * step);
  const many = CONFLICT.join("\n").concat("\n").repeat(30);
  expect(linesOf(many, `${START}\n`.repeat(30))).toEqual(from(1, 1));
  expect(linesOf(many, "a\n=======\n".repeat(31))).toEqual(from(2, 2));
});

test("takes no title for a separator where the merge wrote no marker", () => {
  expect(linesOf("Title\n=======\n", "A\n=======\nB\n=======\n")).toEqual([]);
});

test("counts separators of a wider marker by themselves", () => {
  const wide = [START.replace("<<<<<<<", "<<<<<<<<"), "a", "========", "b", `>${END}`].join("\n");
  expect(linesOf(wide, "Title\n=======\n")).toEqual([]);
  expect(linesOf(wide, "a\n========\nb\n")).toEqual([2]);
});

test("finds the markers of files that were renamed, and of those with other line endings", async () => {
  const sides = twoSides(
    { f: lines(), "w.txt": lines().replaceAll("\n", "\r\n") },
    {
      f: undefined,
      g: lines({ 5: "ours" }),
      "w.txt": lines({ 5: "ours" }).replaceAll("\n", "\r\n"),
    },
    { f: lines({ 5: "theirs" }), "w.txt": lines({ 5: "theirs" }).replaceAll("\n", "\r\n") },
  );
  const { folder, conflictCommit, paths } = await conflicted(sides);
  expect(show(sides.root, conflictCommit, "g")).toContain(`>>>>>>> ${sides.theirs}:f\n`);
  const untouched = { conflictCommit, tree: conflictCommit, paths };
  expect(await pathsLeft(folder, untouched)).toEqual(["g", "w.txt"]);
});

test("does not take a file that is not here for one without markers", async () => {
  const sides = aConflict();
  const { folder, conflictCommit, paths } = await conflicted(sides);
  lose(sides.root, `${conflictCommit}:f`);
  const left = conflictMarkersLeft(folder, { conflictCommit, tree: conflictCommit, paths });
  expect(await failureCode(left)).toBe("ERR_MISSING_OBJECT");
});

test("takes no line for a marker that only begins as one, however long it is", () => {
  const long = `${START}${"x".repeat(10_000)}`;
  expect(marksIn(`${long}\n${"=".repeat(10_000)}\n`).outer).toEqual([]);
  expect(marksIn(`${START}:${"x".repeat(10_000)}\n`).starts).toEqual([7]);
});

test("reads files and changes that are larger than what is kept of an output", async () => {
  const sides = aConflict();
  const long = "a long line of text\n".repeat(15_000);
  const { folder, conflictCommit, paths } = await conflicted(sides);
  const before = commit(sides.root, {});
  const tree = commit(sides.root, { f: long, moved: long + show(sides.root, conflictCommit, "f") });
  output.most = 100_000;
  onTestFinished(() => void (output.most = Number.MAX_SAFE_INTEGER));
  const left = await pathsLeft(folder, { conflictCommit, tree, paths });
  expect(left).toEqual(["g", "moved"]);
  const digest = await changeDigest(folder, { from: before, to: tree });
  output.most = Number.MAX_SAFE_INTEGER;
  const args = "--full-index --no-renames --unified=3 --diff-algorithm=myers --indent-heuristic";
  const diff = git(sides.root, "diff-tree", "-r", "-p", ...args.split(" "), before, tree);
  expect(digest).toBe(createHash("sha256").update(diff).digest("hex"));
});
