import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
  installGitHook,
  type InstallGitHookOptions,
  uninstallGitHook,
} from "../src/git-hook/git-hook.ts";
import { taskOfWorkTree } from "../src/git-hook/route.ts";
import { GIT_HOOK_LINE } from "../src/git-hook/script.ts";
import { createHookFileStore, transition } from "../src/index.ts";
import { aTask as aNewTask } from "./a-task.ts";
import { aFolder, aRepository, aTask, everythingIn, git, script } from "./git-fixture.ts";

const COMMAND = ["/usr/bin/true"];
const ORIGINAL = "#!/bin/sh\n# mine \u00e9\necho mine >&2\nexit 3";

function hookOf(root: string): string {
  return join(root, ".git/hooks/post-commit");
}

/** A repository that has a git hook already. */
function withHook(text: string | Buffer = ORIGINAL): string {
  const root = aRepository();
  writeFileSync(hookOf(root), text);
  chmodSync(hookOf(root), 0o750);
  return root;
}

function install(root: string, options: Partial<InstallGitHookOptions> = {}) {
  return installGitHook(root, { taskDir: aTask().taskDir, command: COMMAND, ...options });
}

test.for([
  ["text", ORIGINAL],
  ["bytes that are no UTF-8", Buffer.from("#!/bin/sh\n\xff\xfe\0\r\n", "latin1")],
  ["a shebang and nothing else", "#!/bin/sh\n"],
] as const)("uninstalling gives back a git hook to the byte: %s", async ([, text]) => {
  const root = withHook(text);
  const before = everythingIn(join(root, ".git"));
  const { taskDir } = aTask();
  await install(root, { taskDir });
  expect(readFileSync(`${hookOf(root)}.before-atlas`)).toEqual(Buffer.from(text));
  const removed = await uninstallGitHook(root, { taskDir });
  expect(removed).toEqual({ kind: "removed", path: hookOf(root), what: "block" });
  expect(everythingIn(join(root, ".git"))).toEqual(before);
});

test("uninstalling leaves no trace of our git hook, nor of a folder made for it", async () => {
  const root = aRepository();
  rmSync(join(root, ".git/hooks"), { recursive: true });
  const before = everythingIn(join(root, ".git"));
  const { taskDir } = aTask();
  await install(root, { taskDir });
  expect(existsSync(hookOf(root))).toBe(true);
  expect(await uninstallGitHook(root, { taskDir })).toMatchObject({ what: "file" });
  expect(everythingIn(join(root, ".git"))).toEqual(before);
  expect(await uninstallGitHook(root, { taskDir })).toEqual({ kind: "absent" });
  expect(everythingIn(join(root, ".git"))).toEqual(before);
});

test.for([
  ["our git hook", undefined, "#!/bin/sh\n"],
  ["one that was there", ORIGINAL, ORIGINAL],
] as const)("if others have edited %s, only our block goes", async ([, original, rest]) => {
  const root = original === undefined ? aRepository() : withHook(original);
  const { taskDir } = aTask();
  await install(root, { taskDir });
  writeFileSync(hookOf(root), `${readFileSync(hookOf(root), "utf8")}\necho theirs\n`);
  expect(await uninstallGitHook(root, { taskDir })).toMatchObject({ what: "block" });
  expect(readFileSync(hookOf(root), "utf8")).toBe(`${rest}\necho theirs\n`);
  const names = readdirSync(join(root, ".git/hooks"));
  expect(names.filter((name) => !name.endsWith(".sample"))).toEqual(["post-commit"]);
});

test.for([
  ["without its end", (text: string) => text.replace(/# <<<.*\n/, "")],
  ["that is there twice", (text: string) => `${text}${text}`],
] as const)("a block %s is left alone, and so said", async ([, damage]) => {
  const root = aRepository();
  const { taskDir } = aTask();
  await install(root, { taskDir });
  const damaged = damage(readFileSync(hookOf(root), "utf8"));
  writeFileSync(hookOf(root), damaged);
  const reason = "damaged-block";
  expect(await install(root, { taskDir })).toMatchObject({ kind: "printed", reason });
  const left = await uninstallGitHook(root, { taskDir });
  expect(left).toEqual({ kind: "left", path: hookOf(root), reason });
  expect(readFileSync(hookOf(root), "utf8")).toBe(damaged);
});

test("installing twice is installing once, and a command that has moved is followed", async () => {
  const root = aRepository();
  const { taskDir } = aTask();
  await install(root, { taskDir });
  const before = everythingIn(join(root, ".git"));
  expect(await install(root, { taskDir })).toEqual({ kind: "present", path: hookOf(root) });
  expect(everythingIn(join(root, ".git"))).toEqual(before);
  const moved = { taskDir, command: ["/usr/bin/false"] };
  expect(await install(root, moved)).toMatchObject({ kind: "installed", how: "refreshed" });
  expect(readFileSync(hookOf(root), "utf8").match(/>>> atlas/g)).toHaveLength(1);
  expect(await uninstallGitHook(root, { taskDir })).toMatchObject({ what: "file" });
});

type Case = readonly [name: string, lay: (root: string) => unknown, reason: string];

const LEFT_ALONE: readonly Case[] = [
  [
    "a git hook of another shell",
    (root) => script(hookOf(root), "#!/bin/zsh\n"),
    "not-a-shell-script",
  ],
  [
    "one of another language",
    (root) => script(hookOf(root), "#!/usr/bin/env node\n"),
    "not-a-shell-script",
  ],
  ["one without a shebang", (root) => script(hookOf(root), "echo\n"), "not-a-shell-script"],
  [
    "one that is only looked at",
    (root) => script(hookOf(root), "#!/bin/sh -n\n"),
    "not-a-shell-script",
  ],
  [
    "a link",
    (root) => symlinkSync(script(join(root, "own"), ORIGINAL), hookOf(root)),
    "not-a-file",
  ],
  ["one that git passes over", (root) => script(hookOf(root), ORIGINAL, 0o644), "not-executable"],
  [
    "the folder of husky",
    (root) => {
      script(join(root, ".husky/_/post-commit"), "#!/usr/bin/env sh\n");
      git(root, "config", "core.hooksPath", ".husky/_");
    },
    "outside",
  ],
  [
    "a folder outside the repository",
    (root) => git(root, "config", "core.hooksPath", aFolder()),
    "outside",
  ],
  [
    "a folder that is a link into the work tree",
    (root) => {
      mkdirSync(join(root, "githooks"));
      renameSync(join(root, ".git/hooks"), join(root, ".git/old"));
      symlinkSync("../githooks", join(root, ".git/hooks"));
    },
    "outside",
  ],
  [
    "git hooks of lefthook",
    (root) =>
      script(
        join(root, ".git/hooks/pre-push"),
        '#!/bin/sh\ncall_lefthook run "pre-push"\nlefthook "$@"\n',
      ),
    "managed",
  ],
  [
    "git hooks of pre-commit",
    (root) =>
      script(
        join(root, ".git/hooks/pre-commit"),
        "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n",
      ),
    "managed",
  ],
  [
    "git hooks of an older husky",
    (root) => script(hookOf(root), "#!/bin/sh\n# husky\n"),
    "managed",
  ],
];

test.for(LEFT_ALONE)(
  "%s: nothing is touched, and the line to add is returned",
  async ([, lay, reason]) => {
    const root = aRepository();
    lay(root);
    const before = everythingIn(root);
    const { taskDir } = aTask();
    const result = await install(root, { taskDir });
    expect(result).toMatchObject({ kind: "printed", reason, line: GIT_HOOK_LINE });
    const after = everythingIn(root);
    const changed = Object.keys(after).filter((path) => after[path] !== before[path]);
    expect(changed.filter((path) => !path.startsWith(".git/quasar"))).toEqual([]);
    expect(await uninstallGitHook(root, { taskDir })).toEqual({ kind: "absent" });
    expect(everythingIn(root)).toEqual(before);
  },
);

test("off leaves the repository alone; print changes no git hook", async () => {
  const root = aRepository();
  const before = everythingIn(root);
  expect(await install(root, { mode: "off" })).toEqual({ kind: "off" });
  expect(everythingIn(root)).toEqual(before);
  expect(await install(root, { mode: "print" })).toMatchObject({ reason: "asked" });
  expect(existsSync(hookOf(root))).toBe(false);
});

test("the git hook comes off with the last active task of all work trees; one that vanished does not count", async () => {
  const root = aRepository();
  const linked = join(aFolder(), "linked");
  git(root, "worktree", "add", "-q", linked);
  const [one, two, gone] = [aTask(), aTask(), aTask()];
  await install(root, { taskDir: one.taskDir });
  await install(linked, { taskDir: two.taskDir });
  await install(linked, { taskDir: gone.taskDir });
  const kept = await uninstallGitHook(root, { taskDir: one.taskDir });
  expect(kept).toEqual({ kind: "kept", tasks: 2 });
  expect(existsSync(hookOf(root))).toBe(true);
  rmSync(gone.taskDir, { recursive: true });
  const last = await uninstallGitHook(root, { taskDir: two.taskDir });
  expect(last).toMatchObject({ kind: "removed" });
  expect(existsSync(hookOf(root))).toBe(false);
  expect(existsSync(join(root, ".git/quasar"))).toBe(false);
});

test("a task that has ended counts no more, though its hook file is kept", async () => {
  const root = aRepository();
  const linked = join(aFolder(), "linked");
  git(root, "worktree", "add", "-q", linked);
  const [ended, last] = [join(aFolder(), "ended"), join(aFolder(), "last")];
  for (const [taskDir, worktree] of [
    [ended, linked],
    [last, root],
  ] as const) {
    createHookFileStore({ dir: taskDir }).create(aNewTask());
    await install(worktree, { taskDir });
  }
  const place = { root: linked, commonDir: join(root, ".git") };
  const tasksRoot = dirname(ended);
  expect(taskOfWorkTree(place, { tasksRoot })).toBe(ended);
  end(ended);
  expect(taskOfWorkTree(place, { tasksRoot })).toBeUndefined();
  end(last);
  expect(await uninstallGitHook(root, { taskDir: last })).toMatchObject({ kind: "removed" });
});

function end(taskDir: string): void {
  const now = new Date();
  createHookFileStore({ dir: taskDir }).update((hook) => {
    return transition(hook, [{ type: "abandon" }], { now });
  });
}

test("the git hook comes off where it was put, though core.hooksPath has changed since", async () => {
  const root = withHook();
  const { taskDir } = aTask();
  await install(root, { taskDir });
  git(root, "config", "core.hooksPath", ".husky/_");
  expect(await uninstallGitHook(root, { taskDir })).toMatchObject({ kind: "removed" });
  expect(readFileSync(hookOf(root), "utf8")).toBe(ORIGINAL);
});

test("a registry that somebody else wrote leads to no file outside the repository", async () => {
  const root = aRepository();
  const { taskDir } = aTask();
  await install(root, { taskDir });
  const victim = join(aFolder(), "post-commit");
  writeFileSync(victim, readFileSync(hookOf(root)));
  const hooks = [{ path: victim, made_folder: true }, { path: 1 }, null];
  const text = JSON.stringify({ version: 1, tasks: [null, {}], hooks });
  writeFileSync(join(root, ".git/quasar/git-hook.json"), text);
  await uninstallGitHook(root, { taskDir });
  expect(existsSync(victim)).toBe(true);
  expect(existsSync(hookOf(root))).toBe(false);
});

test.for([
  ["no JSON", "{"],
  ["of another version", '{"version":9}'],
  ["huge", " ".repeat(2 ** 21)],
])("a registry that is %s is begun anew", async ([, text]) => {
  const root = aRepository();
  const { taskDir } = aTask();
  await install(root, { taskDir });
  writeFileSync(join(root, ".git/quasar/git-hook.json"), text ?? "");
  expect(await install(root, { taskDir })).toMatchObject({ kind: "present" });
  expect(await uninstallGitHook(root, { taskDir })).toMatchObject({ kind: "removed" });
});
