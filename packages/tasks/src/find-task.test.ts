import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { createWorktree } from "@quasar/git/work-trees";
import { createHookFileStore, transition } from "@quasar/hookfile";
import { expect, onTestFinished, test } from "vitest";
import { NEW_TASK } from "../test/hooks.ts";
import { findTask } from "./find-task.ts";
import { writeWorkspace } from "./workspaces/workspace-store.ts";

interface Scene {
  readonly home: string;
  readonly repo: string;
  readonly other: string;
  readonly worktree: string;
  add(workspaceId: string, taskId: string, worktreePath: string, ended?: boolean): void;
  /** Its record alone. */
  workspace(name: string, worktreePath: string, isHere?: boolean): void;
  damage(workspaceId: string, taskId: string): void;
  find(cwd: string, id?: string, ended?: boolean): Promise<string>;
}

function git(cwd: string, ...args: string[]): void {
  const identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@localhost"];
  execFileSync("git", [...identity, ...args], { cwd, stdio: "pipe" });
}

async function aScene(): Promise<Scene> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "quasar-find-")));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const [home, repo, other] = ["home", "repo", "other"].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const dir of [repo, other]) {
    mkdirSync(dir);
    git(dir, "init", "-q");
    git(dir, "commit", "-q", "--allow-empty", "-m", "first");
  }
  const worktree = join(base, "repo-fix");
  await createWorktree(repo, { path: worktree, branch: "fix/a", from: "HEAD" });
  let minute = 0;
  return {
    home,
    repo,
    other,
    worktree,
    add(workspaceId, taskId, worktreePath, ended = false) {
      const dir = join(home, "workspaces", workspaceId, "tasks", taskId);
      const now = (): Date => new Date(Date.UTC(2026, 0, 1, 0, (minute += 1)));
      const store = createHookFileStore({ dir, now });
      store.create({ ...NEW_TASK, workspaceId, taskId, worktreePath, repoPath: repo });
      if (ended) store.update((hook) => transition(hook, [{ type: "abandon" }], { now: now() }));
    },
    workspace(name, worktreePath, isHere = false) {
      const at = "2026-01-01T00:00:00Z";
      const path = join(home, "workspaces", name);
      const metadata = { commonDir: join(repo, ".git"), isHere, baseBranch: "main" };
      const place = { path, worktreePath, repoPath: repo, branch: "fix/a", metadata };
      const times = { createdAt: at, updatedAt: at };
      writeWorkspace(path, { name, ...place, ...times, status: "active", tasks: [], extra: {} });
    },
    damage(workspaceId, taskId) {
      const dir = join(home, "workspaces", workspaceId, "tasks", taskId);
      rmSync(join(dir, "history"), { recursive: true });
      writeFileSync(join(dir, "hook.json"), "{");
    },
    find: async (cwd, id, ended) => (await findTask({ home, cwd, id, ended })).taskId,
  };
}

const refusal = (code: string, ...words: string[]): unknown =>
  expect.objectContaining({
    code,
    message: expect.stringMatching(words.map((word) => `(?=.*${word})`).join("")),
  });

test("finds the active task of the work tree, be there others in the repository", async () => {
  const { add, find, repo, worktree } = await aScene();
  add("ws-a", "task-a", worktree);
  add("ws-b", "task-b", join(repo, "elsewhere"));
  add("ws-c", "task-c", worktree, true);
  expect(await find(worktree)).toBe("task-a");
});

test("finds the only active task of the repository from any of its work trees", async () => {
  const { add, find, repo, worktree } = await aScene();
  add("ws-a", "task-a", "/gone");
  add("ws-b", "task-b", "/gone-too", true);
  expect(await find(repo)).toBe("task-a");
  expect(await find(worktree)).toBe("task-a");
});

test("finds no other task in the work tree of one that has ended, and says which has", async () => {
  const { add, find, repo, worktree } = await aScene();
  add("ws-a", "task-a", worktree, true);
  add("ws-b", "task-b", "/gone");
  await expect(find(worktree)).rejects.toEqual(refusal("ERR_NOT_FOUND", "task-a", "abandoned"));
  expect(await find(worktree, undefined, true)).toBe("task-a");
  expect(await find(repo)).toBe("task-b");
});

test("finds no other task in a work tree whose task is damaged or was cleaned up", async () => {
  const { add, workspace, damage, find, home, repo, worktree } = await aScene();
  add("ws-a", "task-a", worktree);
  add("ws-b", "task-b", "/gone");
  workspace("ws-a", worktree);
  damage("ws-a", "task-a");
  expect(await find(worktree)).toBe("task-a");
  expect(await find(repo)).toBe("task-b");
  rmSync(join(home, "workspaces/ws-a/tasks/task-a"), { recursive: true });
  await expect(find(worktree, undefined, true)).rejects.toEqual(
    refusal("ERR_NOT_FOUND", "work tree was cleaned up"),
  );
});

test("finds the only active task again in a user's own work tree whose tasks were cleaned up", async () => {
  const { add, workspace, find, repo } = await aScene();
  workspace("ws-a", repo, true);
  add("ws-b", "task-b", "/gone");
  expect(await find(repo)).toBe("task-b");
});

test("lists the tasks where several could be meant", async () => {
  const { add, find, repo } = await aScene();
  add("ws-a", "task-a", "/gone");
  add("ws-b", "task-b", "/gone-too");
  await expect(find(repo)).rejects.toEqual(refusal("ERR_AMBIGUOUS", "task-a", "task-b", "ws-b"));
});

test("finds none of another repository, and says which has ended here", async () => {
  const { add, find, repo, other } = await aScene();
  add("ws-a", "task-a", repo, true);
  await expect(find(other)).rejects.toEqual(refusal("ERR_NOT_FOUND", "no task"));
  await expect(find(repo)).rejects.toEqual(refusal("ERR_NOT_FOUND", "task-a", "abandoned"));
  expect(await find(repo, undefined, true)).toBe("task-a");
});

test("finds a task by its id, by the beginning of it, and by its workspace", async () => {
  const { add, find, other } = await aScene();
  add("ws-a", "task-550e", "/gone");
  add("ws-b", "task-5b", "/gone");
  expect(await find(other, "task-550e")).toBe("task-550e");
  expect(await find(other, "550")).toBe("task-550e");
  expect(await find(other, "task-5b")).toBe("task-5b");
  expect(await find(other, "ws-b")).toBe("task-5b");
  await expect(find(other, "task-5")).rejects.toEqual(
    refusal("ERR_AMBIGUOUS", "task-550e", "task-5b"),
  );
});

test.for(["", "..", "../..", "a/b", "nobody", "task-"])(
  "finds nothing by %j, and leaves its folder",
  async (id) => {
    const { find, repo } = await aScene();
    await expect(find(repo, id)).rejects.toEqual(refusal("ERR_NOT_FOUND"));
  },
);

test("finds a task whose file is damaged by its name, and passes it over elsewhere", async () => {
  const { add, damage, find, repo } = await aScene();
  add("ws-a", "task-a", repo);
  add("ws-b", "task-b", repo);
  damage("ws-b", "task-b");
  expect(await find(repo)).toBe("task-a");
  expect(await find(repo, "task-b")).toBe("task-b");
});
