import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitAll } from "../src/commit.ts";
import { seenFiles } from "../src/seen-files.ts";
import { workTreeId } from "../src/work-tree-id.ts";
import {
  aCanary,
  aFolder,
  anEmptyRepository,
  aRepository,
  failureCode,
  git,
  script,
  tryGit,
  write,
} from "./fixture.ts";
import { filesOf, untouched } from "./untouched.ts";

const headTree = (root: string): string => git(root, "rev-parse", "HEAD^{tree}").trim();

/** Names that sort otherwise as folders than as files, bytes that are no UTF-8, links, modes. */
function aVariedTree(root: string): void {
  write(root, "lib/a.txt", "one");
  write(root, "lib.txt", "two");
  write(root, "lib-x", "three");
  write(root, "z/ä/deep/er", "");
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x62, 0xff])]), "bytes");
  script(root, "run.sh", "exit 0");
  symlinkSync("lib/a.txt", join(root, "link"));
  symlinkSync("nowhere", join(root, "broken"));
}

test.for([["sha1", []] as const, ["sha256", ["--object-format=sha256"]] as const])(
  "names the tree that a commit of everything then has, with %s",
  async ([, options]) => {
    const root = aRepository(aFolder(), ...options);
    aVariedTree(root);
    rmSync(join(root, "a.txt"));
    const before = await workTreeId(root);

    await commitAll(root, { subject: "all" });

    expect(headTree(root)).toBe(before);
    expect(await workTreeId(join(root, "lib"))).toBe(before);
  },
);

test("names git's empty tree where there is nothing", async () => {
  const root = anEmptyRepository();
  expect(await workTreeId(root)).toBe("4b825dc642cb6eb9a060e54bf8d69288fbee4904");
});

test("writes nothing: index, refs, objects and files stay as they are", async () => {
  const root = aRepository();
  aVariedTree(root);
  write(root, "a.txt", "changed\n");
  git(root, "add", "lib.txt");
  const before = [untouched(root), filesOf(root), git(root, "count-objects", "-v")];

  await workTreeId(root);

  expect([untouched(root), filesOf(root), git(root, "count-objects", "-v")]).toEqual(before);
});

test.for<readonly [string, (root: string) => void]>([
  ["a byte of a tracked file", (root) => write(root, "a.txt", "onE\n")],
  ["a line ending that git would convert", (root) => write(root, "a.txt", "one\r\n")],
  ["a byte of an untracked file", (root) => write(root, "new.txt", "twO\n")],
  ["an untracked file that is new", (root) => write(root, "deep/er/new", "")],
  ["a file that is gone", (root) => rmSync(join(root, "a.txt"))],
  ["a name", (root) => renameSync(join(root, "a.txt"), join(root, "b.txt"))],
  ["the executable bit", (root) => chmodSync(join(root, "a.txt"), 0o755)],
  [
    "a file that git was told to take as unchanged",
    (root) => {
      git(root, "update-index", "--assume-unchanged", "a.txt");
      write(root, "a.txt", "other\n");
    },
  ],
  [
    "a link in the place of a file",
    (root) => {
      rmSync(join(root, "new.txt"));
      symlinkSync("a.txt", join(root, "new.txt"));
    },
  ],
  [
    "a link in the place of a folder of the same files",
    (root) => {
      renameSync(join(root, "dir"), join(root, "moved"));
      symlinkSync("moved", join(root, "dir"));
    },
  ],
])("is another one after a change of %s", async ([, change]) => {
  const root = aRepository();
  write(root, ".gitattributes", "* text=auto\n");
  write(root, "dir/x", "x\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "second");
  write(root, "new.txt", "two\n");
  const before = await workTreeId(root);
  expect(await workTreeId(root)).toBe(before);

  change(root);

  expect(await workTreeId(root)).not.toBe(before);
});

test("takes no notice of what is ignored, staged, or Quasar's own", async () => {
  const root = aRepository();
  write(root, ".gitignore", "dist/\n");
  const before = await workTreeId(root);

  write(root, "dist/out.js", "built");
  write(root, ".quasar/config.toml", "");
  mkdirSync(join(root, "empty"));
  git(root, "add", "-A", ":!.quasar");

  expect(await workTreeId(root)).toBe(before);
});

test("is of the files on disk where a merge has conflicts", async () => {
  const root = aRepository();
  git(root, "checkout", "-qb", "other");
  write(root, "a.txt", "theirs\n");
  git(root, "commit", "-qam", "theirs");
  git(root, "checkout", "-q", "main");
  write(root, "a.txt", "ours\n");
  git(root, "commit", "-qam", "ours");
  tryGit(root, "merge", "-q", "other");
  const conflicted = await workTreeId(root);

  write(root, "a.txt", "ours\n");

  expect(conflicted).not.toBe(headTree(root));
  expect(await workTreeId(root)).toBe(headTree(root));
});

test("takes what a sparse checkout leaves out as committed", async () => {
  const root = aRepository();
  write(root, "far/away.txt", "x");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "second");
  git(root, "sparse-checkout", "set", "near");
  expect(await workTreeId(root)).toBe(headTree(root));
});

test("has a submodule's commit while that is what is there, and its files once they differ", async () => {
  const inner = aRepository();
  const root = aRepository();
  git(root, "submodule", "add", "-q", inner, "sub");
  git(root, "commit", "-qm", "with a submodule");
  const clean = await workTreeId(root);
  expect(clean).toBe(headTree(root));

  write(root, "sub/a.txt", "changed\n");
  const dirty = await workTreeId(root);
  write(root, "sub/a.txt", "changed again\n");

  expect(dirty).not.toBe(clean);
  expect(await workTreeId(root)).not.toBe(dirty);
});

test("takes a submodule that is not checked out as the commit that is asked for", async () => {
  const inner = aRepository();
  const root = aRepository();
  git(root, "submodule", "add", "-q", inner, "sub");
  git(root, "commit", "-qm", "with a submodule");
  const clone = aFolder();
  git(clone, "clone", "-q", root, "here");
  expect(await workTreeId(join(clone, "here"))).toBe(headTree(root));
});

test("sees into a repository that is not tracked", async () => {
  const root = aRepository();
  anEmptyRepository(join(root, "nested"));
  write(root, "nested/x", "one");
  const before = await workTreeId(root);
  write(root, "nested/x", "two");
  expect(await workTreeId(root)).not.toBe(before);
});

test("starts nothing that the repository names", async () => {
  const root = aRepository();
  const canary = aCanary();
  write(root, ".gitattributes", "* filter=evil\n");
  git(root, "config", "filter.evil.clean", canary.program);
  git(root, "config", "filter.evil.process", canary.program);
  git(root, "config", "core.fsmonitor", canary.program);
  git(root, "config", "core.hooksPath", join(canary.program, ".."));
  write(root, "a.txt", "changed\n");
  await workTreeId(root);
  expect(canary.sang()).toBe(false);
});

test("refuses a work tree that the repository puts elsewhere", async () => {
  const root = aRepository();
  git(root, "config", "core.worktree", aFolder());
  expect(await failureCode(workTreeId(root))).toBe("ERR_FOREIGN_WORK_TREE");
});

test("stops when it is told to", async () => {
  const root = aRepository();
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(workTreeId(root, { signal })).rejects.toThrow("enough");
});

/** A memory to which whatever is there now is of long ago. */
const ofLongAgo = () => seenFiles({ now: () => Date.now() + 60_000 });

/** Bytes that this process reads meanwhile. */
async function bytesRead(action: () => Promise<unknown>): Promise<number> {
  const read = (): number =>
    Number(/^rchar: (\d+)$/mu.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
  const before = read();
  await action();
  return read() - before;
}

const LARGE = 20_000_000;
const aLargeFile = (root: string): string => write(root, "large", "x".repeat(LARGE));

test.runIf(process.platform === "linux")(
  "reads what it has seen only where that has changed since",
  async () => {
    const root = aRepository();
    aLargeFile(root);
    const seen = ofLongAgo();
    expect(await bytesRead(() => workTreeId(root, { seen }))).toBeGreaterThan(LARGE);
    write(root, "a.txt", "two\n");
    expect(await bytesRead(() => workTreeId(root, { seen }))).toBeLessThan(LARGE / 10);
    expect(await workTreeId(root, { seen })).toBe(await workTreeId(root));
  },
);

test.runIf(process.platform === "linux")(
  "reads again what had only just changed when it was read: another change may have the same time",
  async () => {
    const root = aRepository();
    aLargeFile(root);
    const seen = seenFiles({ now: () => statSync(join(root, "large")).ctimeMs + 1_000 });
    await workTreeId(root, { seen });
    expect(await bytesRead(() => workTreeId(root, { seen }))).toBeGreaterThan(LARGE);
  },
);

/** Gives a file the time of modification back that it has now, to the nanosecond. */
function timesOf(file: string): () => void {
  const reference = write(aFolder(), "reference", "");
  execFileSync("touch", ["-r", file, reference]);
  return () => execFileSync("touch", ["-r", reference, file]);
}

test.for<readonly [string, (root: string) => void]>([
  [
    "another content of the same size and time of modification",
    (root) => {
      const giveBack = timesOf(join(root, "a.txt"));
      write(root, "a.txt", "onE\n");
      giveBack();
    },
  ],
  [
    "another file under its name, of the same size and times",
    (root) => {
      const giveBack = timesOf(join(root, "a.txt"));
      write(root, "other", "onE\n");
      renameSync(join(root, "other"), join(root, "a.txt"));
      giveBack();
    },
  ],
  ["the executable bit", (root) => chmodSync(join(root, "a.txt"), 0o755)],
  [
    "a file that git takes as unchanged",
    (root) => {
      git(root, "update-index", "--assume-unchanged", "a.txt");
      write(root, "a.txt", "other\n");
    },
  ],
  [
    "a link in the place of a file",
    (root) => {
      rmSync(join(root, "a.txt"));
      symlinkSync("link", join(root, "a.txt"));
    },
  ],
  ["a file that is gone", (root) => rmSync(join(root, "a.txt"))],
])("sees %s also where it has seen the file before", async ([, change]) => {
  const root = aRepository();
  symlinkSync("nowhere", join(root, "link"));
  const seen = ofLongAgo();
  const before = await workTreeId(root, { seen });
  expect(await workTreeId(root, { seen })).toBe(before);

  change(root);

  const after = await workTreeId(root, { seen });
  expect(after).not.toBe(before);
  expect(after).toBe(await workTreeId(root));
});

test("believes no index that has another content under a file's own stat data", async () => {
  const root = aRepository();
  write(root, "other", "two\n");
  const other = git(root, "hash-object", "-w", "other").trim();
  rmSync(join(root, "other"));
  git(root, "status");
  const index = join(root, ".git/index");
  const bytes = readFileSync(index);
  const id = Buffer.from(git(root, "rev-parse", "HEAD:a.txt").trim(), "hex");
  Buffer.from(other, "hex").copy(bytes, bytes.indexOf(id));
  const body = bytes.subarray(0, -20);
  writeFileSync(index, Buffer.concat([body, createHash("sha1").update(body).digest()]));
  expect(git(root, "ls-files", "--stage")).toContain(other);

  expect(await workTreeId(root, { seen: ofLongAgo() })).toBe(headTree(root));
});
