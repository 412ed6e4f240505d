import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createHookFileStore } from "@quasar/hookfile";
import { taskFolder } from "@quasar/hookfile/folders";
import { nodeFileSystem } from "@quasar/durable";
import { foldCase } from "@quasar/vitest/fold-case";
import { expect, test, vi } from "vitest";
import {
  aClone,
  aFolder,
  aRepository,
  aScene,
  commitFile,
  failure,
  git,
  happen,
  NOW,
  write,
} from "../../test/workspace-fixture.ts";
import { readTask } from "../task-store.ts";
import { resolveTemplate } from "../templates/resolve-template.ts";
import { listWorkspaces } from "./list-workspaces.ts";
import { setUpTask } from "./set-up-task.ts";
import { readWorkspace, workspaceDir } from "./workspace-store.ts";

const NAME = "fix-null-pointer-in-parseconfig";
const ABANDON = { type: "abandon" } as const;

// SPEC.md, statements 21, 25, 27.
test("puts a task down as workspace.json, task.json and a hook file", async () => {
  const { home, root, prepare, warnings } = aScene();
  const { taskDir, task, hook } = await prepare();
  const head = git(root, "rev-parse", "HEAD");
  const worktree = join(dirname(root), `app-${NAME}`);

  expect(task.id).toMatch(/^task-[0-9a-f-]{36}$/);
  expect(taskDir).toBe(taskFolder(home, NAME, task.id));
  expect(readTask(taskDir)).toEqual(task);
  expect(task).toMatchObject({
    workspaceId: NAME,
    templateId: "bugfix",
    description: "Fix null pointer in parseConfig!",
    status: "pending",
    currentStep: 0,
    stepResults: [],
    transitions: [],
    createdAt: NOW.toISOString(),
    metadata: {
      branch: `fix/${NAME}`,
      worktreeDir: worktree,
      isHere: false,
      repoPath: root,
      baseSha: head,
      baseBranch: "main",
    },
  });
  expect(task.template[1]?.prompt).toContain("Fix null pointer in parseConfig!");
  expect(createHookFileStore({ dir: taskDir }).read()).toEqual(hook);
  expect(hook).toMatchObject({
    state: "initializing",
    taskId: task.id,
    workspaceId: NAME,
    template: "bugfix",
    branch: `fix/${NAME}`,
    worktreePath: worktree,
    repoPath: root,
    keyIndex: 0,
  });
  expect(hook.steps.map(({ name }) => name)).toEqual(task.template.map(({ name }) => name));
  expect(readWorkspace(workspaceDir(home, NAME))).toMatchObject({
    name: NAME,
    status: "active",
    worktreePath: worktree,
    branch: `fix/${NAME}`,
    tasks: [task.id],
    repoPath: root,
  });
  expect(existsSync(worktree), "that is set-up's").toBe(false);
  expect(git(root, "branch", "--list", "fix/*")).toBe("");
  expect(warnings).toEqual([]);
});

test("keeps its files to the user, and the folders too", async () => {
  const { home, prepare } = aScene();
  const { taskDir } = await prepare();
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
  expect(modeOf(join(taskDir, "task.json"))).toBe("600");
  expect(modeOf(join(dirname(dirname(taskDir)), "workspace.json"))).toBe("600");
  for (let dir = taskDir; dir !== dirname(home); dir = dirname(dir))
    expect(modeOf(dir)).toBe("700");
});

test("writes workspace.json with the seed's names", async () => {
  const { home, prepare, root } = aScene();
  const { task } = await prepare();
  const dir = workspaceDir(home, NAME);
  expect(JSON.parse(readFileSync(join(dir, "workspace.json"), "utf8"))).toEqual({
    name: NAME,
    path: dir,
    worktree_path: task.metadata.worktreeDir,
    branch: task.metadata.branch,
    status: "active",
    tasks: [task.id],
    repo_path: root,
    created_at: NOW.toISOString(),
    updated_at: NOW.toISOString(),
    metadata: { common_dir: join(root, ".git"), is_here: false, base_branch: "main" },
    schema_version: 1,
  });
});

// SPEC.md, statements 168.
test("says that creating the hook failed, and then there is no task", async () => {
  const { home, prepare } = aScene();
  // More than a hook file's description may have.
  const error = await failure(
    prepare({ description: `fix ${"x".repeat(70_000)}`, workspaceName: "w" }),
  );
  expect(error).toMatchObject({ name: "TasksError" });
  expect(listWorkspaces(home).flatMap(({ tasks }) => tasks)).toEqual([]);

  const title = { ...resolveTemplate("task"), id: "t".repeat(300) };
  const second = await failure(prepare({ template: title }));
  expect(second).toMatchObject({
    code: "ERR_NOT_CREATED",
    message: expect.stringMatching(/^creating hook: template is not/),
  });
  expect(listWorkspaces(home).flatMap(({ tasks }) => tasks)).toEqual([]);
  expect((await prepare()).task.workspaceId, "what was begun is in nobody's way").toBe(NAME);
});

test("gives each task a number of its own for its keys", async () => {
  const { prepare } = aScene();
  const [one, two] = [await prepare({ workspaceName: "a" }), await prepare({ workspaceName: "b" })];
  expect([one.hook.keyIndex, two.hook.keyIndex]).toEqual([0, 1]);
});

test("uses a workspace again when its task has ended, and no other", async () => {
  const { prepare, warnings, root } = aScene();
  const one = await prepare();
  await setUpTask(one);
  const sha = commitFile(one.task.metadata.worktreeDir, "b.txt");
  const two = await prepare();
  expect(two.task.workspaceId, "one continues").toBe(`${NAME}-2`);
  expect(two.task.metadata).toMatchObject({
    branch: `fix/${NAME}-2`,
    worktreeDir: join(dirname(root), `app-${NAME}-2`),
  });
  expect(warnings).toEqual([`the workspace ${NAME} is in use: this is ${NAME}-2`]);

  happen(one.taskDir, ABANDON);
  const three = await prepare({ template: resolveTemplate("task") });
  expect(three.task.workspaceId).toBe(NAME);
  expect(three.task.metadata).toEqual({ ...one.task.metadata, baseSha: sha });
});

test.for([
  [
    "its branch is gone",
    (tree: string, root: string) => {
      git(root, "worktree", "remove", tree);
      git(root, "branch", "-D", `fix/${NAME}`);
    },
  ],
  ["another branch is checked out there", (tree: string) => git(tree, "switch", "-qc", "other")],
  ["something is uncommitted there", (tree: string) => write(tree, "left.txt", "")],
  [
    "something else is there",
    (tree: string, root: string) => {
      git(root, "worktree", "remove", tree);
      write(tree, "file", "");
    },
  ],
] as const)("does not use a workspace again where %s", async ([, change]) => {
  const { prepare, root } = aScene();
  const one = await prepare();
  await setUpTask(one);
  happen(one.taskDir, ABANDON);
  change(one.task.metadata.worktreeDir, root);
  const two = await prepare();
  expect(two.task.workspaceId).toBe(`${NAME}-2`);
  expect(two.task.metadata.worktreeDir).not.toBe(one.task.metadata.worktreeDir);
});

test("uses a workspace again whose work tree was removed", async () => {
  const { prepare, root } = aScene();
  const one = await prepare();
  await setUpTask(one);
  happen(one.taskDir, ABANDON);
  git(root, "worktree", "remove", one.task.metadata.worktreeDir);
  const two = await prepare();
  expect(two.task.metadata).toEqual(one.task.metadata);
  await setUpTask(two);
  expect(git(two.task.metadata.worktreeDir, "branch", "--show-current")).toBe(`fix/${NAME}`);
});

test("keeps to the workspace that has the name in other letters, on a disk that folds case", async () => {
  const { home, prepare } = aScene();
  const one = await prepare({ workspaceName: "Login" });
  await setUpTask(one);
  foldCase(home);
  const active = await prepare({ workspaceName: "login" });
  expect(active.task.workspaceId).toBe("login-2");
  happen(one.taskDir, ABANDON);
  const again = await prepare({ workspaceName: "login" });
  expect(again.task.workspaceId).toBe("Login");
  expect(again.task.metadata.branch).toBe(one.task.metadata.branch);
});

test("looks at no task of another workspace", async () => {
  const { prepare } = aScene();
  const [open, list] = [vi.spyOn(nodeFileSystem, "open"), vi.spyOn(nodeFileSystem, "readdir")];
  const looksOfAStart = async (workspaceName: string): Promise<number> => {
    open.mockClear();
    list.mockClear();
    await prepare({ workspaceName });
    const paths = [...open.mock.calls, ...list.mock.calls].map(([path]) => path);
    return paths.filter((path) => path.includes("/tasks")).length;
  };
  const alone = await looksOfAStart("w");
  for (let n = 0; n < 5; n += 1) await prepare({ workspaceName: `other-${n}` });
  expect(await looksOfAStart("v")).toBe(alone);
});

test("leaves the workspace of another repository alone, though it has the name", async () => {
  const { prepare, root } = aScene();
  const one = await prepare();
  await setUpTask(one);
  happen(one.taskDir, ABANDON);
  git(root, "worktree", "remove", one.task.metadata.worktreeDir);
  const cwd = aRepository();
  git(cwd, "branch", `fix/${NAME}`);
  const two = await prepare({ cwd });
  expect(two.task.workspaceId).toBe(`${NAME}-2`);
  expect(two.task.metadata.repoPath).toBe(cwd);
});

test("lets one of many that start at once have the name, each of the others another", async () => {
  const { prepare, root } = aScene();
  const all = await Promise.all(Array.from({ length: 4 }, () => prepare()));
  const names = all.map(({ task }) => task.workspaceId).toSorted();
  expect(names).toEqual([NAME, `${NAME}-2`, `${NAME}-3`, `${NAME}-4`]);
  expect(new Set(all.map(({ task }) => task.metadata.worktreeDir)).size).toBe(4);
  await Promise.all(all.map((each) => setUpTask(each)));
  expect(git(root, "worktree", "list").split("\n")).toHaveLength(5);
});

test("takes another folder where one of the work tree's name is there", async () => {
  const { prepare, root } = aScene();
  mkdirSync(join(dirname(root), `app-${NAME}`));
  expect(basename((await prepare()).task.metadata.worktreeDir)).toBe(`app-${NAME}-2`);
});

test("makes work trees beside the main one, also from within a linked one", async () => {
  const { prepare, root } = aScene();
  const one = await prepare({ workspaceName: "one" });
  await setUpTask(one);
  const cwd = one.task.metadata.worktreeDir;
  const two = await prepare({ workspaceName: "two", cwd });
  expect(two.task.metadata).toMatchObject({
    repoPath: root,
    worktreeDir: join(dirname(root), "app-two"),
    baseBranch: "fix/one",
  });
});

test("begins at the base as the remote has it now", async () => {
  const { origin, root } = aClone();
  const { prepare, warnings } = aScene(root);
  const newer = commitFile(origin, "b.txt");
  expect((await prepare({ workspaceName: "a" })).task.metadata.baseSha).toBe(newer);
  expect(warnings).toEqual([]);
  const before = git(root, "rev-parse", "HEAD");
  const local = await prepare({ workspaceName: "b", useLocal: true });
  expect(local.task.metadata.baseSha).toBe(before);
  git(origin, "branch", "release");
  const other = await prepare({ workspaceName: "c", base: "release" });
  expect(other.task.metadata).toMatchObject({ baseSha: newer, baseBranch: "release" });
  const spelt = await prepare({ workspaceName: "d", base: "origin/release" });
  expect(spelt.task.metadata).toMatchObject({ baseSha: newer, baseBranch: "release" });
});

test("begins at what is here where the remote cannot be reached, and says so", async () => {
  const { origin, root } = aClone();
  const { prepare, warnings } = aScene(root);
  rmSync(origin, { recursive: true });
  const { task } = await prepare();
  expect(task.metadata.baseSha).toBe(git(root, "rev-parse", "HEAD"));
  expect(warnings).toEqual([expect.stringMatching(/^main of origin was not fetched.*git fetch/)]);
});

test("says what is here and not in the task: commits, and uncommitted work", async () => {
  const { root } = aClone();
  const { prepare, warnings } = aScene(root);
  const base = git(root, "rev-parse", "HEAD");
  commitFile(root, "unpushed.txt");
  write(root, "uncommitted.txt", "");
  const { task } = await prepare();
  expect(task.metadata.baseSha).toBe(base);
  expect(warnings).toEqual([
    "main has commits here that main of origin has not: the task begins without them",
    `what is uncommitted in ${root} stays there: the task does not have it`,
  ]);
});

test.for(["nothing", "--all", "a b", "HEAD~1"])("refuses the base %j", async (base) => {
  const { prepare } = aScene();
  expect(await failure(prepare({ base }))).toMatchObject({ code: "ERR_NOT_FOUND" });
});

test("begins at a detached HEAD, with no branch for a pull request", async () => {
  const { prepare, root } = aScene();
  const sha = git(root, "rev-parse", "HEAD");
  git(root, "checkout", "-q", "--detach");
  expect((await prepare()).task.metadata).toMatchObject({ baseSha: sha, baseBranch: "" });
});

test("works here for the template that is about what is uncommitted here", async () => {
  const { prepare, root, warnings } = aScene();
  write(root, "new.txt", "");
  mkdirSync(join(root, "sub"));
  const template = resolveTemplate("commit");
  const { task } = await prepare({ template, cwd: join(root, "sub") });
  expect(task.metadata).toMatchObject({ branch: "main", worktreeDir: root, isHere: true });
  await setUpTask({ task });
  expect(git(root, "worktree", "list").split("\n")).toHaveLength(1);
  expect(warnings).toEqual([]);
  const second = await failure(prepare({ template }));
  expect(second).toMatchObject({ code: "ERR_ACTIVE", message: expect.stringContaining(task.id) });
});

test("works here when asked to, unless something is uncommitted that nobody has vouched for", async () => {
  const { prepare, root } = aScene();
  write(root, "new.txt", "");
  expect(await failure(prepare({ here: true }))).toMatchObject({
    code: "ERR_DIRTY",
    message: expect.stringContaining("new.txt"),
  });
  const { task } = await prepare({ here: true, acceptDirty: true });
  expect(task.metadata).toMatchObject({ isHere: true, branch: "main" });
});

test("needs a branch to work here", async () => {
  const { prepare, root } = aScene();
  git(root, "checkout", "-q", "--detach");
  expect(await failure(prepare({ here: true }))).toMatchObject({ code: "ERR_NOT_FOUND" });
});

test("continues from a task that has ended: same workspace, branch and uncommitted work", async () => {
  const { prepare } = aScene();
  const one = await prepare();
  await setUpTask(one);
  const tree = one.task.metadata.worktreeDir;
  commitFile(tree, "b.txt");
  write(tree, "half.txt", "half");
  const active = await failure(prepare({ fromTask: one.task.id }));
  expect(active).toMatchObject({ code: "ERR_ACTIVE" });
  happen(one.taskDir, ABANDON);

  const two = await prepare({ fromTask: one.task.id, description: "" });
  expect(two.task.description).toBe(one.task.description);
  expect(two.task.metadata).toMatchObject({ ...one.task.metadata, fromTask: one.task.id });
  expect(two.task.metadata.context).toContain(one.task.description);
  await setUpTask(two);
  expect(readFileSync(join(tree, "half.txt"), "utf8")).toBe("half");
});

test("makes the work tree of a task that it continues from again", async () => {
  const { prepare, root } = aScene();
  const one = await prepare();
  await setUpTask(one);
  const tree = one.task.metadata.worktreeDir;
  const sha = commitFile(tree, "b.txt");
  happen(one.taskDir, ABANDON);
  git(root, "worktree", "remove", tree);
  const two = await prepare({ fromTask: one.task.id });
  await setUpTask(two);
  expect(git(tree, "rev-parse", "HEAD")).toBe(sha);
  expect(two.task.metadata.baseSha).toBe(one.task.metadata.baseSha);
});

test("does not continue from a task that is not there, or not here", async () => {
  const { prepare, root } = aScene();
  expect(await failure(prepare({ fromTask: "task-1" }))).toMatchObject({ code: "ERR_NOT_FOUND" });
  const one = await prepare();
  happen(one.taskDir, ABANDON);
  const elsewhere = await failure(prepare({ fromTask: one.task.id, cwd: aRepository() }));
  expect(elsewhere).toMatchObject({
    code: "ERR_NOT_FOUND",
    message: expect.stringContaining(root),
  });
  const branchless = await failure(prepare({ fromTask: one.task.id }));
  expect(branchless, "it was never set up").toMatchObject({ code: "ERR_NOT_FOUND" });
});

test("refuses a workspace's name that is none, no description, and a folder without a repository", async () => {
  const { prepare } = aScene();
  expect(await failure(prepare({ workspaceName: "../x" }))).toMatchObject({
    code: "ERR_UNSAFE_ID",
  });
  expect(await failure(prepare({ description: " \n" }))).toMatchObject({ code: "ERR_TEMPLATE" });
  expect(await failure(prepare({ cwd: aFolder() }))).toMatchObject({
    code: "ERR_NOT_A_REPOSITORY",
  });
});
