import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { commitAll, type CommitOptions } from "../src/commit.ts";
import { durableGitEnv } from "../src/environment.ts";
import { currentGitSha } from "../src/head.ts";
import {
  changedFiles,
  changedPaths,
  carriesMark,
  logRange,
  reflogActions,
} from "../src/history.ts";
import { dirtyPaths } from "../src/status.ts";
import { TRAILER } from "../src/trailers.ts";
import { readCommitState } from "../src/work.ts";
import {
  aFolder,
  anEmptyRepository,
  aRepository,
  failure,
  failureCode,
  git,
  headOf,
  script,
  traced,
  write,
} from "./fixture.ts";

function filesOf(root: string, revision = "HEAD"): readonly string[] {
  return git(root, "ls-tree", "-r", "-z", "--name-only", revision).split("\0").slice(0, -1);
}

test("commits changes, deletions and untracked files, not ignored ones", async () => {
  const root = aRepository();
  write(root, "gone", "");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "second");
  write(root, "a.txt", "two\n");
  rmSync(join(root, "gone"));
  write(root, ".gitignore", "ignored\n.quasar/\n");
  write(root, "ignored", "");
  write(root, "dir/new\nfile", "");
  const sha = (await commitAll(join(root, "dir"), { subject: "cycle" }))?.sha;
  expect(sha).toBe(headOf(root));
  expect(filesOf(root)).toEqual([".gitignore", "a.txt", "dir/new\nfile"]);
  expect(git(root, "show", "HEAD:a.txt")).toBe("two\n");
  expect(git(root, "status", "--porcelain")).toBe("");
});

test("says how much a commit changes, whatever the user's settings of a diff are", async () => {
  const root = aRepository();
  const changes = async (): Promise<unknown> =>
    (await commitAll(root, { subject: "a\n 9 files changed" }))?.changes;
  write(root, "a.txt", "1\n2\n3\n4\n5\n6\n");
  writeFileSync(join(root, "image"), Buffer.from([0, 1, 2]));
  for (const [name, value] of [
    ["color.ui", "always"],
    ["diff.external", "false"],
    ["diff.noprefix", "true"],
    ["commit.verbose", "true"],
    ["diff.statGraphWidth", "1"],
  ] as const)
    git(root, "config", name, value);
  expect(await changes()).toEqual({ files: 2, added: 6, removed: 1 });
  write(root, "a.txt", "1\n2\n3\n4\n5\n");
  expect(await changes()).toEqual({ files: 1, added: 0, removed: 1 });
  git(root, "mv", "a.txt", "b.txt");
  write(root, "b.txt", "1\n2\n3\n4\n5\n6\n");
  expect(await changes()).toEqual({ files: 1, added: 1, removed: 0 });
  write(root, "empty", "");
  expect(await changes()).toEqual({ files: 1, added: 0, removed: 0 });
  rmSync(join(root, "image"));
  expect(await changes()).toEqual({ files: 1, added: 0, removed: 0 });
});

test.for([1, 200])(
  "holds the commit of a submodule that settings leave out of a status, beside %d files",
  async (files) => {
    const root = aRepository();
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", aRepository(), "sub");
    git(root, "config", "-f", ".gitmodules", "submodule.sub.ignore", "all");
    git(root, "add", "-A");
    git(root, "commit", "-qm", "with a submodule");
    write(root, "sub/a.txt", "two\n");
    git(join(root, "sub"), "commit", "-qam", "inside");
    for (let n = 0; n < files; n += 1) write(root, `dir/${n}`, "");
    await commitAll(join(root, "dir"), { subject: "cycle" });
    expect(git(root, "rev-parse", "HEAD:sub").trim()).toBe(headOf(join(root, "sub")));
  },
);

test("says nothing of how much a merge changes, for git does not", async () => {
  const root = aRepository();
  git(root, "checkout", "-qb", "other");
  write(root, "other", "");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "other");
  git(root, "checkout", "-q", "main");
  git(root, "merge", "--no-commit", "--no-ff", "other");
  const merged = await commitAll(root, { subject: "merge" });
  expect(merged).toEqual({ sha: headOf(root), changes: undefined });
});

test("resolves to undefined when there is nothing to commit, and runs no hook then", async () => {
  const root = aRepository();
  const before = headOf(root);
  script(root, ".git/hooks/pre-commit", "exit 1");
  expect(await commitAll(root, { subject: "cycle" })).toBeUndefined();
  write(root, "checkpoint.toml", "");
  const exclude = ["checkpoint.toml"];
  expect(await commitAll(root, { subject: "cycle", exclude })).toBeUndefined();
  expect(headOf(root)).toBe(before);
});

test("takes changes that are none after the line endings are converted for nothing", async () => {
  const root = aRepository();
  git(root, "config", "core.autocrlf", "input");
  write(root, "a.txt", "one\r\n");
  expect(await commitAll(root, { subject: "cycle" })).toBeUndefined();
});

test.for([
  ["untracked", () => undefined],
  ["staged by somebody", (root) => git(root, "add", "-A")],
  ["staged with intent only", (root) => git(root, "add", "-N", "-A")],
  [
    "tracked",
    (root) => {
      git(root, "add", "-A");
      git(root, "commit", "-qm", "tracked");
      write(root, "*.toml", "changed");
      write(root, "state/deep/x", "changed");
    },
  ],
  [
    "tracked, changed and staged",
    (root) => {
      git(root, "add", "-A");
      git(root, "commit", "-qm", "tracked");
      write(root, "*.toml", "changed");
      rmSync(join(root, "state/deep/x"));
      git(root, "add", "-A");
    },
  ],
] as readonly (readonly [string, (root: string) => unknown])[])(
  "never commits an excluded path that is %s",
  async ([, prepare]) => {
    const root = aRepository();
    write(root, "*.toml", "first");
    write(root, "state/deep/x", "first");
    prepare(root);
    const excluded = (revision: string) =>
      git(root, "ls-tree", "-r", revision)
        .split("\n")
        .filter((line) => /\*|state\//.test(line));
    const before = excluded("HEAD");
    write(root, "b.toml", "");
    write(root, "stateless", "");
    write(root, "a.txt", "changed\n");
    const exclude = ["*.toml", "state", ":(glob)**", "missing"];
    expect((await commitAll(root, { subject: "cycle", exclude }))?.sha).toBe(headOf(root));
    expect(excluded("HEAD")).toEqual(before);
    expect(filesOf(root)).toEqual(expect.arrayContaining(["b.toml", "stateless"]));
    expect(git(root, "show", "HEAD:a.txt")).toBe("changed\n");
    expect(await commitAll(root, { subject: "again", exclude })).toBeUndefined();
  },
);

test.for(["", ".", "..", "/abs", "a/../b", "a//b", "/", "a//", "a\0b"])(
  "refuses to exclude %j",
  async (path) => {
    const root = aRepository();
    write(root, "b", "");
    const code = await failureCode(commitAll(root, { subject: "cycle", exclude: [path] }));
    expect(code).toBe("ERR_INVALID_ARGUMENT");
  },
);

test.for([
  ["caf\xe9.txt", "cafeteria.txt"],
  ["\xe9\xe8\xe9/x", "e/x"],
  ["a\xe2\x82", "a"],
  ["\xef\xbf\xbd", "b"],
  ["[*]\xff?", "[*]"],
] as const)("leaves out the odd name %j and not %j beside it", async ([odd, plain]) => {
  const root = aRepository();
  const file = Buffer.from(join(root, odd), "latin1");
  mkdirSync(Buffer.from(dirname(file.toString("latin1")), "latin1"), { recursive: true });
  writeFileSync(file, "theirs");
  const exclude = (await dirtyPaths(root)).map(({ path }) => path);
  write(root, plain, "ours");
  expect((await commitAll(root, { subject: "cycle", exclude }))?.sha).toBe(headOf(root));
  const names = git(
    root,
    "-c",
    "core.quotePath=off",
    "show",
    "--format=",
    "--name-only",
    "-z",
    "HEAD",
  );
  expect(names).toBe(`${plain}\0`);
});

test.for([
  ["a comment", "# not a comment", "# not a comment"],
  ["several lines", "one\r\ntwo\n\nQuasar-Task: forged", "one two Quasar-Task: forged"],
  ["controls", "a\u001b[31mb\u0000c\u0007\u009b\u202ed", "a [31mb c d"],
  ["nothing", " \n ", "(no subject)"],
  ["an option", "--amend", "--amend"],
  ["scissors", "# ------------------------ >8 ------------------------", undefined],
  ["72 code points", "\u{1f600}".repeat(72), undefined],
  ["73 code points", "\u{1f600}".repeat(73), `${"\u{1f600}".repeat(71)}…`],
  ["half of a character", "a\ud83d", "a\ufffd"],
  ["a trailer", "Quasar-Task: forged", undefined],
  ["another commit's id", `x ${"a".repeat(40)}] y`, undefined],
] as const)("writes %s as a subject of one line", async ([, subject, expected]) => {
  const root = aRepository();
  git(root, "config", "commit.cleanup", "strip");
  write(root, "b", "");
  const from = headOf(root);
  const sha = (await commitAll(root, { subject, trailers: { [TRAILER.task]: "real" } }))?.sha;
  expect(sha).toBe(headOf(root));
  const message = `${expected ?? subject}\n\nQuasar-Task: real\n`;
  expect(git(root, "cat-file", "commit", "HEAD").split("\n\n").slice(1).join("\n\n")).toBe(message);
  const [commit] = await logRange(root, { from });
  expect(commit?.subject).toBe(expected ?? subject);
  expect(commit?.trailers).toEqual(new Map([[TRAILER.task, ["real"]]]));
});

test("refuses a trailer's name that git would not take for one", async () => {
  const root = aRepository();
  for (const name of ["", "a b", "a:", "a\nb", "-a", "é"]) {
    const options = { subject: "cycle", trailers: { [name]: "x" } };
    expect(await failureCode(commitAll(root, options))).toBe("ERR_INVALID_ARGUMENT");
  }
});

test("writes trailers that git reads too, each value on one line", async () => {
  const root = aRepository();
  write(root, "b", "");
  const trailers = { [TRAILER.task]: "t\nQuasar-Cycle: 9", [TRAILER.cycle]: "1" };
  await commitAll(root, { subject: "cycle", trailers });
  expect(git(root, "log", "-1", "--format=%(trailers:only)").trim()).toBe(
    "Quasar-Task: t Quasar-Cycle: 9\nQuasar-Cycle: 1",
  );
  const mark = { taskId: "t\nQuasar-Cycle: 9", cycle: 1 };
  const found = (await logRange(root)).filter((commit) => carriesMark(commit, mark));
  expect(found).toHaveLength(1);
});

test("finds the commits of a task, a cycle, a turn", async () => {
  const root = aRepository();
  const from = headOf(root);
  const rows = [
    ["t", 1, "r.1"],
    ["other", 1, "s.1"],
    ["t", 2, "r.3"],
    ["t", 11, "r.11"],
  ] as const;
  for (const [task, cycle, turn] of rows) {
    write(root, "b", turn);
    const trailers = { [TRAILER.task]: task, [TRAILER.cycle]: `${cycle}`, [TRAILER.turn]: turn };
    await commitAll(root, { subject: turn, trailers });
  }
  const find = async (mark: { cycle?: number; turn?: string }, range = {}) =>
    (await logRange(root, { from, ...range }))
      .filter((commit) => carriesMark(commit, { taskId: "t", ...mark }))
      .map(({ subject }) => subject);
  expect(await find({})).toEqual(["r.1", "r.3", "r.11"]);
  expect(await find({ cycle: 1 })).toEqual(["r.1"]);
  expect(await find({ cycle: 2, turn: "r.3" })).toEqual(["r.3"]);
  expect(await find({ cycle: 2, turn: "r.1" })).toEqual([]);
  expect(await find({}, { from: "HEAD" })).toEqual([]);
  expect(await find({}, { to: from, from: undefined })).toEqual([]);
});

test("lists a range with merges so that no commit is before its parent", async () => {
  const root = aRepository();
  const from = headOf(root);
  // By its date, the fork would be listed after the branch that was committed by a slow clock.
  emptyCommit(root, "2030", "fork");
  git(root, "checkout", "-q", "-b", "side");
  emptyCommit(root, "2010", "side");
  git(root, "checkout", "-q", "main");
  emptyCommit(root, "2035", "main");
  git(root, "merge", "-q", "--no-ff", "-m", "merged\nsubject\n\nA: 1\nA: 2\nB:\n  folded", "side");
  const commits = await logRange(root, { from });
  expect(commits.map(({ subject }) => subject).toSorted()).toEqual([
    "fork",
    "main",
    "merged subject",
    "side",
  ]);
  const seen = new Set([from]);
  for (const { sha, subject, parents } of commits) {
    expect(
      parents.filter((parent) => !seen.has(parent)),
      `${subject}'s parents`,
    ).toEqual([]);
    seen.add(sha);
  }
  expect(commits.at(-1)?.trailers).toEqual(
    new Map([
      ["A", ["1", "2"]],
      ["B", ["folded"]],
    ]),
  );
});

function emptyCommit(root: string, year: string, subject: string): void {
  process.env["GIT_COMMITTER_DATE"] = `${year}-01-01T00:00:00Z`;
  git(root, "commit", "-q", "--allow-empty", "-m", subject);
  delete process.env["GIT_COMMITTER_DATE"];
}

test("is not fooled by messages that look like its own separators", async () => {
  const root = aRepository();
  const from = headOf(root);
  git(root, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", `\n\n%x00${from}\n%H`);
  git(root, "commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "");
  const commits = await logRange(root, { from });
  expect(commits.map(({ sha, subject }) => [sha, subject])).toEqual([
    [git(root, "rev-parse", "HEAD~1").trim(), `%x00${from} %H`],
    [headOf(root), ""],
  ]);
});

test.for([
  ["nothing is set", {}, {}, "Quasar <quasar@localhost> Quasar <quasar@localhost>"],
  ["all is set", { "user.name": "U", "user.email": "u@h" }, {}, "U <u@h> U <u@h>"],
  ["only the name is set", { "user.name": "U" }, {}, "U <quasar@localhost> U <quasar@localhost>"],
  [
    "the author is set apart",
    { "user.name": "U", "user.email": "u@h", "author.name": "A" },
    {},
    "A <u@h> U <u@h>",
  ],
  [
    "the environment says it",
    { "user.name": "U", "user.email": "u@h" },
    { GIT_AUTHOR_NAME: "E", GIT_COMMITTER_EMAIL: "e@h" },
    "E <u@h> U <e@h>",
  ],
  ["git is told not to guess", { "user.useConfigOnly": "true" }, {}, undefined],
  ["the name is empty", { "user.name": "", "user.email": "u@h" }, {}, "Quasar <u@h> Quasar <u@h>"],
] as const)("knows who commits when %s", async ([, config, environment, expected]) => {
  const root = anEmptyRepository();
  write(root, "a", "");
  for (const [name, value] of Object.entries(config)) git(root, "config", name, value);
  Object.assign(process.env, environment);
  try {
    await commitAll(root, { subject: "cycle" });
  } finally {
    for (const name of Object.keys(environment)) delete process.env[name];
  }
  const neutral = "Quasar <quasar@localhost> Quasar <quasar@localhost>";
  expect(git(root, "log", "--format=%an <%ae> %cn <%ce>").trim()).toBe(expected ?? neutral);
});

test("commits as the given author, under the given reflog action", async () => {
  const root = aRepository();
  write(root, "b", "");
  const options: CommitOptions = {
    subject: "cycle",
    author: { name: "Coder", email: "coder@localhost" },
    reflogAction: "quasar:run-1/2\nforged",
  };
  await commitAll(root, options);
  expect(git(root, "log", "-1", "--format=%an <%ae>").trim()).toBe("Coder <coder@localhost>");
  expect(git(root, "reflog", "-1", "--format=%gs").trim()).toBe("quasar:run-1/2 forged: cycle");
});

test("gives its environment to the user's git hooks and filters, and takes none of git's", async () => {
  const root = aRepository();
  const said = join(aFolder(), "said");
  script(root, ".git/hooks/pre-commit", `echo "hook $QUASAR_RUN_ID" >> '${said}'`);
  git(root, "config", "filter.f.clean", `echo "filter $QUASAR_RUN_ID" >> '${said}'; cat`);
  write(root, ".gitattributes", "b filter=f\n");
  write(root, "b", "");
  await commitAll(root, { subject: "cycle", env: { QUASAR_RUN_ID: "run-1" } });
  const lines = readFileSync(said, "utf8").trim().split("\n");
  expect(new Set(lines)).toEqual(new Set(["filter run-1", "hook run-1"]));
  write(root, "b", "2");
  const steered = commitAll(root, { subject: "cycle", env: { GIT_DIR: "/elsewhere" } });
  expect(await failureCode(steered)).toBe("ERR_INVALID_ARGUMENT");
});

test("tells by what action HEAD came to a commit the first time", async () => {
  const root = aRepository();
  const first = headOf(root);
  write(root, "b", "");
  const reflogAction = "quasar:run-1/2";
  const ours = (await commitAll(root, { subject: "a: subject", reflogAction }))?.sha;
  git(root, "commit", "-q", "--allow-empty", "-m", "theirs: by hand");
  const theirs = headOf(root);
  process.env["GIT_REFLOG_ACTION"] = "quasar:run-1/3";
  git(root, "reset", "-q", "--hard", first);
  git(root, "reset", "-q", "--hard", theirs);
  delete process.env["GIT_REFLOG_ACTION"];
  expect(Object.fromEntries(await reflogActions(root))).toEqual({
    [first]: "commit (initial)",
    [ours ?? ""]: "quasar:run-1/2",
    [theirs]: "commit",
  });
  rmSync(join(root, ".git/logs"), { recursive: true });
  expect(await reflogActions(root)).toEqual(new Map());
  expect(await failureCode(reflogActions(anEmptyRepository()))).toBe("ERR_GIT_FAILED");
});

test("names the paths in which two commits differ", async () => {
  const root = aRepository();
  git(root, "config", "diff.relative", "true");
  const first = headOf(root);
  git(root, "mv", "a.txt", "new\nname");
  write(root, "dir/b", "");
  const second = (await commitAll(root, { subject: "cycle" }))?.sha ?? "";
  const dir = join(root, "dir");
  expect(await changedPaths(dir, first, second)).toEqual(["a.txt", "dir/b", "new\nname"]);
  expect(await changedPaths(dir, "", second)).toEqual(["dir/b", "new\nname"]);
  expect(await changedPaths(root, second, second)).toEqual([]);
  expect(await failureCode(changedPaths(root, "HEAD", second))).toBe("ERR_BAD_REVISION");
  write(root, "dir/b", "more");
  const third = (await commitAll(root, { subject: "cycle" }))?.sha ?? "";
  expect(await changedFiles(dir, first, third)).toEqual([
    { path: "a.txt", change: "deleted" },
    { path: "dir/b", change: "new" },
    { path: "new\nname", change: "new" },
  ]);
  expect(await changedFiles(dir, second, third)).toEqual([{ path: "dir/b", change: "modified" }]);
  expect(await changedFiles(dir, "", first)).toEqual([{ path: "a.txt", change: "new" }]);
});

test("seed 2: CurrentGitSHA uses exec.CommandContext for cancellation support", async () => {
  const dir = aFolder();
  const pid = join(dir, "pid");
  script(dir, "git", `echo $$ > '${pid}'; exec sleep 600`);
  const path = process.env["PATH"];
  process.env["PATH"] = `${dir}:${path}`;
  try {
    const controller = new AbortController();
    const reading = currentGitSha(aFolder(), { signal: controller.signal });
    await expect.poll(() => existsSync(pid) && readFileSync(pid, "utf8")).toMatch(/\d\n/);
    controller.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    const running = Number(readFileSync(pid, "utf8"));
    expect(() => process.kill(running, 0), "the git that ran is gone").toThrow("ESRCH");
  } finally {
    process.env["PATH"] = path;
  }
});

test("runs the user's git hooks and says what a failing one said, without its escapes", async () => {
  const root = aRepository();
  write(root, "b", "");
  script(
    root,
    ".git/hooks/pre-commit",
    "printf 'lint: \\033[31mb is bad\\033[0m\\r\\n' >&2; exit 3",
  );
  const error = await failure(commitAll(root, { subject: "cycle" }));
  expect(error.code).toBe("ERR_COMMIT_FAILED");
  expect(error.message).toContain("lint: [31mb is bad");
  expect(error.message).not.toContain("\u001b");
  expect(git(root, "log", "--format=%s")).toBe("first\n");

  script(root, ".git/hooks/pre-commit", "touch hook-ran");
  expect((await commitAll(root, { subject: "cycle" }))?.sha).toBe(headOf(root));
  expect(git(root, "status", "--porcelain")).toBe("?? hook-ran\n");
});

test("does not wait for what a git hook leaves running", async () => {
  const root = aRepository();
  write(root, "b", "");
  const pid = join(aFolder(), "pid");
  script(root, ".git/hooks/post-commit", `sleep 600 & echo $! > '${pid}'`);
  expect((await commitAll(root, { subject: "cycle" }))?.sha).toBe(headOf(root));
  expect(process.kill(Number(readFileSync(pid, "utf8"))), "it is still running").toBe(true);
});

test("runs the user's filters, as Git LFS needs it", async () => {
  const root = aRepository();
  write(root, ".gitattributes", "*.big filter=upper\n");
  git(root, "config", "filter.upper.clean", "tr a-z A-Z");
  git(root, "config", "filter.upper.required", "true");
  write(root, "x.big", "content\n");
  await commitAll(root, { subject: "cycle" });
  expect(git(root, "show", "HEAD:x.big")).toBe("CONTENT\n");
});

test("says that a nested repository without commits cannot be committed", async () => {
  const root = aRepository();
  anEmptyRepository(join(root, "nested"));
  write(root, "nested/x", "");
  const error = await failure(commitAll(root, { subject: "cycle" }));
  expect(error.code).toBe("ERR_COMMIT_FAILED");
  expect(error.message).toContain("nested");
});

test("starts four git processes for a commit and two for none, git's own included", async () => {
  const root = aRepository();
  git(root, "config", "gc.auto", "1");
  write(root, "b", "");
  const names = (await traced(() => commitAll(root, { subject: "cycle" }))).map(commandOf);
  expect(names).toEqual(["config", "status", "add", "commit"]);
  const none = (await traced(() => commitAll(root, { subject: "cycle" }))).map(commandOf);
  expect(none).toEqual(["config", "status"]);
  write(root, "c", "");
  const seen = await readCommitState(root);
  const twice = (await traced(() => commitAll(root, { subject: "cycle", seen }))).map(commandOf);
  expect(twice).toEqual(["add", "commit"]);
  expect((await traced(() => currentGitSha(root))).map(commandOf)).toEqual(["rev-parse"]);
});

test("stages a few changed files by name, and of many all that differ", async () => {
  const root = aRepository();
  const staged = async (count: number): Promise<readonly string[] | undefined> => {
    for (let n = 0; n < count; n += 1) write(root, `new/${count}-${n}`, "");
    const processes = await traced(() => commitAll(root, { subject: "cycle" }));
    expect(git(root, "status", "--porcelain")).toBe("");
    return processes.find((each) => commandOf(each) === "add")?.argv;
  };
  expect(await staged(2)).toEqual(expect.arrayContaining([":(top,literal)new/2-1"]));
  expect(await staged(101)).toEqual(expect.arrayContaining([":/"]));
});

test("commits a file that became a folder, but not what is excluded in it", async () => {
  const root = aRepository();
  write(root, "place", "a file\n");
  await commitAll(root, { subject: "first" });
  rmSync(join(root, "place"));
  write(root, "place/kept", "");
  write(root, "place/left", "");
  await commitAll(root, { subject: "second", exclude: ["place/left"] });
  expect(git(root, "ls-tree", "-r", "--name-only", "HEAD", "place")).toBe("place/kept\n");
});

test("commits what is staged already, and nothing that is excluded", async () => {
  const root = aRepository();
  write(root, "staged", "");
  git(root, "add", "staged");
  write(root, "left", "");
  await commitAll(root, { subject: "cycle", exclude: ["left"] });
  expect(git(root, "show", "--format=", "--name-only")).toBe("staged\n");
});

test("sees HEAD and what is not committed, also before the first commit", async () => {
  const root = aRepository();
  write(root, "b", "");
  const { head, dirty } = await readCommitState(root);
  expect([head, dirty]).toEqual([await currentGitSha(root), [{ path: "b", status: "??" }]]);
  const unborn = anEmptyRepository(aFolder());
  write(unborn, "b", "");
  expect(await readCommitState(unborn)).toMatchObject({ head: "", dirty: [{ path: "b" }] });
});

function commandOf({ argv }: { argv: readonly string[] }): string | undefined {
  return argv[2];
}

test("flushes what it writes", async () => {
  const root = aRepository();
  write(root, "b", "");
  const processes = await traced(() => commitAll(root, { subject: "cycle" }));
  const flushes = new Map(processes.map((process) => [commandOf(process), process.flushes]));
  expect(flushes.get("add"), "object and index").toBeGreaterThanOrEqual(2);
  expect(flushes.get("commit"), "tree, commit, index and ref").toBeGreaterThanOrEqual(4);
});

test("hands the durable settings on to a git that an agent starts", async () => {
  const root = aRepository();
  const theirs = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "user.name",
    GIT_CONFIG_VALUE_0: "Agent",
  };
  const env = { ...process.env, ...theirs, ...durableGitEnv(theirs) };
  const agent = script(aFolder(), "agent", "git config core.fsync; git config user.name");
  expect(execFileSync(agent, { cwd: root, env, encoding: "utf8" })).toBe("all\nAgent\n");
});

test("commits a file's change of mode", async () => {
  const root = aRepository();
  chmodSync(join(root, "a.txt"), 0o755);
  await commitAll(root, { subject: "cycle" });
  expect(git(root, "ls-tree", "HEAD", "a.txt")).toMatch(/^100755/);
});

test.for([
  ["a nested repository", (root: string) => aRepository(join(root, "nested"))],
  [
    "a nested repository without a commit",
    (root: string) => anEmptyRepository(join(root, "nested")),
  ],
  [
    "a name that is no UTF-8",
    (root: string) => {
      for (const name of ["caf\\351.txt", "[x]*\\377"]) {
        execFileSync("sh", ["-c", `printf mine > "$(printf '${name}')"`], { cwd: root });
      }
    },
  ],
] as const)("never commits %s that was listed as dirty before", async ([, make]) => {
  const root = aRepository();
  make(root);
  const exclude = (await dirtyPaths(root)).map(({ path }) => path);
  expect(exclude.length).toBeGreaterThan(0);
  write(root, "work", "1");
  expect((await commitAll(root, { subject: "cycle", exclude }))?.sha).toBe(headOf(root));
  expect(git(root, "ls-tree", "-r", "--name-only", "HEAD")).toBe("a.txt\nwork\n");
});
