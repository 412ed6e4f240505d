import { execFile, execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { byLane } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { installGitHook, noteCommit, readInbox, uninstallGitHook } from "../src/git-hook/index.ts";
import {
  aFolder,
  aRepository,
  aTask,
  commit,
  eventually,
  everythingIn,
  git,
  gitWith,
  headOf,
  pause,
  script,
} from "./git-fixture.ts";

const ATLAS = [process.execPath, join(import.meta.dirname, "atlas.ts")];
const now = new Date(0);

/** A task in a work tree with the git hook; commits with `env` find the task. */
async function aTaskIn(root: string, task = aTask()) {
  const installed = await installGitHook(root, { taskDir: task.taskDir, command: ATLAS });
  return { ...task, installed, env: { TASKS_ROOT: task.tasksRoot } };
}

/** The notes of a task, once there are so many. */
async function notesOf(taskDir: string, count: number) {
  await eventually(() => readInbox(taskDir).notes.length >= count);
  return readInbox(taskDir).notes;
}

// SPEC.md, statements 89.
test.for([
  ["a plain repository", () => aRepository()],
  ["a SHA-256 repository", () => aRepository(aFolder(), "--object-format=sha256")],
  ["a repository at an odd path", () => aRepository(join(aFolder(), "a 'b' \"c\"\n$d"))],
] as const)("a commit in %s leaves one note that names it", async ([, make]) => {
  const root = make();
  const { taskDir, env } = await aTaskIn(root);
  const sha = commit(root, "-n; say “no” $(x)", env);
  const [note, ...rest] = await notesOf(taskDir, 1);
  expect(rest).toEqual([]);
  expect(note).toMatchObject({
    trigger: "git_commit",
    commit: sha,
    description: "Commit: -n; say “no” $(x)",
  });
  expect(existsSync(join(root, ".git/hooks/post-commit"))).toBe(true);
});

test("a commit is told to the task of its own work tree, to no other's, and a person's to nobody", async () => {
  const root = aRepository();
  const tasksRoot = aFolder();
  const [one, two] = ["one", "two"].map((name) => join(aFolder(), name)) as [string, string];
  for (const place of [one, two]) git(root, "worktree", "add", "-q", place);
  const first = await aTaskIn(one, aTask(tasksRoot));
  const second = await aTaskIn(two, aTask(tasksRoot));
  commit(root, "by a person", first.env);
  const sha = commit(one, "by the first", first.env);
  expect((await notesOf(first.taskDir, 1)).map((note) => note.commit)).toEqual([sha]);
  await pause(200);
  expect(readInbox(second.taskDir).notes).toEqual([]);
  expect(await noteCommit(root, { tasksRoot, now })).toEqual({
    kind: "nothing",
    reason: "no-task",
  });
});

test("what is no task any more gets no note: one that ended, vanished, or lies elsewhere", async () => {
  const root = aRepository();
  const { taskDir, tasksRoot } = await aTaskIn(root);
  const nothing = { kind: "nothing", reason: "no-task" };
  const isActive = (): boolean => false;
  expect(await noteCommit(root, { tasksRoot, now, isActive })).toEqual(nothing);
  expect(await noteCommit(root, { tasksRoot: aFolder(), now })).toEqual(nothing);
  expect(await noteCommit(root, { tasksRoot, now })).toMatchObject({ kind: "noted", taskDir });
  rmSync(taskDir, { recursive: true });
  expect(await noteCommit(root, { tasksRoot, now })).toEqual(nothing);
  const outside = { kind: "nothing", reason: "no-repository" };
  expect(await noteCommit(aFolder(), { tasksRoot, now })).toEqual(outside);
  expect(existsSync(taskDir)).toBe(false);
});

test("the variables that git gives its hooks do not lead to another repository", async () => {
  const root = aRepository();
  const { taskDir, tasksRoot } = await aTaskIn(root);
  const other = aRepository();
  commit(other, "of the other");
  const dir = join(other, ".git");
  const env = { ...process.env, TASKS_ROOT: tasksRoot, GIT_DIR: dir, GIT_WORK_TREE: other };
  const index = { GIT_INDEX_FILE: join(dir, "index"), GIT_PREFIX: "", GIT_COMMON_DIR: dir };
  const [node = "", ...args] = ATLAS;
  execFileSync(node, args, { cwd: root, env: { ...env, ...index } });
  expect(readInbox(taskDir).notes.map((note) => note.commit)).toEqual([headOf(root)]);
});

test("installing and uninstalling heed no variables that git gives its hooks", async () => {
  const root = aRepository();
  const other = aRepository();
  const before = everythingIn(other);
  const { taskDir } = aTask();
  const args = [join(import.meta.dirname, "install.ts"), root, taskDir];
  const env = { ...process.env, GIT_DIR: join(other, ".git"), GIT_INDEX_FILE: "/nowhere" };
  execFileSync(process.execPath, args, { env });
  expect(existsSync(join(root, ".git/hooks/post-commit"))).toBe(true);
  expect(everythingIn(other)).toEqual(before);
});

test("a note in the middle of a rebase is not written, whoever asks for it", async () => {
  const root = aRepository();
  commit(root, "one");
  const { tasksRoot, env } = await aTaskIn(root);
  gitWith({ ...env, GIT_SEQUENCE_EDITOR: "sed -i s/^pick/edit/" }, root, "rebase", "-i", "HEAD~1");
  const nothing = { kind: "nothing", reason: "rebase" };
  expect(await noteCommit(root, { tasksRoot, now })).toEqual(nothing);
});

const run = promisify(execFile);

async function installIn(root: string, taskDir: string): Promise<string[]> {
  const args = [join(import.meta.dirname, "install.ts"), root, taskDir];
  const { stdout } = await run(process.execPath, args, { encoding: "utf8" });
  return JSON.parse(stdout) as string[];
}

test("processes that install at once make one block, and each task counts", async () => {
  const root = aRepository();
  const original = "#!/bin/sh\necho mine\n";
  script(join(root, ".git/hooks/post-commit"), original);
  const tasks = [aTask(), aTask(), aTask()];
  const kinds = await Promise.all(tasks.map(({ taskDir }) => installIn(root, taskDir)));
  expect(kinds.flat().toSorted()).toEqual(["installed", "present", "present"]);
  const text = readFileSync(join(root, ".git/hooks/post-commit"), "utf8");
  expect(text.match(/>>> atlas hook >>>/g)).toHaveLength(1);
  const results = [];
  for (const { taskDir } of tasks) results.push(await uninstallGitHook(root, { taskDir }));
  expect(results.map(({ kind }) => kind)).toEqual(["kept", "kept", "removed"]);
  expect(readFileSync(join(root, ".git/hooks/post-commit"), "utf8")).toBe(original);
});

test("processes that come and go at once lose no task, and leave nothing behind in the end", async () => {
  const commonDir = aFolder();
  const child = join(import.meta.dirname, "register.ts");
  const lost = await Promise.all(
    ["/a", "/b", "/c"].map(async (taskDir) => {
      const args = [child, commonDir, taskDir, byLane({ fast: "2", whole: "6", long: "100" })];
      return (await run(process.execPath, args, { encoding: "utf8" })).stdout;
    }),
  );
  expect(lost).toEqual(["0\n", "0\n", "0\n"]);
  expect(readdirSync(commonDir)).toEqual([]);
});

const NOBODY = 65_534;

test.runIf(process.getuid?.() === 0)(
  "a folder of git hooks that may not be written is reported, and nothing is changed",
  async () => {
    const root = aRepository();
    const hooks = join(root, ".git/hooks");
    const task = aTask();
    // Whoever runs the tests may write everywhere: a user who may not has to try it.
    for (const path of [join(root, ".."), join(task.tasksRoot)]) chmodSync(path, 0o755);
    for (const path of [root, join(root, ".git"), task.tasksRoot, task.taskDir]) {
      chownSync(path, NOBODY, NOBODY);
    }
    execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, join(root, ".git")]);
    chmodSync(hooks, 0o555);
    const names = readdirSync(hooks);
    const args = [join(import.meta.dirname, "install.ts"), root, task.taskDir, String(NOBODY)];
    const env = { ...process.env, HOME: root };
    expect(execFileSync(process.execPath, args, { env, encoding: "utf8" })).toBe('["printed"]\n');
    expect(readdirSync(hooks)).toEqual(names);
  },
);

test.skipIf(process.getuid?.() === 0)(
  "a folder of git hooks that may not be written is reported, and nothing is changed by its owner",
  async () => {
    const root = aRepository();
    const hooks = join(root, ".git/hooks");
    const names = readdirSync(hooks);
    chmodSync(hooks, 0o555);
    const printed = await aTaskIn(root);
    chmodSync(hooks, 0o755);
    expect(printed.installed).toMatchObject({ kind: "printed", reason: "not-writable" });
    expect(readdirSync(hooks)).toEqual(names);
  },
);
