import { existsSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { changeDigest } from "../../src/landing/change-digest.ts";
import { commitTree, landingDate } from "../../src/landing/commit-tree.ts";
import { conflictMarkersLeft } from "../../src/landing/conflict-markers.ts";
import {
  addDetachedWorkTree,
  checkOutCommit,
  repairWorkTrees,
} from "../../src/landing/detached-work-trees.ts";
import { mergeTrees } from "../../src/landing/merge-trees.ts";
import { compareAndSwapRef } from "../../src/landing/swap-ref.ts";
import { workTreesOn } from "../../src/landing/work-trees-on.ts";
import { removeWorktree } from "../../src/worktree.ts";
import { aCanary, aFolder, git, read, script, tryGit, write } from "../fixture.ts";
import { lines, openAt, type Sides, twoSides } from "./fixture.ts";

function conflicting(): Sides {
  const base = { "f.txt": lines(), ".gitattributes": "*.in merge=evil filter=evil diff=evil\n" };
  return twoSides(
    { ...base, "f.in": lines() },
    { "f.txt": lines({ 5: "ours" }), "f.in": lines({ 5: "ours" }) },
    { "f.txt": lines({ 5: "theirs" }), "f.in": lines({ 5: "theirs" }) },
  );
}

const AUTHOR = { name: "Quasar", email: "quasar@localhost" };

/** All that landing does, from the merge to the work tree. */
async function land({ root, ours, theirs }: Sides): Promise<unknown> {
  const folder = await openAt(root);
  const { repository } = folder;
  const merged = await mergeTrees(folder, { ours, theirs });
  const parents = [ours, theirs];
  const candidate = await commitTree(folder, {
    tree: merged.tree,
    parents,
    message: "Land",
    author: AUTHOR,
    atSeconds: await landingDate(folder, parents),
  });
  const digest = await changeDigest(folder, { from: ours, to: candidate });
  const left = await conflictMarkersLeft(folder, {
    conflictCommit: candidate,
    tree: candidate,
    paths: merged.conflicts.map(({ path }) => path),
  });
  const ref = "refs/heads/nebula/x";
  await workTreesOn(repository, "nebula/x");
  await compareAndSwapRef(repository, { ref, from: undefined, to: ours, message: "begin" });
  await compareAndSwapRef(repository, { ref, from: ours, to: candidate, message: "land" });
  const trees = aFolder();
  const path = join(trees, "p");
  const made = await addDetachedWorkTree(repository, { path, commit: ours });
  await checkOutCommit(made, candidate);
  await repairWorkTrees(repository, trees);
  await removeWorktree(root, path);
  return { merged, candidate, digest, left, at: git(root, "rev-parse", ref).trim() };
}

/** What a trap is, and the git command, run plainly, that falls into it. */
type Trap = readonly [
  name: string,
  lay: (root: string, program: string) => void,
  control: (root: string) => void,
];

const merges = (root: string): void => {
  tryGit(root, "merge-tree", "--write-tree", "main", "theirs");
};
const moves = (root: string): void => {
  tryGit(root, "update-ref", "refs/heads/control", "main");
};
const checksOut = (root: string): void => {
  tryGit(root, "worktree", "add", "--detach", join(aFolder(), "control"), "theirs");
};
const shows = (root: string): void => {
  tryGit(root, "diff", "main", "theirs");
};

function driver(root: string, name: string, program: string): void {
  git(root, "config", `merge.${name}.driver`, program);
}

function filter(root: string, key: string, program: string): void {
  git(root, "config", `filter.evil.${key}`, program);
}

function hook(root: string, name: string, program: string): void {
  write(root, `.git/hooks/${name}`, "");
  rmSync(join(root, ".git/hooks", name));
  symlinkSync(program, join(root, ".git/hooks", name));
}

const TRAPS: readonly Trap[] = [
  [
    "a merge driver that a .gitattributes names",
    (root, program) => driver(root, "evil", program),
    merges,
  ],
  [
    "a merge driver that info/attributes names",
    (root, program) => {
      write(root, ".git/info/attributes", "*.txt merge=other\n");
      driver(root, "other", program);
    },
    merges,
  ],
  [
    "a merge driver that core.attributesFile names",
    (root, program) => {
      git(root, "config", "core.attributesFile", write(root, ".git/more", "* merge=other\n"));
      driver(root, "other", program);
    },
    merges,
  ],
  [
    "merge.default",
    (root, program) => {
      git(root, "config", "merge.default", "other");
      driver(root, "other", program);
    },
    merges,
  ],
  [
    "a merge driver in an included file",
    (root, program) => {
      write(root, ".git/more", `[merge "evil"]\n\tdriver = ${program}\n`);
      git(root, "config", "includeIf.gitdir:/**.path", join(root, ".git/more"));
    },
    merges,
  ],
  ["reference-transaction", (root, program) => hook(root, "reference-transaction", program), moves],
  [
    "core.hooksPath",
    (root, program) => {
      script(join(root, ".git"), "h/reference-transaction", `'${program}'`);
      git(root, "config", "core.hooksPath", join(root, ".git/h"));
    },
    moves,
  ],
  ["post-checkout", (root, program) => hook(root, "post-checkout", program), checksOut],
  ["post-index-change", (root, program) => hook(root, "post-index-change", program), checksOut],
  [
    "core.fsmonitor",
    (root, program) => git(root, "config", "core.fsmonitor", program),
    (root) => tryGit(root, "status"),
  ],
  ["filter.*.smudge", (root, program) => filter(root, "smudge", program), checksOut],
  ["filter.*.process", (root, program) => filter(root, "process", program), checksOut],
  [
    "a filter in a included file",
    (root, program) => {
      write(root, ".git/more", `[filter "evil"]\n\tsmudge = ${program}\n\trequired\n`);
      git(root, "config", "includeIf.gitdir:/**.path", join(root, ".git/more"));
    },
    checksOut,
  ],
  ["a diff driver", (root, program) => git(root, "config", "diff.evil.textconv", program), shows],
  ["diff.external", (root, program) => git(root, "config", "diff.external", program), shows],
];

test.for(TRAPS)("starts nothing of %s, and gives the same", async ([, lay, control]) => {
  const sides = conflicting();
  const { root } = sides;
  const plain = await land(sides);
  git(root, "update-ref", "-d", "refs/heads/nebula/x");
  const canary = aCanary();
  lay(root, canary.program);
  control(root);
  expect(canary.sang(), "git itself falls into the trap").toBe(true);
  expect(await land(sides)).toEqual(plain);
  expect(canary.sang()).toBe(false);
});

const DECEPTIONS: readonly (readonly [name: string, lay: (sides: Sides) => void])[] = [
  ["attributes", ({ root }) => write(root, ".git/info/attributes", "* merge=union\n* -diff\n")],
  ["a replaced commit", ({ root, base, theirs }) => git(root, "replace", theirs, base)],
  ["a graft", ({ root, theirs }) => write(root, ".git/info/grafts", `${theirs}\n`)],
  ["merge.renames", ({ root }) => git(root, "config", "merge.renames", "false")],
  ["merge.conflictStyle", ({ root }) => git(root, "config", "merge.conflictStyle", "diff3")],
  ["i18n.commitEncoding", ({ root }) => git(root, "config", "i18n.commitEncoding", "latin1")],
  ["diff.context", ({ root }) => git(root, "config", "diff.context", "0")],
];

test.for(DECEPTIONS)("is not misled by %s", async ([, lay]) => {
  const sides = conflicting();
  const plain = await land(sides);
  git(sides.root, "update-ref", "-d", "refs/heads/nebula/x");
  lay(sides);
  expect(await land(sides)).toEqual(plain);
});

test("does not use a merge folder that somebody has changed, and keeps what they put there", async () => {
  const sides = conflicting();
  const folder = await openAt(sides.root);
  const plain = await mergeTrees(folder, sides);
  const canary = aCanary();
  const changes: readonly ((path: string) => void)[] = [
    (path) => write(path, "info/attributes", "* merge=evil\n"),
    (path) => write(path, "config", "[core]\n\tbare = true\n[merge]\n\tdefault = evil\n"),
    (path) => write(path, "commondir", `${sides.root}/.git\n`),
    (path) => write(path, "refs/replace/x", ""),
    (path) => write(path, "shallow", `${sides.theirs}\n`),
    (path) => rmSync(join(path, "refs"), { recursive: true }),
    (path) => rmSync(path, { recursive: true }),
    (path) => {
      rmSync(path, { recursive: true });
      symlinkSync(join(sides.root, ".git"), path);
    },
  ];
  for (const change of changes) {
    change(folder.path);
    driver(sides.root, "evil", canary.program);
    expect(await mergeTrees(folder, sides)).toEqual(plain);
  }
  expect(canary.sang()).toBe(false);
  const left = readdirSync(dirname(folder.path)).filter((name) => name.includes(".left-"));
  expect(left.length, "all but a shallow file and what was removed").toBe(6);
  expect(left.some((name) => existsSync(join(dirname(folder.path), name, "info")))).toBe(true);
});

test("lets a filter of the user's own settings write files, whatever the repository makes of it", async () => {
  const sides = conflicting();
  const config = write(aFolder(), "config", '[filter "evil"]\n\tsmudge = sed s/line/LINE/\n');
  const before = process.env["GIT_CONFIG_GLOBAL"];
  process.env["GIT_CONFIG_GLOBAL"] = config;
  onTestFinished(() => {
    process.env["GIT_CONFIG_GLOBAL"] = before;
  });
  const canary = aCanary();
  filter(sides.root, "smudge", canary.program);
  filter(sides.root, "required", "true");
  const { repository } = await openAt(sides.root);
  const path = join(aFolder(), "p");
  await addDetachedWorkTree(repository, { path, commit: sides.ours });
  expect(git(path, "show", ":f.in")).toBe(lines({ 5: "ours" }));
  expect(read(path, "f.in")).toContain("LINE 1\n");
  filter(sides.root, "process", canary.program);
  const other = join(aFolder(), "p");
  await addDetachedWorkTree(repository, { path: other, commit: sides.ours });
  expect(read(other, "f.in"), "git runs no filter beside a process").toContain("line 1\n");
  expect(canary.sang()).toBe(false);
});
