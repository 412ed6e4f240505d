import { expect, test } from "vitest";
import { commitTree } from "../../src/landing/commit-tree.ts";
import { conflictMarkersLeft, hasMarkersOf } from "../../src/landing/conflict-markers.ts";
import type { MergeFolder } from "../../src/landing/merge-folder.ts";
import { mergeTrees } from "../../src/landing/merge-trees.ts";
import { failureCode, git } from "../fixture.ts";
import { commit, type Files, lines, lose, openAt, show, type Sides, twoSides } from "./fixture.ts";

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
  return conflictMarkersLeft(folder, { ...rest, tree: commit(sides.root, files) });
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
    expect(left).toEqual(["f", "g"]);
  }
  const some = { conflictCommit, tree, paths: ["g", "g", "missing"] };
  expect(await conflictMarkersLeft(folder, some)).toEqual(["g"]);
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

const ids = ["a".repeat(40), "b".repeat(40)] as const;
const [START, END] = [`<<<<<<< ${ids[0]}`, `>>>>>>> ${ids[1]}`];
const CONFLICT = ["Title", "=======", START, "ours", "=======", "theirs", END, "<<<<<<< HEAD"];

test.for([
  ["nothing", [], false],
  ["the first line alone", [START], true],
  ["the last line alone", [END], true],
  ["the separator beside the title", ["Title", "=======", "ours", "=======", "theirs"], true],
  ["a resolution", ["Title", "=======", "both"], false],
  ["a marker that was there before", ["<<<<<<< HEAD", "=======", "both"], false],
  ["a marker of another width", ["Title", "=======", "========"], false],
  ["a marker with a carriage return", [`${START}\r`], true],
  ["the marker of a renamed file", [`${START}:old name`], true],
  ["text that only begins like one", [`${START}x`], false],
  ["a marker that is quoted", [`> ${START}`], false],
] as const)("tells of %s", ([, text, expected]) => {
  expect(hasMarkersOf(CONFLICT.join("\n"), text.join("\n"), ids)).toBe(expected);
});

test("takes no title for a separator where the merge wrote no marker", () => {
  expect(hasMarkersOf("Title\n=======\n", "A\n=======\nB\n=======\n", ids)).toBe(false);
});

test("counts separators of a wider marker by themselves", () => {
  const wide = [START.replace("<<<<<<<", "<<<<<<<<"), "a", "========", "b", `>${END}`].join("\n");
  expect(hasMarkersOf(wide, "Title\n=======\n", ids)).toBe(false);
  expect(hasMarkersOf(wide, "a\n========\nb\n", ids)).toBe(true);
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
  expect(await conflictMarkersLeft(folder, untouched)).toEqual(["g", "w.txt"]);
});

test("does not take a file that is not here for one without markers", async () => {
  const sides = aConflict();
  const { folder, conflictCommit, paths } = await conflicted(sides);
  lose(sides.root, `${conflictCommit}:f`);
  const left = conflictMarkersLeft(folder, { conflictCommit, tree: conflictCommit, paths });
  expect(await failureCode(left)).toBe("ERR_MISSING_OBJECT");
});
