import { createHash } from "node:crypto";
import { lstatSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { folderOfRun } from "@quasar/vitest/folder";
import type { HookFile, NewTask, StepCheckpoint } from "../src/store/hook-file.ts";
import { createHookFileStore, type HookFileStore } from "../src/store/store.ts";
import type { HookInput } from "../src/transitions/transition-events.ts";
import { transition } from "../src/transitions/transitions.ts";
import { after } from "./interrupted.ts";

/** A task on disk, and the clock that it gets. */
export interface ATask {
  readonly dir: string;
  readonly worktree: string;
  readonly store: HookFileStore;
  readonly now: () => Date;
  /** Moves the clock. */
  readonly pass: (milliseconds: number) => void;
  readonly happen: (...inputs: HookInput[]) => HookFile;
}

const root = folderOfRun();

/** A new one, which goes when the tests are done. */
export function aFolder(): string {
  return mkdtempSync(join(root, "folder-"));
}

const GIT = { type: "git", recovery: "reconcile" } as const;
const STEPS: NewTask["steps"] = [
  { name: "analyze", type: "ai" },
  { name: "implement", type: "loop", maxAttempts: 3 },
  { name: "validate", type: "validation" },
  { name: "git_push", ...GIT },
  { name: "review", type: "human" },
];

/** Created at the fixtures' start, in `initializing`. */
export function aTask(dir: string = join(aFolder(), "task-1")): ATask {
  let passed = 0;
  const now = (): Date => after(passed);
  const store = createHookFileStore({ dir, now });
  const worktree = aFolder();
  store.create({
    taskId: "task-1",
    workspaceId: "ws",
    title: "Fix the null pointer",
    description: "",
    template: "bugfix",
    branch: "fix/null",
    worktreePath: worktree,
    repoPath: worktree,
    keyIndex: 0,
    steps: STEPS,
  });
  return {
    dir,
    worktree,
    store,
    now,
    pass: (milliseconds) => {
      passed += milliseconds;
    },
    happen: (...inputs) => store.update((hook) => transition(hook, inputs, { now: now() })),
  };
}

const SET_UP: readonly HookInput[] = [{ type: "setup_complete" }];
const DONE: readonly HookInput[] = [{ type: "start_step" }, { type: "step_complete" }];
const START: readonly HookInput[] = [{ type: "start_step", prompt: "Do it" }];

/** What brings a new task to where it is named by. */
export const WAY_TO = {
  initializing: [],
  pending: SET_UP,
  analyze: [...SET_UP, ...START],
  implement: [...SET_UP, ...DONE, ...START],
  validating: [...SET_UP, ...DONE, ...DONE, ...START, { type: "step_output" }],
  git_push: [...SET_UP, ...DONE, ...DONE, { type: "skip_step", reason: "no tests" }, ...START],
  waiting: [...SET_UP, ...START, { type: "human_required", kind: "git", reason: "Merge it" }],
  completed: [
    ...SET_UP,
    ...["analyze", "implement", "validate", "git_push", "review"].map(
      (step): HookInput => ({ type: "skip_step", reason: `${step} is not wanted` }),
    ),
  ],
  failed: [{ type: "fail", reason: "no work tree" }],
  abandoned: [{ type: "abandon" }],
} as const satisfies Readonly<Record<string, readonly HookInput[]>>;

export function aTaskAt(place: keyof typeof WAY_TO, dir?: string): ATask {
  const task = aTask(dir);
  if (WAY_TO[place].length > 0) task.happen(...WAY_TO[place]);
  return task;
}

/** Every file below a folder with the digest of what it holds, but for the locks. */
export function filesBelow(dir: string): Readonly<Record<string, string>> {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" }).toSorted();
  const files = names.filter((name) => !lstatSync(join(dir, name)).isDirectory());
  return Object.fromEntries(
    files
      .filter((name) => !/\.lock(\.owner\.json)?$/.test(name))
      .map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(dir, name)))
          .digest("hex"),
      ]),
  );
}

export function newestCheckpoint(hook: HookFile | undefined): StepCheckpoint | undefined {
  return hook?.checkpoints.at(-1);
}
