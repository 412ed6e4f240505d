import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createHookFileStore, type HookFileStore, transition } from "@quasar/hookfile";
import { DEFAULT_AUTO_CHECKPOINTS } from "@quasar/hookfile/checkpoints";
import { createKeyManager } from "@quasar/receipts";
import type { RunningStep, TaskPorts } from "../src/steps/step.ts";
import type { TaskEvent } from "../src/task-event.ts";
import type { TaskRecord } from "../src/task-record.ts";
import type { TemplateStep } from "../src/templates/template.ts";
import { type FakeGh, installFakeGh } from "./fake-gh.ts";
import { TASK_ID } from "./task-id.ts";

/** What git says of remotes on GitHub, while pushes go to a folder. */
export const REPOSITORY = "github.com/acme/widgets";

/** The settings of whoever runs the tests must not decide them. */
export function settleGit(dir: string): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith("GIT_") || name.startsWith("GH_")) delete process.env[name];
  }
  const config = join(dir, "gitconfig");
  writeFileSync(
    config,
    "[init]\n\tdefaultBranch = main\n[user]\n\tname = Somebody\n\temail = somebody@localhost\n",
  );
  process.env["GIT_CONFIG_GLOBAL"] = config;
  process.env["GIT_CONFIG_NOSYSTEM"] = "1";
}

export function aTestFolder(): { readonly dir: string; readonly remove: () => void } {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "quasar-tasks-git-")));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

export function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: "pipe" }).trim();
}

export function write(root: string, path: string, content: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

export function script(file: string, body: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
}

export const GIT_STEPS: readonly TemplateStep[] = [
  aGitStep("git_commit", "commit"),
  aGitStep("git_push", "push"),
  aGitStep("git_pr", "create_pr"),
  {
    name: "ci_wait",
    type: "ci",
    description: "",
    maxAttempts: 1,
    recovery: "retry",
  },
];

function aGitStep(name: string, action: TemplateStep["action"]): TemplateStep {
  return { name, type: "git", description: "", action, maxAttempts: 3, recovery: "reconcile" };
}

/** A task whose branch is `fix/it`, in a work tree of a clone of a bare repository. */
export interface GitTask {
  readonly dir: string;
  readonly taskDir: string;
  readonly bare: string;
  readonly worktree: string;
  readonly gh: FakeGh;
  readonly store: HookFileStore;
  readonly task: TaskRecord;
  readonly ports: TaskPorts;
  readonly told: TaskEvent[];
}

let template: string | undefined;

/** Makes one in a folder of a test's. */
export function makeGitTask(dir: string): GitTask {
  template ??= makeTemplate(join(dirname(dir), "template"));
  cpSync(template, dir, { recursive: true });
  const bare = join(dir, "bare");
  const worktree = join(dir, "work");
  // As `git config` would: it is done for each test.
  const config = join(worktree, ".git/config");
  const settings = readFileSync(config, "utf8");
  writeFileSync(config, settings.replace(join(template, "bare"), bare));
  const gh = installFakeGh(join(dir, "gh"));
  gh.set({ remote: bare });
  const opened = openGitTask(dir);
  const { task, store } = opened;
  store.create({
    taskId: task.id,
    workspaceId: task.workspaceId,
    title: task.description,
    description: task.description,
    template: task.templateId,
    branch: task.metadata.branch,
    worktreePath: worktree,
    repoPath: worktree,
    keyIndex: 0,
    steps: GIT_STEPS,
  });
  store.update((hook) => transition(hook, [{ type: "setup_complete" }], { now: new Date() }));
  return { ...opened, gh };
}

function makeTemplate(dir: string): string {
  mkdirSync(dir);
  const bare = join(dir, "bare");
  const worktree = join(dir, "work");
  git(dir, "init", "-q", "--bare", "--template=", bare);
  git(bare, "config", "core.logAllRefUpdates", "always");
  git(dir, "init", "-q", "--template=", worktree);
  write(worktree, "a.txt", "one\n");
  git(worktree, "add", "-A");
  git(worktree, "commit", "-qm", "first");
  git(worktree, "remote", "add", "origin", `https://${REPOSITORY}.git`);
  git(worktree, "config", "remote.origin.pushurl", bare);
  git(worktree, "push", "-q", "origin", "main");
  git(worktree, "switch", "-qc", "fix/it");
  return dir;
}

/** The task that is in a folder, as another process finds it. */
export function openGitTask(dir: string): Omit<GitTask, "gh"> {
  const worktree = join(dir, "work");
  // By its name what the task has left running is found, and ended.
  const taskDir = join(dir, TASK_ID);
  const told: TaskEvent[] = [];
  const at = new Date().toISOString();
  const task: TaskRecord = {
    id: "task-1",
    workspaceId: "it",
    templateId: "bugfix",
    description: "fix it",
    status: "running",
    currentStep: 0,
    steps: [],
    stepResults: [],
    transitions: [],
    createdAt: at,
    updatedAt: at,
    config: {
      agent: "",
      model: "",
      reviewer: "",
      reviewerModel: "",
      maxBudgetUsd: 0,
      maxCycles: 1,
      validation: { commands: [], source: "none", timeoutMs: 1000, maxFixes: 0 },
      checkpoints: { ...DEFAULT_AUTO_CHECKPOINTS, interval: 0 },
      notify: "",
      gitHooks: "off",
      settings: {},
    },
    template: GIT_STEPS,
    metadata: {
      branch: "fix/it",
      worktreeDir: worktree,
      isHere: false,
      repoPath: worktree,
      baseSha: readFileSync(join(worktree, ".git/refs/heads/main"), "utf8").trim(),
      baseBranch: "main",
    },
    extra: {},
  };
  const nobody = async (): Promise<never> => {
    throw new Error("no agent works in these steps");
  };
  const ports: TaskPorts = {
    home: dir,
    coder: nobody as unknown as TaskPorts["coder"],
    reviewer: nobody as unknown as TaskPorts["reviewer"],
    keys: createKeyManager({ dir: join(dir, "keys") }),
    env: { ...process.env, PATH: `${join(dir, "gh", "bin")}:${process.env["PATH"] ?? ""}` },
    now: () => new Date(),
    redact: (text) => text.replaceAll("s3cret", "[redacted]"),
    atlas: [process.execPath],
    version: "0.0.0",
  };
  const store = createHookFileStore({ dir: taskDir });
  return { dir, taskDir, bare: join(dir, "bare"), worktree, store, task, ports, told };
}

/** What a step is given. */
export function stepInput(
  of: Omit<GitTask, "gh">,
  name: string,
  change: {
    readonly task?: Partial<TaskRecord>;
    readonly metadata?: Partial<TaskRecord["metadata"]>;
    readonly definition?: Partial<TemplateStep>;
    readonly ports?: Partial<TaskPorts>;
    readonly signal?: AbortSignal;
    readonly attempt?: number;
  } = {},
): RunningStep {
  const { hook } = of.store.open() ?? { hook: undefined };
  const definition = GIT_STEPS.find((step) => step.name === name);
  const step = hook?.steps.find((each) => each.name === name);
  if (hook === undefined || definition === undefined || step === undefined) throw new Error(name);
  const attempt = change.attempt ?? Math.max(1, step.attempts);
  const metadata = { ...of.task.metadata, ...change.metadata };
  const input = {
    taskDir: of.taskDir,
    task: { ...of.task, ...change.task, metadata },
    hook,
    step: { ...step, attempts: attempt },
    definition: { ...definition, ...change.definition },
    worktree: of.worktree,
    ports: { ...of.ports, ...change.ports },
    signal: change.signal ?? new AbortController().signal,
  };
  return {
    ...input,
    ports: { ...of.ports, ...change.ports },
    attempt,
    prompt: "",
    tell: (event) => of.told.push(event),
    note: () => {},
    checkpoint: async () => {},
    attemptFailed: async () => {},
    recordReceipts: () => {},
  };
}
