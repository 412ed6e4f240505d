import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { acquireLock } from "@quasar/durable";
import { createHookFileStore } from "@quasar/hookfile";
import { installGitHook } from "@quasar/hookfile/git-hook";
import { isBuried } from "@quasar/hookfile/internal";
import { lockTask } from "@quasar/hookfile/recovery";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  aClone,
  aScene,
  commitFile,
  failure,
  git,
  happen,
  NOW,
  type Scene,
  write,
} from "../../test/workspace-fixture.ts";
import {
  closeWorkspace,
  destroyWorkspace,
  type DestroyWorkspaceOptions,
  type EndedWorkspace,
} from "./end-workspace.ts";
import { listWorkspaces } from "./list-workspaces.ts";
import type { PreparedTask } from "./prepare-task.ts";
import { setUpTask } from "./set-up-task.ts";

interface Ended extends Scene, PreparedTask {
  readonly tree: string;
  readonly close: (change?: Partial<DestroyWorkspaceOptions>) => Promise<EndedWorkspace>;
  readonly destroy: (change?: Partial<DestroyWorkspaceOptions>) => Promise<EndedWorkspace>;
}

/** A task in the workspace `ws`, set up. */
async function aTask(scene: Scene = aScene(), isEnded = true): Promise<Ended> {
  const prepared = await scene.prepare({ workspaceName: "ws" });
  await setUpTask(prepared);
  if (isEnded) happen(prepared.taskDir, { type: "abandon" });
  const options = { home: scene.home, name: "ws", now: () => NOW, keys: scene.options.keys };
  return {
    ...scene,
    ...prepared,
    tree: prepared.task.metadata.worktreeDir,
    close: (change = {}) => closeWorkspace({ ...options, ...change }),
    destroy: (change = {}) => destroyWorkspace({ ...options, ...change }),
  };
}

function refs(root: string): readonly string[] {
  const all = git(root, "for-each-ref", "--format=%(refname)");
  return all.split("\n").filter((ref) => ref !== "refs/heads/main" && ref !== "");
}

// SPEC.md, statements 144, 158.
test("destroys work tree, branch and hook file at once", async () => {
  const { destroy, root, tree, taskDir, home, task } = await aTask();
  expect(await destroy()).toEqual({
    name: "ws",
    workTree: tree,
    repoPath: root,
    isWorkTreeRemoved: true,
    tasks: [task.id],
    warnings: [],
  });
  expect(existsSync(tree)).toBe(false);
  expect(refs(root), "it was merged: nothing to keep").toEqual([]);
  expect(existsSync(join(taskDir, "hook.json"))).toBe(false);
  expect(existsSync(join(taskDir, "HOOK.md"))).toBe(false);
  expect(isBuried(taskDir), "with its archive").toBe(true);
  expect(listWorkspaces(home)).toEqual([]);
  expect(await failure(destroy())).toMatchObject({ code: "ERR_NOT_FOUND" });
});

test("keeps uncommitted work as a snapshot, and a branch that was merged nowhere", async () => {
  const { destroy, root, tree, home } = await aTask();
  const sha = commitFile(tree, "b.txt");
  write(tree, "a.txt", "changed\n");
  write(tree, "untracked.txt", "new");
  const { snapshot = "", keptBranch = "", bundle = "", ...rest } = await destroy();
  expect(rest).toMatchObject({ isWorkTreeRemoved: true, warnings: [] });
  expect([snapshot, keptBranch]).toEqual(["refs/quasar/ws/1", "refs/heads/fix/ws"]);
  expect(bundle).toBe(join(home, "workspaces/ws/kept.bundle"));
  expect(refs(root), "git keeps nothing").toEqual([]);
  forget(root);
  git(root, "fetch", "-q", bundle, `${keptBranch}:${keptBranch}`, `${snapshot}:refs/heads/work`);
  expect(git(root, "rev-parse", keptBranch)).toBe(sha);
  expect(git(root, "show", "work:a.txt")).toBe("changed");
  expect(git(root, "show", "work:untracked.txt")).toBe("new");
});

/** What no ref keeps goes from the repository. */
function forget(root: string): void {
  git(root, "reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all");
  git(root, "gc", "-q", "--prune=now");
}

test("keeps what tasks and their runs had in git", async () => {
  const { destroy, root, task } = await aTask();
  const made = (message: string): string =>
    git(root, "commit-tree", "-m", message, "-p", "HEAD", "HEAD^{tree}");
  const [ofTask, ofRun, other] = [made("reviewed"), made("of a run"), made("of another")];
  git(root, "update-ref", `refs/quasar/${task.id}/1`, ofTask);
  git(root, "update-ref", `refs/quasar/${task.id}-implement-1/1`, ofRun);
  git(root, "update-ref", "refs/quasar/20261121-101500-7f3a9c/1", other);
  const { bundle = "", warnings } = await destroy();
  expect(warnings).toEqual([]);
  expect(refs(root)).toEqual(["refs/quasar/20261121-101500-7f3a9c/1"]);
  const heads = git(root, "bundle", "list-heads", bundle).split("\n");
  expect(heads.toSorted()).toEqual(
    [
      `${ofTask} refs/quasar/${task.id}/1`,
      `${ofRun} refs/quasar/${task.id}-implement-1/1`,
    ].toSorted(),
  );
});

test("leaves branch and refs where the bundle cannot be written, or does not read back", async () => {
  const { destroy, tree, root, home } = await aTask();
  const sha = commitFile(tree, "b.txt");
  write(tree, "untracked.txt", "new");
  const bin = join(home, "bin");
  const real = process.env["PATH"] ?? "";
  const damage = `case " $* " in *" bundle create "*) f=$(echo "$*" | grep -o '/[^ ]*[.]bundle')
    PATH="${real}" git "$@" || exit; printf x | dd of="$f" bs=1 conv=notrunc seek=$(($(wc -c < "$f") - 30)) 2> /dev/null; exit;; esac
    PATH="${real}" exec git "$@"`;
  chmodSync(write(bin, "git", `#!/bin/sh\n${damage}\n`), 0o755);
  vi.stubEnv("PATH", `${bin}:${real}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const ended = await destroy();
  vi.unstubAllEnvs();
  expect(ended.bundle).toBeUndefined();
  expect(ended.warnings).toEqual([expect.stringMatching(/stay: .*kept\.bundle.* is damaged/)]);
  expect(refs(root)).toEqual(["refs/heads/fix/ws", "refs/quasar/ws/1"]);
  expect(git(root, "rev-parse", "fix/ws")).toBe(sha);
});

test("keeps the branches of two workspaces of one name, one after the other", async () => {
  const scene = aScene();
  const one = await aTask(scene);
  const first = commitFile(one.tree, "b.txt");
  const kept = [await one.destroy()];
  const two = await aTask(scene);
  expect(two.task.workspaceId).toBe("ws");
  const second = commitFile(two.tree, "c.txt");
  kept.push(await two.destroy());
  const heads = kept.map(({ bundle = "" }) => git(scene.root, "bundle", "list-heads", bundle));
  expect(heads).toEqual([`${first} refs/heads/fix/ws`, `${second} refs/heads/fix/ws`]);
});

test.for(["here", "in the remote"])(
  "takes a branch for merged that is in its base %s",
  async (where) => {
    const { root } = aClone();
    const { destroy, tree, task } = await aTask(aScene(root));
    const sha = commitFile(tree, "b.txt");
    if (where === "here") git(root, "merge", "-q", "--no-ff", "-m", "merge", task.metadata.branch);
    else git(root, "update-ref", "refs/remotes/origin/main", sha);
    const { keptBranch } = await destroy();
    expect(keptBranch).toBeUndefined();
    expect(refs(root).filter((ref) => !ref.startsWith("refs/remotes/"))).toEqual([]);
  },
);

test("keeps commits that were made on no branch", async () => {
  const { destroy, root, tree } = await aTask();
  git(tree, "checkout", "-q", "--detach");
  const sha = commitFile(tree, "b.txt");
  const { bundle = "", ...rest } = await destroy();
  expect(rest).toMatchObject({ isWorkTreeRemoved: true, warnings: [] });
  expect(git(root, "bundle", "list-heads", bundle)).toBe(`${sha} refs/quasar/ws/head`);
});

test("refuses to end what continues, and does it when forced", async () => {
  const { destroy, close, task, tree } = await aTask(aScene(), false);
  const env = { ...process.env, QUASAR_RUN_ID: `${task.id}-implement-1` };
  const agent = spawn("sleep", ["600"], { env });
  onTestFinished(() => void agent.kill("SIGKILL"));
  const ended = once(agent, "exit");
  for (const end of [close, destroy]) {
    const error = await failure(end());
    expect(error).toMatchObject({ code: "ERR_ACTIVE", message: expect.stringContaining(task.id) });
  }
  expect(existsSync(tree)).toBe(true);
  expect((await destroy({ force: true })).tasks).toEqual([task.id]);
  expect(await ended, "the agent that worked there").toEqual([null, "SIGINT"]);
});

test("never ends what somebody drives or works in", async () => {
  const { destroy, close, taskDir, tree } = await aTask(aScene(), false);
  const gitDir = git(tree, "rev-parse", "--absolute-git-dir");
  const working = join(gitDir, "quasar", "lock");
  for (const take of [() => lockTask(taskDir), () => acquireLock(working)]) {
    const lock = take();
    for (const end of [close, destroy]) {
      const error = await failure(end({ force: true }));
      expect(error).toMatchObject({ code: "ERR_LOCKED", message: /^process \d+ works on / });
    }
    lock.release();
  }
  expect(existsSync(join(taskDir, "hook.json"))).toBe(true);
  expect(existsSync(tree)).toBe(true);
});

test("takes our git hook out with the last task", async () => {
  const { destroy, taskDir, tree, root } = await aTask(aScene(), false);
  await installGitHook(tree, { taskDir, command: [process.execPath] });
  const hook = join(root, ".git", "hooks", "post-commit");
  expect(existsSync(hook)).toBe(true);
  await destroy({ force: true });
  expect(existsSync(hook)).toBe(false);
});

test.for([
  [
    "a repository within it",
    (tree: string) => {
      write(tree, "inner/file", "");
      git(join(tree, "inner"), "init", "-q");
      commitFile(join(tree, "inner"), "c.txt");
    },
  ],
  ["a lock of a person's", (tree: string) => git(tree, "worktree", "lock", tree)],
] as const)("leaves a work tree with %s, and says so", async ([, change]) => {
  const { destroy, tree, home, task } = await aTask();
  change(tree);
  const ended = await destroy();
  expect(ended).toMatchObject({ isWorkTreeRemoved: false, tasks: [task.id] });
  expect(ended.warnings).toEqual([expect.stringContaining(`${tree} stays`)]);
  expect(existsSync(join(tree, "a.txt"))).toBe(true);
  expect(git(tree, "branch", "--show-current")).toBe("fix/ws");
  expect(listWorkspaces(home), "it can be destroyed again").toHaveLength(1);
});

test("ends what was interrupted when it is called again", async () => {
  const { destroy, tree, root, home } = await aTask();
  const sha = commitFile(tree, "b.txt");
  // The work tree has gone, and the branch is kept, as an earlier version did.
  git(root, "worktree", "remove", tree);
  git(root, "update-ref", "refs/quasar/ws/branch", sha);
  const { bundle = "", ...ended } = await destroy();
  expect(ended).toMatchObject({ keptBranch: "refs/heads/fix/ws", warnings: [] });
  expect(refs(root)).toEqual([]);
  expect(git(root, "bundle", "list-heads", bundle)).toContain(`${sha} refs/quasar/ws/branch`);
  expect(listWorkspaces(home)).toEqual([]);
});

test("removes what a crash has left beside a tombstone", async () => {
  const { destroy, taskDir } = await aTask();
  const hook = readFileSync(join(taskDir, "hook.json"));
  await destroy();
  const workspace = join(taskDir, "..", "..", "workspace.json");
  const text = readFileSync(workspace, "utf8");
  writeFileSync(workspace, text.replace('"destroyed"', '"active"'));
  writeFileSync(join(taskDir, "hook.json"), hook);
  expect(await destroy()).toMatchObject({ tasks: [], warnings: [] });
  expect(existsSync(join(taskDir, "hook.json"))).toBe(false);
});

test("destroys nothing of the user's where a task has worked here", async () => {
  const scene = aScene();
  const { taskDir, task } = await scene.prepare({ here: true, workspaceName: "ws" });
  write(scene.root, "mine.txt", "mine");
  const options = { home: scene.home, name: "ws", now: () => NOW, force: true };
  expect(await destroyWorkspace(options)).toMatchObject({
    isWorkTreeRemoved: false,
    tasks: [task.id],
    warnings: [],
  });
  expect(existsSync(join(scene.root, "mine.txt"))).toBe(true);
  expect(git(scene.root, "branch", "--show-current")).toBe("main");
  expect(isBuried(taskDir)).toBe(true);
});

test("does not remove what a changed workspace.json names", async () => {
  const { destroy, root, taskDir, task } = await aTask();
  const workspace = join(taskDir, "..", "..", "workspace.json");
  const victim = write(root, "sub/file", "");
  for (const path of [root, join(root, "sub")]) {
    const text = readFileSync(workspace, "utf8");
    writeFileSync(workspace, text.replace(/"worktree_path": ".*"/, `"worktree_path": "${path}"`));
    const ended = await destroy();
    expect(ended.isWorkTreeRemoved).toBe(false);
    expect(ended.warnings).toEqual([expect.stringContaining(`${path} is no linked work tree`)]);
  }
  expect(existsSync(victim)).toBe(true);
  expect(isBuried(taskDir), task.id).toBe(true);
});

test("closes a workspace: the branch and the tasks stay, the work tree goes", async () => {
  const { close, destroy, root, tree, taskDir, home } = await aTask();
  write(tree, "new.txt", "new");
  expect(await failure(close())).toMatchObject({ code: "ERR_DIRTY" });
  expect(await close({ force: true })).toMatchObject({
    isWorkTreeRemoved: true,
    snapshot: "refs/quasar/ws/1",
    tasks: [],
    warnings: [],
  });
  expect(existsSync(tree)).toBe(false);
  expect(refs(root)).toEqual(["refs/heads/fix/ws", "refs/quasar/ws/1"]);
  expect(createHookFileStore({ dir: taskDir }).read()?.state).toBe("abandoned");
  expect(listWorkspaces(home)).toMatchObject([{ name: "ws", workspace: { status: "closed" } }]);
  expect(await destroy()).toMatchObject({ warnings: [] });
});

test("lists workspaces with their tasks, and what is wrong with them", async () => {
  const { home, taskDir, task, prepare } = await aTask();
  await prepare({ workspaceName: "other" });
  expect(listWorkspaces(home)).toMatchObject([
    { name: "other", workspace: { status: "active" }, tasks: [{ state: "initializing" }] },
    { name: "ws", tasks: [{ id: task.id, dir: taskDir, state: "abandoned" }] },
  ]);
  const dir = join(taskDir, "..", "..");
  for (const name of readdirSync(dir).filter((name) => name.startsWith("workspace.json"))) {
    writeFileSync(join(dir, name), "{");
  }
  expect(listWorkspaces(home)[1]).toMatchObject({
    name: "ws",
    kind: "damaged",
    problem: expect.stringContaining("the file is not JSON"),
    tasks: [{ state: "abandoned" }],
  });
  expect(listWorkspaces(join(home, "none"))).toEqual([]);
});

/** Ignored work in a work tree, beside what tools make again. */
function ignoredIn(tree: string): void {
  write(tree, ".gitignore", "lib/\nbuild/\nnode_modules/\n*.local\n");
  git(tree, "add", ".gitignore");
  git(tree, "commit", "-q", "-m", "rules");
  write(tree, "lib/med.py", "work\n");
  chmodSync(write(tree, "build/run.local", "work\n"), 0o700);
  symlinkSync("med.py", join(tree, "lib/link"));
  write(tree, "node_modules/x/index.js", "installed\n");
  write(tree, "lib/__pycache__/med.pyc", "cache\n");
}

test.for(["close", "destroy"] as const)("%s keeps what is ignored in a folder", async (verb) => {
  const there = await aTask();
  ignoredIn(there.tree);
  const { ignored = "", isWorkTreeRemoved, warnings } = await there[verb]();
  expect({ isWorkTreeRemoved, warnings }).toEqual({ isWorkTreeRemoved: true, warnings: [] });
  expect(ignored).toBe(join(there.home, "workspaces/ws/ignored"));
  const kept = readdirSync(ignored, { recursive: true }).map(String).toSorted();
  expect(kept).toEqual(["build", "build/run.local", "lib", "lib/link", "lib/med.py"]);
  expect(readFileSync(join(ignored, "lib/med.py"), "utf8")).toBe("work\n");
  expect(readlinkSync(join(ignored, "lib/link"))).toBe("med.py");
  expect(lstatSync(join(ignored, "build/run.local")).mode & 0o777).toBe(0o700);
  expect(lstatSync(join(ignored, "lib")).mode & 0o777, "nobody else's").toBe(0o700);
});

test("keeps what was ignored in two workspaces of one name in a folder each", async () => {
  const scene = aScene();
  const kept: (string | undefined)[] = [];
  for (let n = 0; n < 2; n += 1) {
    const there = await aTask(scene);
    ignoredIn(there.tree);
    kept.push((await there.destroy()).ignored);
  }
  const dir = join(scene.home, "workspaces/ws");
  expect(kept).toEqual([join(dir, "ignored"), join(dir, "ignored-2")]);
});

test.for(["close", "destroy"] as const)(
  "%s refuses where more is ignored than is kept, and what is advised lets it",
  async (verb) => {
    const there = await aTask();
    ignoredIn(there.tree);
    truncateSync(write(there.tree, "build/large", ""), 300 * 2 ** 20);
    const refused = await failure(there[verb]({ force: true }));
    expect(refused).toMatchObject({ code: "ERR_IGNORED" });
    expect(refused.message).toContain("build/ (2 files, 301 MiB), lib/ (2 files, 1 MiB)");
    expect(existsSync(join(there.tree, "build/large")), "nothing was removed").toBe(true);
    const [, command = ""] =
      / (git -C \S+ clean -ffdX -- build\/) deletes/u.exec(refused.message) ?? [];
    expect(command, refused.message).not.toBe("");
    const [, ...args] = command.split(" ");
    git(there.root, ...args);
    const { ignored = "" } = await there[verb]();
    expect(readdirSync(ignored)).toEqual(["lib"]);
  },
);
