import { rmSync } from "node:fs";
import { join } from "node:path";
import { haveCommonPast } from "../../src/head.ts";
import { expect, onTestFinished, test } from "vitest";
import { mergeTrees } from "../../src/landing/merge-trees.ts";
import { aFolder, failure, failureCode, git, script, write } from "../fixture.ts";
import { commit, type Files, gitWith, lines, lose, openAt, show, twoSides } from "./fixture.ts";

test("merges what does not meet, into a tree alone", async () => {
  const { root, ours, theirs } = twoSides(
    { f: lines(), gone: "x" },
    { f: lines({ 1: "ours" }), a: "a" },
    { f: lines({ 15: "theirs" }), gone: undefined },
  );
  write(root, "f", "uncommitted");
  const before = git(root, "status", "--porcelain") + git(root, "show-ref");
  const merged = await mergeTrees(await openAt(root), { ours, theirs });
  expect(merged.conflicts).toEqual([]);
  expect(git(root, "ls-tree", "-r", "--name-only", merged.tree)).toBe("a\nf\n");
  expect(show(root, merged.tree, "f")).toBe(lines({ 1: "ours", 15: "theirs" }));
  expect(git(root, "status", "--porcelain") + git(root, "show-ref")).toBe(before);
});

type Conflict = readonly [
  name: string,
  base: Files,
  ours: Files,
  theirs: Files,
  conflicts: readonly string[],
];

const CONFLICTS: readonly Conflict[] = [
  [
    "content",
    { f: lines() },
    { f: lines({ 5: "ours" }) },
    { f: lines({ 5: "theirs" }) },
    ["contents f"],
  ],
  ["add/add", {}, { f: "ours\n" }, { f: "theirs\n" }, ["contents f"]],
  [
    "modify/delete",
    { f: lines() },
    { f: lines({ 5: "ours" }) },
    { f: undefined },
    ["modify/delete f"],
  ],
  [
    "rename/rename",
    { f: lines() },
    { f: undefined, g: lines() },
    { f: undefined, h: lines() },
    ["rename/rename f", "rename/rename g", "rename/rename h"],
  ],
  [
    "rename/delete",
    { f: lines() },
    { f: undefined, g: lines() },
    { f: undefined },
    ["rename/delete g"],
  ],
  [
    "mode",
    { f: lines() },
    { f: `+${lines({ 5: "ours" })}` },
    { f: "->elsewhere" },
    ["distinct modes f", "distinct modes f~OURS"],
  ],
  ["binary", { f: "\0" }, { f: "\0a" }, { f: "\0b" }, ["binary f", "contents f"]],
  [
    "case-only rename",
    { f: lines() },
    { f: undefined, F: lines() },
    { f: undefined, "f.": lines() },
    ["rename/rename F", "rename/rename f", "rename/rename f."],
  ],
  ["file/directory", {}, { d: "ours\n" }, { "d/e": "theirs\n" }, ["file/directory d~OURS"]],
];

test.for(CONFLICTS)("tells a conflict: %s", async ([, base, ours, theirs, expected]) => {
  const sides = twoSides(base, ours, theirs);
  const merged = await mergeTrees(await openAt(sides.root), sides);
  const found = merged.conflicts.map(({ kind, path }) => `${kind} ${path}`);
  expect(found.map((each) => each.replace(sides.ours, "OURS")).toSorted()).toEqual(expected);
  expect(merged.conflicts.every(({ message }) => /^\S[^\n]*$/u.test(message))).toBe(true);
  expect(git(sides.root, "cat-file", "-t", merged.tree)).toBe("tree\n");
});

test("tells a conflict of a submodule's commits", async () => {
  const { root, base } = twoSides({ f: "x" }, {}, {});
  const link = (parent: string, digit: string): string => {
    const entry = `160000 commit ${digit.repeat(40)}\tsub\n`;
    const tree = gitWith(root, git(root, "ls-tree", base) + entry, "mktree").trim();
    return git(root, "commit-tree", tree, "-p", parent, "-m", digit).trim();
  };
  const before = link(base, "1");
  const sides = { ours: link(before, "2"), theirs: link(before, "3") };
  const { conflicts } = await mergeTrees(await openAt(root), sides);
  expect(conflicts.map(({ path }) => path)).toEqual(["sub", "sub"]);
  expect(conflicts[0]?.kind).toMatch(/^submodule/u);
});

test("follows a rename that differs by case alone to the other side's edit", async () => {
  const sides = twoSides(
    { f: lines() },
    { f: undefined, F: lines() },
    { f: lines({ 5: "theirs" }) },
  );
  const { tree, conflicts } = await mergeTrees(await openAt(sides.root), sides);
  expect(conflicts).toEqual([]);
  expect(git(sides.root, "ls-tree", "--name-only", tree)).toBe("F\n");
  expect(show(sides.root, tree, "F")).toBe(lines({ 5: "theirs" }));
});

test("does not move a new file after a renamed folder", async () => {
  const sides = twoSides(
    { "d/a": lines(), "d/b": lines({ 1: "b" }) },
    { "d/a": undefined, "d/b": undefined, "e/a": lines(), "e/b": lines({ 1: "b" }) },
    { "d/c": "new\n" },
  );
  const { tree } = await mergeTrees(await openAt(sides.root), sides);
  expect(git(sides.root, "ls-tree", "-r", "--name-only", tree)).toBe("d/c\ne/a\ne/b\n");
});

test("tells paths as they are, and messages as one line", async () => {
  const path = 'odd "\n\u001b[31m name';
  const sides = twoSides({}, { [path]: "ours\n" }, { [path]: "theirs\n" });
  const { conflicts } = await mergeTrees(await openAt(sides.root), sides);
  expect(conflicts.map((each) => each.path)).toEqual([path]);
  // oxlint-disable-next-line no-control-regex
  expect(conflicts[0]?.message).not.toMatch(/[\u0000-\u001f]/u);
});

test("gives the same ids again, from elsewhere, for another user, in another place and time", async () => {
  const sides = twoSides(
    { f: lines(), g: lines() },
    { f: lines({ 5: "ours" }), g: lines({ 1: "ours" }) },
    { f: lines({ 5: "theirs" }), g: lines({ 15: "theirs" }) },
  );
  const folder = await openAt(sides.root);
  const first = await mergeTrees(folder, sides);
  expect(await mergeTrees(folder, sides)).toEqual(first);
  const home = aFolder();
  const config = write(
    home,
    ".config/git/config",
    "[merge]\n\tdefault = union\n\tconflictStyle = diff3\n\trenames = false\n[core]\n\tautocrlf = true\n[i18n]\n\tcommitEncoding = latin1\n",
  );
  write(home, ".config/git/attributes", "* merge=union\n");
  const before = { ...process.env };
  onTestFinished(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  });
  Object.assign(process.env, {
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    GIT_CONFIG_GLOBAL: config,
    LC_ALL: "tr_TR.UTF-8",
    TZ: "Pacific/Kiritimati",
    GIT_AUTHOR_DATE: "2001-01-01",
  });
  expect(await mergeTrees(folder, sides)).toEqual(first);
  const clone = join(aFolder(), "clone");
  git(aFolder(), "clone", "-q", "--branch", "theirs", sides.root, clone);
  expect(await mergeTrees(await openAt(clone), sides)).toEqual(first);
});

test("works in a repository of SHA-256", async () => {
  const sides = twoSides({ f: "f" }, { a: "a" }, { b: "b" }, "--object-format=sha256");
  const { tree, conflicts } = await mergeTrees(await openAt(sides.root), sides);
  expect(tree).toHaveLength(64);
  expect(conflicts).toEqual([]);
});

test("works from a linked work tree", async () => {
  const sides = twoSides({ f: "f" }, { a: "a" }, { b: "b" });
  const linked = join(aFolder(), "linked");
  git(sides.root, "worktree", "add", "-q", "--detach", linked, sides.theirs);
  const folder = await openAt(linked);
  expect(folder.path).toBe(join(sides.root, ".git/quasar/merge.git"));
  expect((await mergeTrees(folder, sides)).conflicts).toEqual([]);
});

test("works where history is cut off, also after that has changed", async () => {
  const { root } = twoSides({ f: "f" }, { a: "a" }, { b: "b" });
  const second = commit(root, { a: "again" });
  const clone = join(aFolder(), "clone");
  git(aFolder(), "clone", "-q", "--depth=1", `file://${root}`, clone);
  const folder = await openAt(clone);
  const ours = commit(clone, { c: "c" });
  git(clone, "reset", "-q", "--hard", second);
  const theirs = commit(clone, { d: "d" });
  const merged = await mergeTrees(folder, { ours, theirs });
  expect(git(clone, "ls-tree", "--name-only", merged.tree)).toBe("a\nc\nd\nf\n");
  git(clone, "fetch", "-q", "--unshallow");
  expect(await mergeTrees(folder, { ours, theirs })).toEqual(merged);
  git(clone, "fetch", "-q", "--depth=1", "origin", second);
  expect(await mergeTrees(folder, { ours, theirs })).toEqual(merged);
});

const LOST = [
  "ours",
  "theirs:f",
  "main~1:f",
  "theirs^{tree}",
  "main~1^{tree}",
  "theirs:d",
] as const;

test.for(LOST)("calls it no conflict, and no merge, where %s is missing", async (lost) => {
  const sides = twoSides(
    { f: lines(), "d/x": "x", "d/y": "y" },
    { f: lines({ 1: "ours" }), "d/x": "ours" },
    { f: lines({ 15: "theirs" }), "d/y": "theirs" },
  );
  const folder = await openAt(sides.root);
  lose(sides.root, lost === "ours" ? sides.ours : lost);
  const error = await failure(mergeTrees(folder, sides));
  expect(error.code).toBe("ERR_MISSING_OBJECT");
  expect(error.message).toContain("fetch");
});

test("fetches nothing into a partial clone", async () => {
  const sides = twoSides(
    { f: lines() },
    { f: lines({ 1: "ours" }) },
    { f: lines({ 15: "theirs" }) },
  );
  git(sides.root, "config", "uploadpack.allowFilter", "true");
  const clone = join(aFolder(), "clone");
  const url = `file://${sides.root}`;
  git(aFolder(), "clone", "-q", "--no-checkout", "--filter=blob:none", url, clone);
  const folder = await openAt(clone);
  expect(await failureCode(mergeTrees(folder, sides))).toBe("ERR_MISSING_OBJECT");
  git(clone, "fetch", "-q", "--refetch", "--no-filter");
  expect((await mergeTrees(folder, sides)).conflicts, "as the command advises").toEqual([]);
});

test("refuses commits without a common past, and what is no commit", async () => {
  const { root, base, ours, theirs } = twoSides({ f: "f" }, { a: "a" }, {});
  const tree = git(root, "rev-parse", `${ours}^{tree}`).trim();
  const alone = git(root, "commit-tree", tree, "-m", "alone").trim();
  const folder = await openAt(root);
  expect(await failureCode(mergeTrees(folder, { ours, theirs: alone }))).toBe("ERR_GIT_FAILED");
  expect(await haveCommonPast(root, ours, alone)).toBe(false);
  expect(await haveCommonPast(root, ours, base)).toBe(true);
  expect(await haveCommonPast(root, theirs, ours)).toBe(true);
  expect(await haveCommonPast(root, ours, "0".repeat(40))).toBe(undefined);
  expect(await failureCode(mergeTrees(folder, { ours, theirs: tree }))).toBe("ERR_BAD_REVISION");
  expect(await failureCode(mergeTrees(folder, { ours, theirs: "main" }))).toBe("ERR_BAD_REVISION");
});

test.for([
  ["2.37.9", false],
  ["1.99.0", false],
  ["2.38.0", true],
  ["2.100.1", true],
  ["3.0.0", true],
] as const)("takes git %s: %s", async ([version, isTaken]) => {
  const { root } = twoSides({ f: "f" }, {}, {});
  const bin = aFolder();
  const real = git(root, "--exec-path").trim();
  const say = `[ "$2" = --version ] && echo 'git version ${version}' || exec '${real}/git' "$@"`;
  script(bin, "git", say);
  const before = process.env["PATH"];
  process.env["PATH"] = `${bin}:${before}`;
  onTestFinished(() => {
    process.env["PATH"] = before;
    rmSync(bin, { recursive: true });
  });
  if (isTaken) expect((await openAt(root)).gitVersion).toBe(version);
  else expect(await failureCode(openAt(root))).toBe("ERR_GIT_TOO_OLD");
});
