import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inspectRepository } from "../src/inspect.ts";
import { listRefs, removeRefs } from "../src/refs.ts";
import { restoreSnapshot } from "../src/restore.ts";
import { packSnapshot, type SnapshotPack, verifySnapshotPack } from "../src/snapshot-pack.ts";
import { type Snapshot, takeSnapshot } from "../src/snapshots.ts";
import {
  aFolder,
  aRepository,
  anEmptyRepository,
  failureCode,
  git,
  read,
  tryGit,
  write,
} from "./fixture.ts";
import { filesOf, untouched } from "./untouched.ts";

const prefix = "refs/quasar/run-1/";

type Act = (root: string) => void;
type Row = readonly [name: string, before: Act, after: Act];

const remove = (root: string, path: string): void =>
  rmSync(join(root, path), { recursive: true, force: true });

const ROWS: readonly Row[] = [
  ["a changed file", (r) => write(r, "a.txt", "two\n"), (r) => write(r, "a.txt", "three\n")],
  ["a clean tree", () => undefined, (r) => write(r, "a.txt", "three\n")],
  ["a deleted file", (r) => remove(r, "a.txt"), (r) => write(r, "a.txt", "back\n")],
  ["an untracked file", (r) => write(r, "d/e/new", "1"), (r) => remove(r, "d")],
  ["a file that came since", () => undefined, (r) => write(r, "d/e/new", "1")],
  [
    "an executable bit",
    (r) => chmodSync(join(r, "a.txt"), 0o755),
    (r) => chmodSync(join(r, "a.txt"), 0o644),
  ],
  [
    "a link in the place of a file",
    (r) => {
      remove(r, "a.txt");
      symlinkSync("nowhere/x", join(r, "a.txt"));
    },
    (r) => {
      remove(r, "a.txt");
      write(r, "a.txt", "file\n");
    },
  ],
  [
    "a folder in the place of a file",
    (r) => {
      remove(r, "a.txt");
      write(r, "a.txt/deep/x", "x");
    },
    (r) => {
      remove(r, "a.txt");
      write(r, "a.txt", "file\n");
    },
  ],
  [
    "a file in the place of a folder",
    (r) => write(r, "d", "file"),
    (r) => {
      remove(r, "d");
      write(r, "d/e/f", "x");
      write(r, "d/g", "y");
    },
  ],
  [
    "a file in the place of an empty folder",
    (r) => write(r, "d", "file"),
    (r) => {
      remove(r, "d");
      mkdirSync(join(r, "d/e"), { recursive: true });
    },
  ],
  [
    "line endings, as they were",
    (r) => {
      git(r, "config", "core.autocrlf", "true");
      write(r, "a.txt", "one\nmixed\r\nlines\n");
      write(r, "b.txt", "only\nlf\n");
      write(r, "c.bin", "\0\r\n\xff");
    },
    (r) => {
      write(r, "a.txt", "x\n");
      remove(r, "b.txt");
      remove(r, "c.bin");
    },
  ],
  [
    "names of all sorts",
    (r) => {
      write(r, 'q"uo\\te\nline\ttab é \u{1f600}', "x");
      write(r, "-n", "x");
      write(r, ":(top)x", "x");
      writeFileSync(Buffer.concat([Buffer.from(`${r}/`), Buffer.from([0x66, 0xff])]), "bytes");
    },
    (r) => {
      for (const path of Object.keys(filesOf(r))) {
        if (path !== "a.txt") rmSync(Buffer.from(join(r, path), "latin1"));
      }
    },
  ],
  [
    "what is staged, and staged with intent only",
    (r) => {
      write(r, "staged", "1");
      write(r, "intent", "2");
      git(r, "add", "staged");
      git(r, "add", "-N", "intent");
      write(r, "staged", "3");
    },
    (r) => {
      write(r, "staged", "4");
      remove(r, "intent");
    },
  ],
  [
    "files in conflict",
    (r) => {
      git(r, "checkout", "-q", "-b", "side");
      write(r, "a.txt", "side\n");
      git(r, "commit", "-qam", "side");
      git(r, "checkout", "-q", "main");
      write(r, "a.txt", "main\n");
      git(r, "commit", "-qam", "main");
      tryGit(r, "merge", "side");
    },
    (r) => write(r, "a.txt", "resolved\n"),
  ],
  [
    "files under another commit",
    (r) => write(r, "a.txt", "two\n"),
    (r) => {
      write(r, "b.txt", "b\n");
      git(r, "add", "-A");
      git(r, "commit", "-qm", "later");
    },
  ],
];

test.for(ROWS)("brings back %s", async ([, before, after]) => {
  const root = aRepository();
  before(root);
  const wanted = filesOf(root);
  const taken = await takeSnapshot(root, { prefix, message: "before" });
  const from = taken?.ref ?? git(root, "rev-parse", "HEAD").trim();
  after(root);
  const replaced = filesOf(root);
  const rest = untouched(root, ["status"]);
  const { replaced: kept } = await restoreSnapshot(root, { from, prefix, message: "replaced" });
  expect(filesOf(root)).toEqual(wanted);
  expect(untouched(root, ["status"])).toEqual(rest);
  const back = kept?.ref ?? git(root, "rev-parse", "HEAD").trim();
  await restoreSnapshot(root, { from: back, prefix, message: "again" });
  expect(filesOf(root)).toEqual(replaced);
  expect(readdirSync(join(root, ".git")).filter((name) => name.startsWith("index."))).toEqual([]);
});

/** Nothing that only a snapshot held is left in the repository. */
function forget(root: string): void {
  git(root, "reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all");
  git(root, "gc", "-q", "--prune=now");
}

/** Keeps a snapshot in a pack, and nowhere else. */
async function packed(root: string, snapshot: Snapshot): Promise<SnapshotPack> {
  const file = join(aFolder(), "snapshots/1.pack");
  const pack = { snapshot: await packSnapshot(root, snapshot, file), file };
  await verifySnapshotPack(root, pack);
  expect(readdirSync(join(file, ".."))).toEqual(["1.pack"]);
  expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
  await removeRefs(root, await listRefs(root, prefix));
  forget(root);
  expect(() => git(root, "cat-file", "-e", snapshot.sha)).toThrow("Command failed");
  return pack;
}

const CHANGED = ROWS.filter(([name]) => !["a clean tree", "a file that came since"].includes(name));

const PACKED: readonly (readonly [...Row, format: string])[] = [
  ...CHANGED.map((row) => [...row, "sha1"] as const),
  ...CHANGED.slice(0, 3).map(
    ([name, ...acts]) => [`${name} of SHA-256`, ...acts, "sha256"] as const,
  ),
  [
    "a binary file that is renamed",
    (r) => {
      writeFileSync(join(r, "new.bin"), Buffer.from([0, 255, 13, 10, 0, 1]));
      remove(r, "a.txt");
    },
    (r) => write(r, "new.bin", "text"),
    "sha1",
  ],
];

test.for(PACKED)("a pack alone brings back %s", async ([, before, after, format]) => {
  const root = aRepository(aFolder(), `--object-format=${format}`);
  before(root);
  const wanted = filesOf(root);
  const taken = await takeSnapshot(root, { prefix, message: "before" });
  if (taken === undefined) throw new Error("there is something to keep");
  const from = await packed(root, taken);
  after(root);
  const rest = untouched(root, ["status"]);
  const restored = await restoreSnapshot(root, { from, prefix, message: "replaced", after: 7 });
  expect([restored.isWhole, restored.replaced?.n ?? 8]).toEqual([true, 8]);
  expect(filesOf(root)).toEqual(wanted);
  expect(untouched(root, ["status"])).toEqual(rest);
  await removeRefs(root, await listRefs(root, prefix));
  forget(root);
  expect(git(root, "count-objects", "-v"), "nothing of it came into git").toMatch(/^count: 0$/m);
});

test("a pack has what was staged", async () => {
  const root = aRepository();
  git(root, "add", write(root, "a.txt", "staged\n"));
  write(root, "a.txt", "on disk\n");
  const taken = await takeSnapshot(root, { prefix, message: "before" });
  if (taken?.staged === undefined) throw new Error("something is staged");
  git(root, "reset", "-q");
  const from = await packed(root, taken.staged);
  await restoreSnapshot(root, { from, prefix, message: "m" });
  expect(read(root, "a.txt")).toBe("staged\n");
});

test("a pack brings its own files back where the commit that they were changed at is lost", async () => {
  const root = aRepository();
  write(root, "b.txt", "b\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "second");
  write(root, "a.txt", "changed\n");
  write(root, "new", "new");
  const taken = await takeSnapshot(root, { prefix, message: "before" });
  if (taken === undefined) throw new Error("there is something to keep");
  git(root, "checkout", "-q", "-f", "--orphan", "other");
  git(root, "rm", "-rfq", ".");
  remove(root, "new");
  write(root, "c.txt", "c\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "other");
  git(root, "branch", "-q", "-D", "main");
  const from = await packed(root, taken);
  const restored = await restoreSnapshot(root, { from, prefix, message: "m" });
  expect(restored).toMatchObject({ isWhole: false, changed: ["a.txt", "new"] });
  expect(Object.keys(filesOf(root))).toEqual(["a.txt", "c.txt", "new"]);
  expect(read(root, "a.txt")).toBe("changed\n");
});

test.for([
  ["is missing", (file: string) => rmSync(file)],
  ["has a changed byte", (file: string) => change(file, (bytes) => (bytes[20]! ^= 1))],
  ["is cut short", (file: string) => truncateSync(file, 40)],
] as const)("nothing is changed by a pack that %s", async ([, damage]) => {
  const root = aRepository();
  write(root, "a.txt", "two\n");
  const taken = await takeSnapshot(root, { prefix, message: "before" });
  if (taken === undefined) throw new Error("there is something to keep");
  const from = await packed(root, taken);
  damage(from.file);
  write(root, "a.txt", "three\n");
  expect(await failureCode(verifySnapshotPack(root, from))).toBe("ERR_DAMAGED_PACK");
  const restoring = restoreSnapshot(root, { from, prefix, message: "m" });
  expect(await failureCode(restoring)).toBe("ERR_DAMAGED_PACK");
  expect(read(root, "a.txt")).toBe("three\n");
  expect(existsSync(join(root, ".git/refs/quasar/run-1"))).toBe(false);
});

test("what is said of a pack cannot lead out of the tree, nor to other contents", async () => {
  const root = aRepository();
  write(root, "a.txt", "two\n");
  const taken = await takeSnapshot(root, { prefix, message: "before" });
  if (taken === undefined) throw new Error("there is something to keep");
  const { file, snapshot } = await packed(root, taken);
  const [entry] = snapshot.changes;
  if (entry === undefined) throw new Error("a file was changed");
  const said = [
    { ...entry, path: "../out" },
    { ...entry, path: ".git/hooks/pre-commit" },
    { ...entry, path: "b.txt" },
    { ...entry, kept: entry.base },
  ];
  git(root, "checkout", "-q", "a.txt");
  for (const changes of said.map((each) => [each])) {
    const from = { file, snapshot: { ...snapshot, changes } };
    await failureCode(restoreSnapshot(root, { from, prefix, message: "m" }));
  }
  expect(filesOf(root)).toEqual({ "a.txt": "0 one\n" });
  expect(existsSync(join(root, "../out"))).toBe(false);
  expect(existsSync(join(root, ".git/hooks/pre-commit"))).toBe(false);
});

function change(file: string, by: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  by(bytes);
  rmSync(file);
  writeFileSync(file, bytes);
}

test("leaves ignored files and the product's own alone", async () => {
  const root = aRepository();
  write(root, ".gitignore", "ignored\n");
  const taken = await takeSnapshot(root, { prefix, message: "before" });
  write(root, "ignored", "kept");
  write(root, ".quasar/x", "kept");
  write(root, "new", "");
  await restoreSnapshot(root, { from: taken?.sha ?? "", prefix, message: "m" });
  expect(Object.keys(filesOf(root))).toEqual([".gitignore", ".quasar/x", "a.txt", "ignored"]);
});

test("brings back files where there is no commit", async () => {
  const root = anEmptyRepository();
  expect(await takeSnapshot(root, { prefix, message: "m" })).toBeUndefined();
  write(root, "x/y", "1");
  const taken = await takeSnapshot(root, { prefix, message: "m" });
  expect(taken?.head).toBe("");
  remove(root, "x");
  await restoreSnapshot(root, { from: taken?.ref ?? "", prefix, message: "m" });
  expect(filesOf(root)).toEqual({ "x/y": "0 1" });
});

const REFUSED: readonly Row[] = [
  [
    "an ignored file is in the way",
    (r) => write(r, "build", "1"),
    (r) => {
      remove(r, "build");
      write(r, ".git/info/exclude", "build\n");
      write(r, "build", "ignored");
    },
  ],
  [
    "an ignored file is in a folder that is in the way",
    (r) => write(r, "build", "1"),
    (r) => {
      remove(r, "build");
      write(r, ".git/info/exclude", "*.o\n");
      write(r, "build/x.o", "ignored");
    },
  ],
  [
    "an ignored file is where a folder is wanted",
    (r) => write(r, "build/x", "1"),
    (r) => {
      remove(r, "build");
      write(r, ".git/info/exclude", "build\n");
      write(r, "build", "ignored");
    },
  ],
  [
    "a nested repository is in the way",
    (r) => write(r, "sub", "1"),
    (r) => {
      remove(r, "sub");
      aRepository(join(r, "sub"));
    },
  ],
  [
    "a path is hidden",
    (r) => write(r, "a.txt", "two\n"),
    (r) => {
      git(r, "checkout", "-q", "a.txt");
      git(r, "update-index", "--skip-worktree", "a.txt");
      write(r, "a.txt", "mine\n");
    },
  ],
  [
    "a path is assumed to be unchanged",
    (r) => write(r, "a.txt", "two\n"),
    (r) => {
      git(r, "checkout", "-q", "a.txt");
      git(r, "update-index", "--assume-unchanged", "a.txt");
      write(r, "a.txt", "mine\n");
    },
  ],
  [
    "a filter would have to write a file",
    (r) => {
      git(r, "config", "filter.up.smudge", "tr a-z A-Z");
      write(r, ".gitattributes", "a.txt filter=up\n");
    },
    (r) => write(r, "a.txt", "changed\n"),
  ],
];

test.for(REFUSED)("refuses, changing nothing, where %s", async ([, before, after]) => {
  const root = aRepository();
  before(root);
  const taken = await takeSnapshot(root, { prefix, message: "before" });
  after(root);
  const files = filesOf(root);
  const rest = untouched(root);
  const restoring = restoreSnapshot(root, { from: taken?.ref ?? "", prefix, message: "m" });
  expect(await failureCode(restoring)).toBe("ERR_NOT_RESTORABLE");
  expect(filesOf(root)).toEqual(files);
  expect(untouched(root)).toEqual(rest);
});

test("refuses what is no snapshot", async () => {
  const root = aRepository();
  const restore = (from: string) => restoreSnapshot(root, { from, prefix, message: "m" });
  expect(await failureCode(restore(`${prefix}9`))).toBe("ERR_BAD_REVISION");
  expect(await failureCode(restore("main"))).toBe("ERR_BAD_REVISION");
  expect(await failureCode(restore("1".repeat(40)))).toBe("ERR_BAD_REVISION");
  expect(existsSync(join(root, ".git/refs/quasar"))).toBe(false);
});

test.for([".git", "..", ".GIT"])("never writes to a path that goes through %s", async (name) => {
  const root = aRepository();
  const blob = git(root, "hash-object", "-w", "a.txt").trim();
  const inner = mktree(root, `100755 blob ${blob}\tpre-commit`);
  const tree = mktree(root, `040000 tree ${inner}\t${name}`);
  const sha = git(root, "commit-tree", "-m", "evil", tree).trim();
  git(root, "update-ref", `${prefix}7`, sha);
  write(root, "new", "mine");
  const files = filesOf(root);
  const rest = untouched(root, ["status"]);
  await failureCode(restoreSnapshot(root, { from: `${prefix}7`, prefix, message: "m" }));
  expect(existsSync(join(root, ".git/pre-commit"))).toBe(false);
  expect(existsSync(join(root, "../pre-commit"))).toBe(false);
  expect(filesOf(root)).toEqual(files);
  expect(untouched(root, ["status"])).toEqual(rest);
});

function mktree(root: string, entry: string): string {
  return execFileSync("git", ["mktree"], {
    cwd: root,
    input: `${entry}\n`,
    encoding: "utf8",
  }).trim();
}

test("never follows a link out of the tree", async () => {
  const root = aRepository();
  const outside = aFolder();
  write(outside, "x", "theirs");
  write(root, "d/x", "mine");
  const taken = await takeSnapshot(root, { prefix, message: "m" });
  remove(root, "d");
  symlinkSync(outside, join(root, "d"));
  await restoreSnapshot(root, { from: taken?.ref ?? "", prefix, message: "m" });
  expect(filesOf(root)).toMatchObject({ "d/x": "0 mine" });
  expect(filesOf(outside)).toEqual({ x: "0 theirs" });
  remove(root, "d");
  symlinkSync(outside, join(root, "d"));
  write(root, ".git/info/exclude", "d\n");
  const again = restoreSnapshot(root, { from: taken?.ref ?? "", prefix, message: "m" });
  expect(await failureCode(again)).toBe("ERR_NOT_RESTORABLE");
  expect(filesOf(outside)).toEqual({ x: "0 theirs" });
});

test("a snapshot that the repository replaces with another one is restored as it was taken", async () => {
  const root = aRepository();
  write(root, "x", "1");
  const taken = await takeSnapshot(root, { prefix, message: "m" });
  remove(root, "x");
  write(root, ".git/info/exclude", ".env\n");
  write(root, ".env", "mine");
  const blob = git(root, "hash-object", "-w", "a.txt").trim();
  const tree = mktree(root, `100644 blob ${blob}\t.env`);
  git(root, "replace", taken?.sha ?? "", git(root, "commit-tree", "-m", "evil", tree).trim());
  await restoreSnapshot(root, { from: taken?.ref ?? "", prefix, message: "m" });
  expect(filesOf(root)).toMatchObject({ ".env": "0 mine", x: "0 1" });
});

test("what a snapshot has lost is not fetched by a program that the repository names", async () => {
  const root = aRepository();
  write(root, "x", "1");
  const taken = await takeSnapshot(root, { prefix, message: "m" });
  remove(root, "x");
  const blob = git(root, "rev-parse", `${prefix}1:x`).trim();
  loseObject(root, blob);
  const proof = join(aFolder(), "ran");
  git(root, "config", "core.repositoryFormatVersion", "1");
  git(root, "config", "extensions.partialClone", "evil");
  git(root, "config", "remote.evil.promisor", "true");
  git(root, "config", "remote.evil.url", aRepository());
  git(root, "config", "remote.evil.uploadpack", `touch ${proof}; false`);
  const restoring = restoreSnapshot(root, { from: taken?.ref ?? "", prefix, message: "m" });
  expect(await failureCode(restoring)).toBe("ERR_GIT_FAILED");
  expect(existsSync(proof)).toBe(false);
});

/** Takes an object out of a repository. */
function loseObject(root: string, sha: string): void {
  const packs = join(root, ".git/objects/pack");
  for (const name of readdirSync(packs).filter((each) => each.endsWith(".pack"))) {
    const input = readFileSync(join(packs, name));
    remove(root, ".git/objects/pack");
    execFileSync("git", ["unpack-objects", "-q"], { cwd: root, input });
  }
  remove(root, `.git/objects/${sha.slice(0, 2)}/${sha.slice(2)}`);
}

test("is not begun when it is aborted, and leaves no index of its own", async () => {
  const root = aRepository();
  write(root, "new", "1");
  const taken = await takeSnapshot(root, { prefix, message: "m" });
  const from = taken?.ref ?? "";
  const signal = AbortSignal.abort(new Error("enough"));
  const refused = { prefix, message: "m", signal };
  await expect(restoreSnapshot(root, { from, ...refused })).rejects.toThrow("enough");
  await expect(takeSnapshot(root, refused)).rejects.toThrow("enough");
  await expect(inspectRepository(root, { since: "", signal })).rejects.toThrow("enough");
  expect(readdirSync(join(root, ".git")).filter((name) => name.startsWith("index."))).toEqual([]);
});
