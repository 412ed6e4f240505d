import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { changeDigest } from "../../src/landing/change-digest.ts";
import { differingPaths } from "../../src/landing/differing-paths.ts";
import { commitTree, landingDate } from "../../src/landing/commit-tree.ts";
import { mergeTrees } from "../../src/landing/merge-trees.ts";
import { readCommit } from "../../src/history.ts";
import { aFolder, failureCode, git, read, script } from "../fixture.ts";
import { commit, gitWith, lines, lose, openAt, twoSides } from "./fixture.ts";

const AUTHOR = { name: "Quasar", email: "quasar@localhost" };

test("makes the same commit each time, of nothing but what it is given", async () => {
  const { root, ours, theirs } = twoSides({ f: "f" }, { a: "a" }, { b: "b" });
  const folder = await openAt(root);
  const what = {
    tree: git(root, "rev-parse", `${ours}^{tree}`).trim(),
    parents: [ours, theirs],
    message: "Land a: ü\n\nQuasar-Phase: a",
    author: AUTHOR,
    atSeconds: 1_700_000_000,
  };
  const made = await commitTree(folder, what);
  git(root, "config", "user.name", "Somebody else");
  git(root, "config", "commit.gpgSign", "true");
  expect(await commitTree(folder, what)).toBe(made);
  const body = git(root, "cat-file", "commit", made).split("\n");
  const who = "Quasar <quasar@localhost> 1700000000 +0000";
  expect(body).toEqual([
    ...[`tree ${what.tree}`, `parent ${ours}`, `parent ${theirs}`],
    ...[`author ${who}`, `committer ${who}`, ""],
    ...["Land a: ü", "", "Quasar-Phase: a", ""],
  ]);
  expect((await readCommit(root, made)).parents).toEqual([ours, theirs]);
});

test("flushes what merges and commits are made of", async () => {
  const sides = twoSides({ f: lines() }, { f: lines({ 1: "o" }) }, { f: lines({ 15: "t" }) });
  const folder = await openAt(sides.root);
  const bin = aFolder();
  const log = join(bin, "log");
  // What is done in a merge folder reads no settings that could have git trace itself.
  const real = join(git(sides.root, "--exec-path").trim(), "git");
  script(bin, "git", `GIT_TRACE2_EVENT='${log}' exec '${real}' "$@"`);
  const before = process.env["PATH"];
  process.env["PATH"] = `${bin}:${before}`;
  onTestFinished(() => {
    process.env["PATH"] = before;
  });
  const { tree } = await mergeTrees(folder, sides);
  const flushes = (): number => read(bin, "log").split("fsync/hardware-flush").length - 1;
  const merged = flushes();
  expect(merged, "file and tree").toBeGreaterThan(0);
  const parents = [sides.ours];
  await commitTree(folder, { tree, parents, message: "m", author: AUTHOR, atSeconds: 1 });
  expect(flushes()).toBeGreaterThan(merged);
});

test.for([
  ["a message with a NUL", { message: "a\0b" }, "ERR_INVALID_ARGUMENT"],
  ["half a second", { atSeconds: 0.5 }, "ERR_INVALID_ARGUMENT"],
  ["a time before 1970", { atSeconds: -1 }, "ERR_INVALID_ARGUMENT"],
  ["a tree that is not here", { tree: "1".repeat(40) }, "ERR_MISSING_OBJECT"],
  ["a parent that is not here", { parents: ["1".repeat(40)] }, "ERR_MISSING_OBJECT"],
  ["a tree by a name", { tree: "HEAD^{tree}" }, "ERR_BAD_REVISION"],
] as const)("refuses %s", async ([, change, code]) => {
  const { root, ours } = twoSides({ f: "f" }, {}, {});
  const tree = git(root, "rev-parse", `${ours}^{tree}`).trim();
  const valid = { tree, parents: [ours], message: "m", author: AUTHOR, atSeconds: 1 };
  expect(await failureCode(commitTree(await openAt(root), { ...valid, ...change }))).toBe(code);
});

/** A commit that was committed at a time, as it stands there. */
function dated(root: string, time: string): string {
  const tree = git(root, "rev-parse", "HEAD^{tree}").trim();
  const text = `tree ${tree}\nauthor a <a@x> 5 +0000\ncommitter a <a@x> ${time}\n\nm\n`;
  return gitWith(root, text, "hash-object", "--literally", "-t", "commit", "-w", "--stdin").trim();
}

test.for([
  ["the later of two", ["1000 +0000", "2000 +1400"], 2000],
  ["the later of two, in another order", ["2000 -1200", "1000 +0000"], 2000],
  ["a far future", ["99999999999 +0000"], 99_999_999_999],
  ["one that no clock shows", ["99999999999999999999999 +0000", "7 +0000"], 7],
  ["one that is none", ["soon", "-5 +0000"], 0],
] as const)("lands at the latest date of its parents: %s", async ([, times, expected]) => {
  const { root } = twoSides({ f: "f" }, {}, {});
  const parents = times.map((time) => dated(root, time));
  expect(await landingDate(await openAt(root), parents)).toBe(expected);
});

test("has no date of a parent that is not here", async () => {
  const { root, ours } = twoSides({ f: "f" }, {}, {});
  const parents = [ours, "1".repeat(40)];
  expect(await failureCode(landingDate(await openAt(root), parents))).toBe("ERR_MISSING_OBJECT");
});

test("gives a change one digest wherever it lands, unless a file of it is another one", async () => {
  const { root, base, ours, theirs } = twoSides(
    { f: lines(), g: "g" },
    { g: "other" },
    { f: lines({ 5: "theirs" }) },
  );
  const folder = await openAt(root);
  const digest = await changeDigest(folder, { from: base, to: theirs });
  expect(digest).toMatch(/^[0-9a-f]{64}$/u);
  const onto = (from: string): Promise<string> => {
    git(root, "checkout", "-q", "--detach", from);
    git(root, "cherry-pick", theirs);
    return changeDigest(folder, { from, to: git(root, "rev-parse", "HEAD").trim() });
  };
  expect(await onto(ours)).toBe(digest);
  git(root, "checkout", "-q", "main");
  expect(await onto(commit(root, { f: lines({ 15: "main" }) }))).not.toBe(digest);
  expect(await changeDigest(folder, { from: theirs, to: base })).not.toBe(digest);
});

test("two commits differ in the paths of which they make something else, which the digest says too", async () => {
  const { root, ours, theirs } = twoSides(
    { f: lines(), g: "g", h: "h" },
    { f: lines({ 15: "ours" }), h: "other" },
    { f: lines({ 5: "theirs" }), g: "new", "a b": "there" },
  );
  const folder = await openAt(root);
  git(root, "checkout", "-q", "--detach", ours);
  git(root, "cherry-pick", theirs);
  const picked = git(root, "rev-parse", "HEAD").trim();
  expect(await differingPaths(folder, [theirs, picked])).toEqual(["f"]);
  expect(await differingPaths(folder, [theirs, theirs])).toEqual([]);
  expect(await differingPaths(folder, [ours, theirs])).toEqual(["a b", "f", "g", "h"]);
});

test("tells modes, binary files and other bytes apart", async () => {
  const { root, base } = twoSides({ f: "\0a", g: "\u00e9" }, {}, {});
  const folder = await openAt(root);
  const digests = [];
  for (const files of [{ f: "\0b" }, { f: "\0c" }, { f: "+\0a" }, { g: "\u00ea" }]) {
    git(root, "checkout", "-q", "--detach", base);
    digests.push(await changeDigest(folder, { from: base, to: commit(root, files) }));
  }
  expect(new Set(digests).size).toBe(4);
});

test("has no digest of a change whose files are not here", async () => {
  const sides = twoSides({ f: lines() }, { f: lines({ 5: "ours" }) }, {});
  const folder = await openAt(sides.root);
  lose(sides.root, `${sides.ours}:f`);
  const change = { from: sides.base, to: sides.ours };
  expect(await failureCode(changeDigest(folder, change))).toBe("ERR_MISSING_OBJECT");
});
