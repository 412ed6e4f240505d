import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listRefs, removeRefs } from "../src/refs.ts";
import { openRepository } from "../src/repository.ts";
import { restoreSnapshot } from "../src/restore.ts";
import { listSnapshots, takeSnapshot } from "../src/snapshots.ts";
import { commitStream } from "../src/tree-stream.ts";
import {
  aFolder,
  anEmptyRepository,
  aRepository,
  failureCode,
  git,
  headOf,
  read,
  traced,
  tryGit,
  write,
} from "./fixture.ts";
import { filesOf, untouched } from "./untouched.ts";

const prefix = "refs/quasar/run-1/";

test("keeps what is not committed and leaves everything as it is", async () => {
  const root = aRepository();
  write(root, "gone", "");
  write(root, "run.sh", "");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "second");
  rmSync(join(root, "gone"));
  chmodSync(join(root, "run.sh"), 0o755);
  write(root, "a.txt", "two\r\n");
  write(root, 'dir/new\nfile "q" é', "new");
  write(root, ".quasar/x", "");
  write(root, ".gitignore", "ignored\n");
  write(root, "ignored", "");
  symlinkSync("a.txt", join(root, "link"));
  const before = untouched(root);
  const taken = await takeSnapshot(root, { prefix, message: "before" });
  expect(untouched(root)).toEqual(before);
  expect(taken).toMatchObject({ n: 1, ref: `${prefix}1`, head: headOf(root), message: "before" });
  const tree = git(root, "ls-tree", "-r", "-z", `${prefix}1`).split("\0").slice(0, -1);
  expect(tree.map((line) => line.replace(/ blob \S+\t/, " "))).toEqual([
    "100644 .gitignore",
    "100644 a.txt",
    '100644 dir/new\nfile "q" é',
    "120000 link",
    "100755 run.sh",
  ]);
  expect(git(root, "show", `${prefix}1:a.txt`)).toBe("two\r\n");
  expect(await takeSnapshot(root, { prefix, message: "again" })).toMatchObject({ n: 2 });
  expect((await listSnapshots(root, prefix)).map(({ n }) => n)).toEqual([1, 2]);
  expect(git(root, "fsck", "--strict")).toBe("");
});

type Act = (root: string) => unknown;

const SCENES: readonly (readonly [name: string, act: Act])[] = [
  ["some files are staged", (r) => git(r, "add", write(r, "staged", "1"))],
  [
    "a file is staged and changed since",
    (r) => {
      git(r, "add", write(r, "staged", "1"));
      write(r, "staged", "2");
    },
  ],
  ["a file is staged with intent only", (r) => git(r, "add", "-N", write(r, "intent", "1"))],
  ["a file is taken out of the index", (r) => git(r, "rm", "-q", "--cached", "a.txt")],
  ["the index is missing", (r) => rmSync(join(r, ".git/index"))],
  ["the index is split", (r) => git(r, "update-index", "--split-index")],
  ["the index watches for untracked files", (r) => git(r, "update-index", "--untracked-cache")],
  ["HEAD is on no branch", (r) => git(r, "checkout", "-q", "--detach")],
  ["the branch has no commit", (r) => git(r, "checkout", "-q", "--orphan", "new")],
  [
    "there is a stash",
    (r) => {
      write(r, "a.txt", "stashed\n");
      git(r, "stash");
    },
  ],
  [
    "a merge has conflicts",
    (r) => {
      git(r, "checkout", "-q", "-b", "side");
      write(r, "a.txt", "side\n");
      git(r, "commit", "-qam", "side");
      git(r, "checkout", "-q", "main");
      write(r, "a.txt", "main\n");
      git(r, "commit", "-qam", "main");
      tryGit(r, "merge", "side");
    },
  ],
  [
    "a path is assumed to be unchanged, another skipped",
    (r) => {
      git(r, "add", write(r, "b.txt", "1"));
      git(r, "commit", "-qm", "b");
      git(r, "update-index", "--assume-unchanged", "a.txt");
      git(r, "update-index", "--skip-worktree", "b.txt");
      write(r, "a.txt", "hidden");
      write(r, "b.txt", "hidden");
    },
  ],
  [
    "the checkout is sparse",
    (r) => {
      git(r, "add", write(r, "out/x", "1"));
      git(r, "commit", "-qm", "out");
      git(r, "sparse-checkout", "set", "--cone", "in");
    },
  ],
];

test.for(SCENES)("leaves everything as it is where %s", async ([, act]) => {
  const root = aRepository();
  act(root);
  write(root, "new", "new");
  const files = filesOf(root);
  const before = untouched(root);
  const taken = await takeSnapshot(root, { prefix, message: "m" });
  expect(untouched(root)).toEqual(before);
  expect(filesOf(root)).toEqual(files);
  expect(git(root, "show", `${taken?.ref}:new`)).toBe("new");
  expect(git(root, "fsck", "--strict")).not.toContain("error");
});

test("what is hidden from git, a nested repository and a submodule stay as HEAD has them", async () => {
  const root = aRepository();
  git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", aRepository(), "sub");
  git(root, "commit", "-qm", "sub");
  write(root, "sub/a.txt", "changed");
  aRepository(join(root, "nested"));
  git(root, "update-index", "--assume-unchanged", "a.txt");
  write(root, "a.txt", "hidden");
  expect(await takeSnapshot(root, { prefix, message: "m" })).toBeUndefined();
  write(root, "new", "new");
  const taken = await takeSnapshot(root, { prefix, message: "m" });
  expect(git(root, "diff", "--name-status", "HEAD", taken?.sha ?? "").trim()).toBe("A\tnew");
});

test.for(Array.from({ length: 12 }, (_, seed) => seed))(
  "any change of a tree is kept, left alone and brought back (seed %i)",
  async (seed) => {
    const choose = chooser(seed);
    const root = seed % 4 === 3 ? anEmptyRepository() : aRepository();
    const change = (): void => {
      for (let count = 0; count < 12; count += 1) changeSomething(root, choose);
    };
    change();
    if (choose(3) === 0) tryGit(root, "add", "-A");
    if (choose(3) === 0) tryGit(root, "commit", "-qm", "more");
    change();
    const files = filesOf(root);
    const before = untouched(root);
    const taken = await takeSnapshot(root, { prefix, message: "m" });
    expect(untouched(root)).toEqual(before);
    expect(filesOf(root)).toEqual(files);
    if (taken === undefined) return;
    change();
    const after = untouched(root, ["status"]);
    await restoreSnapshot(root, { from: taken.ref, prefix, message: "replaced" });
    expect(filesOf(root)).toEqual(files);
    expect(untouched(root, ["status"])).toEqual(after);
  },
);

const PATHS = ["a.txt", "b", "b/c", "b/c/d", "b/e", "f/g", "f", 'é "x"', "a.txt/x"] as const;

function changeSomething(root: string, choose: (count: number) => number): void {
  const path = join(root, PATHS[choose(PATHS.length)] ?? "");
  const action = choose(7);
  rmSync(path, { recursive: true, force: true });
  try {
    if (action < 4) write(root, path.slice(root.length + 1), `${choose(3)}\n`.repeat(choose(3)));
    if (action === 3) chmodSync(path, 0o755);
    if (action === 4) symlinkSync(`to-${choose(3)}`, path);
    if (action === 5) mkdirSync(path);
  } catch {
    // A file is where a folder would be needed: nothing is changed.
  }
}

function chooser(seed: number): (count: number) => number {
  let state = seed + 1;
  return (count) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

test("says who and when, neutrally where the user has no name, with the trailers given", async () => {
  const root = aRepository();
  write(root, "new", "");
  const now = () => new Date("2026-01-02T03:04:05.678Z");
  const trailers = { "Quasar-Task": "t" };
  const message = "two\nlines";
  const taken = await takeSnapshot(root, { prefix, message, trailers, now });
  expect(taken).toMatchObject({ createdAt: "2026-01-02T03:04:05Z", message: "two lines" });
  expect(git(root, "cat-file", "commit", taken?.sha ?? "")).toContain(
    "committer Quasar <quasar@localhost> 1767323045 +0000\n\ntwo lines\n\nQuasar-Task: t\n",
  );
  git(root, "config", "user.name", "U <x>");
  git(root, "config", "user.email", "u@h");
  const named = await takeSnapshot(root, { prefix, message, now });
  expect(git(root, "cat-file", "commit", named?.sha ?? "")).toContain("committer U x <u@h> 17");
  expect(await listSnapshots(root, prefix)).toEqual([taken, named]);
});

test("gives each a number of its own, also to those that are taken at once", async () => {
  const root = aRepository();
  write(root, "new", "");
  const takes = Array.from({ length: 4 }, (_, index) =>
    takeSnapshot(root, { prefix, message: `m${index}` }),
  );
  const numbers = (await Promise.all(takes)).map((taken) => taken?.n);
  expect(new Set(numbers)).toEqual(new Set([1, 2, 3, 4]));
});

test("lists and removes the refs of one run, not those of others", async () => {
  const root = aRepository();
  write(root, "new", "");
  const other = "refs/quasar/run-10/";
  await takeSnapshot(root, { prefix, message: "m" });
  await takeSnapshot(root, { prefix, message: "m" });
  await takeSnapshot(root, { prefix: other, message: "m" });
  expect((await listRefs(root, "refs/quasar/")).map(({ ref }) => ref)).toEqual(
    [`${prefix}1`, `${prefix}2`, `${other}1`].toSorted(),
  );
  await removeRefs(root, await listRefs(root, prefix));
  expect((await listRefs(root, "refs/quasar/")).map(({ ref }) => ref)).toEqual([`${other}1`]);
  await removeRefs(root, await listRefs(root, prefix));
  for (const bad of ["refs/quasar", "refs/quasar/../heads/", "-x", "refs/quasar/a b/"]) {
    expect(await failureCode(listRefs(root, bad)), bad).toBe("ERR_INVALID_ARGUMENT");
  }
});

test("is written durably, in six processes, three where there is nothing to keep", async () => {
  const root = aRepository();
  expect(await traced(() => takeSnapshot(root, { prefix, message: "m" }))).toHaveLength(3);
  write(root, "new", "");
  const processes = await traced(() => takeSnapshot(root, { prefix, message: "m" }));
  expect(processes).toHaveLength(6);
  // Of a single new object git would make no pack, and start a process more.
  write(root, "newer", "newer");
  const known = { prefix, message: "m", repository: await openRepository(root) };
  expect(await traced(() => takeSnapshot(root, known))).toHaveLength(5);
  const flushed = processes.filter(({ flushes }) => flushes > 0).map(({ argv }) => argv.join(" "));
  expect(flushed.some((argv) => argv.includes("fast-import"))).toBe(true);
  expect(flushed.some((argv) => argv.includes("update-ref"))).toBe(true);
});

test("is kept in a repository of SHA-256, from its first file on", async () => {
  const root = anEmptyRepository(aFolder(), "--object-format=sha256");
  write(root, "new", "1");
  const taken = await takeSnapshot(root, { prefix, message: "m" });
  expect(taken?.sha).toHaveLength(64);
  write(root, "new", "2");
  await restoreSnapshot(root, { from: taken?.ref ?? "", prefix, message: "m" });
  expect(read(root, "new")).toBe("1");
});

test("nothing is taken of a stream that breaks off, wherever it does", async () => {
  const root = aRepository();
  write(root, "new", "1");
  const chunks: Buffer[] = [];
  for await (const chunk of commitStream({
    root,
    parent: headOf(root),
    nothing: "0".repeat(40),
    committer: "A <a@h> 0 +0000",
    message: "m\n",
    paths: ["a.txt", "new"],
    staged: [],
  })) {
    chunks.push(chunk);
  }
  for (let count = 1; count <= chunks.length; count += 1) {
    const input = Buffer.concat(chunks.slice(0, count));
    const options = { cwd: root, input, stdio: "pipe" } as const;
    const run = () => execFileSync("git", ["fast-import", "--quiet"], options);
    if (count < chunks.length) expect(run).toThrow("Command failed");
    else expect(run().toString().trim()).toMatch(/^[0-9a-f]{40}$/);
    expect(git(root, "for-each-ref", "refs/quasar"), `after ${count} parts`).toBe("");
  }
});

test("a file that cannot be read is named, and nothing is kept", async () => {
  const root = aRepository();
  truncateSync(write(root, "large", ""), 2 ** 31);
  const taking = takeSnapshot(root, { prefix, message: "m" });
  expect(await failureCode(taking)).toBe("ERR_SNAPSHOT_FAILED");
  expect(await listRefs(root, "refs/quasar/")).toEqual([]);
});

test("is of the files that are there, though the repository replaces HEAD with another commit", async () => {
  const root = aRepository();
  const tree = git(root, "hash-object", "-wt", "tree", "/dev/null").trim();
  git(root, "replace", "HEAD", git(root, "commit-tree", "-m", "other", tree).trim());
  write(root, "new", "1");
  const taken = await takeSnapshot(root, { prefix, message: "m" });
  const names = git(root, "--no-replace-objects", "ls-tree", "--name-only", taken?.sha ?? "");
  expect(names).toBe("a.txt\nnew\n");
});

test.for([
  ["", () => undefined],
  [" and is staged", (root: string) => git(root, "add", "-A")],
] as const)(
  "keeps a link that came where a folder was%s, not what is behind it",
  async ([, stage]) => {
    const root = aRepository();
    write(root, "d/deep/x", "mine");
    git(root, "add", "-A");
    git(root, "commit", "-qm", "d");
    const outside = aFolder();
    write(outside, "deep/x", "theirs");
    rmSync(join(root, "d"), { recursive: true });
    symlinkSync(outside, join(root, "d"));
    stage(root);
    const taken = await takeSnapshot(root, { prefix, message: "m" });
    const entries = git(root, "ls-tree", "-r", taken?.sha ?? "")
      .trim()
      .split("\n");
    expect(entries.map((entry) => entry.replace(/ blob \w+\t/, " "))).toEqual([
      "100644 a.txt",
      "120000 d",
    ]);
    const all = git(root, "cat-file", "--batch-all-objects", "--batch-check", "--unordered");
    const theirs = git(root, "hash-object", join(outside, "deep/x")).trim();
    expect(all).not.toContain(theirs);
  },
);
