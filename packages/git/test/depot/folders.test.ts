import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitFolder, pushToDepot, restoreFolder } from "../../src/entries/depot.ts";
import {
  aFolder,
  anEmptyRepository,
  failureCode,
  git,
  read,
  script,
  traced,
  write,
} from "../fixture.ts";
import { aDepot } from "./fixture.ts";

const AT = 1_700_000_000;
const MAX = 2 ** 20;

function aRunFolder(): string {
  const dir = aFolder();
  write(dir, "checkpoint.toml", "a = 1\r\n");
  write(dir, "turns/1/output", "$Id$\n");
  write(dir, "turns/2/ü \" \n\t'", "");
  return dir;
}

const filesOf = (root: string, commit: string): readonly string[] =>
  git(root, "ls-tree", "-r", "--format=%(objectmode) %(path)", commit).trim().split("\n");

test("commits and restores a folder, byte by byte", async () => {
  const root = anEmptyRepository();
  write(root, ".gitattributes", "* text=auto eol=lf ident\n");
  git(root, "config", "core.autocrlf", "input");
  const from = aRunFolder();
  write(from, ".gitattributes", "* text=auto ident\n");
  const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, at) => (at * 7) % 256));
  write(from, "big", "");
  execFileSync("tee", [join(from, "big")], { input: bytes, stdio: ["pipe", "ignore", "pipe"] });
  const commit = await commitFolder(root, { dir: from, atSeconds: AT });
  const dir = join(aFolder(), "new", "run");
  await restoreFolder(root, { commit, dir, maxBytes: MAX });
  expect(() => execFileSync("diff", ["-r", from, dir])).not.toThrow();
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, "turns")).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, "big")).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(dir, ".."))).toEqual(["run"]);
});

test("gives the same id for the same files, of another folder and another repository too", async () => {
  const [one, two] = [anEmptyRepository(), anEmptyRepository()];
  git(two, "config", "user.name", "Another");
  const dir = aRunFolder();
  const id = await commitFolder(one, { dir, atSeconds: AT });
  expect(await commitFolder(one, { dir, atSeconds: AT })).toBe(id);
  expect(await commitFolder(two, { dir: aRunFolder(), atSeconds: AT })).toBe(id);
  expect(await commitFolder(one, { dir, atSeconds: AT + 1 })).not.toBe(id);
  const shown = git(one, "show", "-s", "--format=%an <%ae> %at %cn <%ce> %ct %P|%s", id);
  const who = `Quasar <quasar@localhost> ${AT}`;
  expect(shown).toBe(`${who} ${who} |A folder\n`);
  expect(git(one, "for-each-ref")).toBe("");
});

test("has no past, also where somebody has a ref where it is made", async () => {
  const root = anEmptyRepository();
  const dir = aRunFolder();
  const id = await commitFolder(root, { dir, atSeconds: AT });
  git(root, "update-ref", "refs/quasar/nowhere", id);
  expect(await commitFolder(root, { dir, atSeconds: AT })).toBe(id);
});

test("leaves out links, git folders and what is to be left out; a program is a plain file", async () => {
  const root = anEmptyRepository();
  const dir = aFolder();
  script(dir, "program", "true");
  symlinkSync("/etc/passwd", join(dir, "link"));
  symlinkSync("/etc", join(dir, "folder-link"));
  execFileSync("mkfifo", [join(dir, "pipe")]);
  anEmptyRepository(join(dir, "nested"));
  write(dir, "nested/.GIT/x", "");
  write(dir, "git~1", "");
  write(dir, "cache/x", "");
  write(dir, "logs/x.lock", "");
  write(dir, "logs/x", "");
  mkdirSync(join(dir, "empty"));
  const seen: string[] = [];
  const leaves = (path: string): boolean => {
    seen.push(path);
    return path === "cache" || path.endsWith(".lock");
  };
  const commit = await commitFolder(root, { dir, leaves, atSeconds: AT });
  expect(filesOf(root, commit)).toEqual(["100644 logs/x", "100644 program"]);
  expect(seen).toContain("logs/x.lock");
  expect(seen).not.toContain("cache/x");
});

test("commits an empty folder, and not one that is not there", async () => {
  const root = anEmptyRepository();
  const commit = await commitFolder(root, { dir: aFolder(), atSeconds: AT });
  const dir = join(aFolder(), "x");
  await restoreFolder(root, { commit, dir, maxBytes: MAX });
  expect(readdirSync(dir)).toEqual([]);
  const none = join(aFolder(), "none");
  expect(await failureCode(commitFolder(root, { dir: none, atSeconds: AT }))).toBe(
    "ERR_SNAPSHOT_FAILED",
  );
});

test("takes one git process to commit hundreds of files, in a SHA-256 repository too", async () => {
  const root = anEmptyRepository(undefined, "--object-format=sha256");
  const dir = aFolder();
  for (let at = 0; at < 300; at += 1) write(dir, `f${at}`, `${at}`);
  let commit = "";
  const made = await traced(async () => {
    commit = await commitFolder(root, { dir, atSeconds: AT });
  });
  expect(made.filter(({ argv }) => argv.includes("fast-import")).length).toBe(1);
  expect(made.length).toBeLessThan(4);
  expect(commit).toHaveLength(64);
});

test("what it commits passes the checks of a depot", async () => {
  const root = anEmptyRepository();
  const url = await aDepot();
  const to = await commitFolder(root, { dir: aRunFolder(), atSeconds: AT });
  const updates = [{ ref: "refs/quasar/n/p/e1/run", from: "", to }];
  expect(await pushToDepot(root, { url, updates })).toEqual({ kind: "pushed" });
});

interface Entry {
  readonly mode: string;
  readonly name: string;
  readonly id: string;
}

/** A tree that git itself would not write. */
function aTree(root: string, entries: readonly Entry[]): string {
  const bytes = Buffer.concat(
    entries.map(({ mode, name, id }) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]),
    ),
  );
  return stored(root, ["-t", "tree", "--literally"], bytes);
}

function stored(root: string, flags: readonly string[], input: Buffer | string): string {
  const args = ["hash-object", "-w", "--stdin", ...flags];
  return execFileSync("git", args, { cwd: root, input, encoding: "utf8" }).trim();
}

function committed(root: string, tree: string): string {
  return git(root, "commit-tree", "-m", "x", tree).trim();
}

const HOSTILE: readonly (readonly [string, (root: string, blob: string) => readonly Entry[]])[] = [
  ["a way up", (_, id) => [{ mode: "100644", name: "../x", id }]],
  [
    "a folder above",
    (root, id) => [
      { mode: "40000", name: "..", id: aTree(root, [{ mode: "100644", name: "x", id }]) },
    ],
  ],
  [
    "itself",
    (root, id) => [
      { mode: "40000", name: ".", id: aTree(root, [{ mode: "100644", name: "x", id }]) },
    ],
  ],
  ["an absolute name", (_, id) => [{ mode: "100644", name: "/tmp/x", id }]],
  ["an empty name in a folder", (_, id) => [{ mode: "100644", name: "a//b", id }]],
  ["a name with a folder that is not there", (_, id) => [{ mode: "100644", name: "a/b", id }]],
  ["a link", (_, id) => [{ mode: "120000", name: "x", id }]],
  [
    "a link and a file behind it",
    (_, id) => [
      { mode: "120000", name: "x", id },
      { mode: "100644", name: "x/y", id },
    ],
  ],
  ["a program", (_, id) => [{ mode: "100755", name: "x", id }]],
  ["another repository", (_, id) => [{ mode: "160000", name: "x", id }]],
  [
    "a git folder",
    (root, id) => [
      { mode: "40000", name: ".git", id: aTree(root, [{ mode: "100644", name: "config", id }]) },
    ],
  ],
  ["a git folder of Windows", (_, id) => [{ mode: "100644", name: "GIT~1", id }]],
  ["a git folder of macOS", (_, id) => [{ mode: "100644", name: ".g\u200cit", id }]],
  [
    "the same name twice",
    (_, id) => [
      { mode: "100644", name: "x", id },
      { mode: "100644", name: "x", id },
    ],
  ],
  ["a name that is too long", (_, id) => [{ mode: "100644", name: "x".repeat(300), id }]],
];

test.for(HOSTILE)("restores nothing of a tree with %s", async ([, entries]) => {
  const root = anEmptyRepository();
  const blob = stored(root, [], "/etc/passwd");
  const good = { mode: "100644", name: "a-good-one", id: blob };
  const commit = committed(root, aTree(root, [good, ...entries(root, blob)]));
  const above = aFolder();
  const restoring = restoreFolder(root, { commit, dir: join(above, "x"), maxBytes: MAX });
  expect(await failureCode(restoring)).toBe("ERR_NOT_RESTORABLE");
  expect(readdirSync(above)).toEqual([]);
});

test("restores nothing of more bytes than it may, of too many names, and of what is lost", async () => {
  const root = anEmptyRepository();
  const above = aFolder();
  const dir = join(above, "x");
  const from = aFolder();
  write(from, "big", "");
  truncateSync(join(from, "big"), MAX + 1);
  const big = await commitFolder(root, { dir: from, atSeconds: AT });
  const code = (commit: string) => failureCode(restoreFolder(root, { commit, dir, maxBytes: MAX }));
  expect(await code(big)).toBe("ERR_NOT_RESTORABLE");

  let tree = aTree(root, []);
  for (let depth = 0; depth < 30; depth += 1) {
    tree = aTree(
      root,
      ["a", "b"].map((name) => ({ mode: "40000", name, id: tree })),
    );
  }
  expect(await code(committed(root, tree))).toBe("ERR_NOT_RESTORABLE");

  const lost = aTree(root, [{ mode: "100644", name: "x", id: "1".repeat(40) }]);
  expect(await code(committed(root, lost))).toBe("ERR_MISSING_OBJECT");
  expect(await code("1".repeat(40))).toBe("ERR_MISSING_OBJECT");
  expect(readdirSync(above)).toEqual([]);
});

test("restores over nothing that is there", async () => {
  const root = anEmptyRepository();
  const commit = await commitFolder(root, { dir: aRunFolder(), atSeconds: AT });
  const dir = aFolder();
  write(dir, "mine", "mine");
  const code = (to: string) => failureCode(restoreFolder(root, { commit, dir: to, maxBytes: MAX }));
  expect(await code(dir)).toBe("ERR_NOT_RESTORABLE");
  symlinkSync(join(dir, "nowhere"), join(dir, "link"));
  expect(await code(join(dir, "link"))).toBe("ERR_NOT_RESTORABLE");
  expect(existsSync(join(dir, "nowhere"))).toBe(false);
  expect(readdirSync(dir).toSorted()).toEqual(["link", "mine"]);
  expect(await code("relative")).toBe("ERR_INVALID_ARGUMENT");
});

test("does not read what replaces an object", async () => {
  const root = anEmptyRepository();
  const from = aRunFolder();
  const commit = await commitFolder(root, { dir: from, atSeconds: AT });
  write(from, "checkpoint.toml", "forged");
  git(root, "replace", commit, await commitFolder(root, { dir: from, atSeconds: AT }));
  const dir = join(aFolder(), "x");
  await restoreFolder(root, { commit, dir, maxBytes: MAX });
  expect(read(dir, "checkpoint.toml")).toBe("a = 1\r\n");
});

test("is ended by its signal, and leaves nothing", async () => {
  const root = anEmptyRepository();
  const commit = await commitFolder(root, { dir: aRunFolder(), atSeconds: AT });
  const above = aFolder();
  const signal = AbortSignal.abort(new Error("enough"));
  const restoring = restoreFolder(root, { commit, dir: join(above, "x"), maxBytes: MAX, signal });
  await expect(restoring).rejects.toThrow("enough");
  expect(readdirSync(above)).toEqual([]);
});
