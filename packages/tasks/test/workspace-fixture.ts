import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createHookFileStore, type HookInput, transition } from "@quasar/hookfile";
import { DEFAULT_AUTO_CHECKPOINTS } from "@quasar/hookfile/checkpoints";
import { createKeyManager } from "@quasar/receipts";
import { afterAll } from "vitest";
import type { TaskConfig } from "../src/task-record.ts";
import { resolveTemplate } from "../src/templates/resolve-template.ts";
import {
  type PreparedTask,
  prepareTask,
  type PrepareTaskOptions,
} from "../src/workspaces/prepare-task.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "quasar-tasks-")));
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 10 }));

// The settings of whoever runs the tests must not decide them.
const globalConfig = join(base, "gitconfig");
writeFileSync(
  globalConfig,
  "[init]\n\tdefaultBranch = main\n[user]\n\tname = Somebody\n\temail = somebody@localhost\n",
);
for (const name of Object.keys(process.env)) if (name.startsWith("GIT_")) delete process.env[name];
process.env["GIT_CONFIG_GLOBAL"] = globalConfig;
process.env["GIT_CONFIG_NOSYSTEM"] = "1";

/** A folder of its own for one test, gone when the file's tests are. */
export function aFolder(): string {
  return mkdtempSync(join(base, "t-"));
}

/** Git as a user runs it: its stdout, without white space around; throws on a failure. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: "pipe" }).trim();
}

export function write(root: string, path: string, content: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

export function script(dir: string, name: string, body: string): string {
  const file = write(dir, name, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}

let first: string | undefined;

/** A repository `app` with one commit of one file, in a folder of its own. */
export function aRepository(): string {
  first ??= aFirstRepository();
  const root = join(aFolder(), "app");
  cpSync(first, root, { recursive: true });
  return root;
}

function aFirstRepository(): string {
  const root = aFolder();
  git(root, "init", "-q", "--template=");
  write(root, "a.txt", "one\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  return root;
}

/** A repository `app` whose `origin` is another one. */
export function aClone(): { readonly origin: string; readonly root: string } {
  const origin = aRepository();
  const root = join(aFolder(), "app");
  git(base, "clone", "-q", origin, root);
  return { origin, root };
}

export function commitFile(root: string, path: string, content = path): string {
  write(root, path, content);
  git(root, "add", "-A");
  git(root, "commit", "-qm", path);
  return git(root, "rev-parse", "HEAD");
}

export const CONFIG: TaskConfig = {
  agent: "claude",
  model: "",
  reviewer: "claude",
  reviewerModel: "",
  maxBudgetUsd: 5,
  maxCycles: 3,
  validation: {
    commands: [{ name: "test", command: "true" }],
    source: "config",
    timeoutMs: 60_000,
    maxFixes: 3,
  },
  checkpoints: DEFAULT_AUTO_CHECKPOINTS,
  notify: "",
  gitHooks: "auto",
  settings: { coderModel: "x", nested: { someKey: [1] } },
};

export const NOW = new Date("2026-11-22T10:20:30.400Z");

export interface Scene {
  readonly home: string;
  readonly root: string;
  readonly warnings: string[];
  readonly options: PrepareTaskOptions;
  readonly prepare: (change?: Partial<PrepareTaskOptions>) => Promise<PreparedTask>;
}

/** An ATLAS_HOME of its own, and a repository from which tasks are started there. */
export function aScene(root: string = aRepository()): Scene {
  const home = join(aFolder(), "atlas");
  const warnings: string[] = [];
  const options: PrepareTaskOptions = {
    home,
    cwd: root,
    description: "Fix null pointer in parseConfig!",
    template: resolveTemplate("bugfix"),
    variables: {},
    config: CONFIG,
    keys: createKeyManager({ dir: join(home, "keys") }),
    now: () => NOW,
    onWarning: (message) => warnings.push(message),
  };
  return {
    home,
    root,
    warnings,
    options,
    prepare: (change = {}) => prepareTask({ ...options, ...change }),
  };
}

/** Lets something happen to a task. */
export function happen(taskDir: string, ...inputs: HookInput[]): void {
  createHookFileStore({ dir: taskDir, now: () => NOW }).update((hook) =>
    transition(hook, inputs, { now: NOW }),
  );
}

/** What a promise was rejected with. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Error) return error;
  throw new Error("it was not rejected");
}
