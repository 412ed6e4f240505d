import { execFileSync } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Books, booksOf } from "../books.ts";
import { isHeld } from "../held.ts";
import { createHookFileStore, type HookFile } from "@quasar/hookfile";
import { relationOfHookMd } from "@quasar/hookfile/hook-md";
import { TASK_FILES } from "@quasar/hookfile/internal";
import { createKeyManager, listReceipts, verifyChain } from "@quasar/receipts";
import { type Place, processesOf } from "@quasar/torture";
import { treeOf, uncommittedOf } from "../quasar/observe.ts";
import { bareOf } from "./fixture.ts";

const homeOf = ({ home }: Place): string => join(home, ".atlas");

/** Folders of the tasks that there are: with a hook file. */
export function tasksOf(place: Place): readonly string[] {
  const pattern = join(homeOf(place), "workspaces/*/tasks/*", TASK_FILES.hook);
  return globSync(pattern).map((file) => join(file, ".."));
}

export function readHook(taskDir: string): HookFile | undefined {
  return createHookFileStore({ dir: taskDir }).read();
}

function runsOf(taskDir: string): readonly string[] {
  const runs = join(taskDir, "runs");
  return existsSync(runs) ? readdirSync(runs).map((name) => join(runs, name)) : [];
}

/** Ids of the turns whose end is on disk. */
export function finishedTurns(place: Place): ReadonlySet<string> {
  const ids = tasksOf(place).flatMap((task) =>
    runsOf(task).flatMap((run) =>
      globSync(join(run, "turns/*.exit")).map(
        (file) => `${basename(task)}-${basename(run)}.${basename(file, ".exit")}`,
      ),
    ),
  );
  return new Set(ids);
}

/** What the runs of all tasks have cost. */
export function costOf(place: Place): Promise<Books> {
  return booksOf(tasksOf(place).flatMap(runsOf));
}

/** What HOOK.md is to hook.json, where it is not what hook.json says. */
export function staleHookMd(place: Place): readonly string[] {
  return tasksOf(place).flatMap((task) => {
    const hook = readHook(task);
    const file = join(task, TASK_FILES.hookMd);
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    const relation = hook && relationOfHookMd(text, hook);
    return relation === "current" ? [] : [relation ?? "unreadable"];
  });
}

/** Events that record that a step is over. */
const ENDS: ReadonlySet<string> = new Set([
  "step_complete",
  "validate_pass",
  "human_approve",
  "skip_step",
]);

/** How a task went, by all that its history says. */
export function historyOf(taskDir: string): {
  /** How often each step was recorded as over. */
  readonly ended: Readonly<Record<string, number>>;
  /** Steps that were started when they were over. */
  readonly again: readonly string[];
  /** How many checkpoints there are, by their triggers. */
  readonly checkpoints: Readonly<Record<string, number>>;
  /** Commits and pushes with more than one. */
  readonly doubled: readonly string[];
} {
  const store = createHookFileStore({ dir: taskDir });
  const ended: Record<string, number> = {};
  const again: string[] = [];
  for (const { event } of store.history()) {
    const { trigger, stepName = "" } = event;
    if (ENDS.has(trigger)) ended[stepName] = (ended[stepName] ?? 0) + 1;
    if (trigger === "start_step" && ended[stepName] !== undefined) again.push(stepName);
  }
  const made = [...store.checkpoints()];
  const checkpoints: Record<string, number> = {};
  for (const { trigger } of made) checkpoints[trigger] = (checkpoints[trigger] ?? 0) + 1;
  const once = made.flatMap(({ trigger, gitCommit }) =>
    ["git_commit", "git_push", "pr_created"].includes(trigger) ? [`${trigger} ${gitCommit}`] : [],
  );
  const doubled = once.filter((name, at) => once.indexOf(name) !== at);
  return { ended, again, checkpoints, doubled };
}

/** What verification says of a task's receipts. */
export function receiptsOf(place: Place, taskDir: string): Readonly<Record<string, unknown>> {
  const hook = readHook(taskDir);
  if (hook === undefined) return {};
  const { taskId, workspaceId } = hook;
  const task = { taskId, workspaceId };
  const dir = join(taskDir, TASK_FILES.artifacts, "receipts");
  const keys = createKeyManager({ dir: join(homeOf(place), "keys") });
  const head = keys.head(task);
  const receipts = [...createHookFileStore({ dir: taskDir }).receipts()];
  const anchors = head === undefined ? [] : [head];
  const { kind, tail, problems } = verifyChain(receipts, { dir, task, keys, anchors });
  const here = new Set(receipts.map(({ receiptId }) => receiptId));
  const missing = listReceipts(dir).filter(({ receiptId }) => !here.has(receiptId));
  return { kind, tail, problems: problems.map(({ reason }) => reason), missing: missing.length };
}

/** What task.json says, as far as it has to be what hook.json says. */
export function recordOf(taskDir: string): Readonly<Record<string, unknown>> {
  const text = readFileSync(join(taskDir, TASK_FILES.task), "utf8");
  const task = JSON.parse(text) as {
    readonly status: string;
    readonly current_step: number;
    readonly steps: readonly { readonly name: string; readonly status: string }[];
  };
  const open = task.steps.filter(({ status }) => status !== "success" && status !== "skipped");
  return { status: task.status, step: task.current_step, open: open.map(({ name }) => name) };
}

/** Whether hook.json is whole and all that the history says, without being repaired. */
export function soundness(taskDir: string): string {
  const { source, problems } = createHookFileStore({ dir: taskDir }).open() ?? {};
  return [source ?? "gone", ...(problems ?? []).map(({ code }) => code)].join(" ");
}

/** Tree, subject and steps of each commit of a branch, oldest first: not ids, which hold the time; none without the branch. */
export function commitsOf(place: Place, gitDir: string, branch: string): readonly string[] {
  if (!existsSync(join(gitDir, "refs/heads", branch))) return [];
  const steps = "%(trailers:key=Quasar-Step,valueonly,separator=+)";
  const args = ["--git-dir", gitDir, "log", "--reverse", `--format=%T %s (${steps})`, branch, "--"];
  return execFileSync("git", args, { env: place.env, encoding: "utf8" }).trim().split("\n");
}

/** How often a branch of the remote was moved. */
export function pushesTo(place: Place, branch: string): number {
  const file = join(bareOf(place), "logs/refs/heads", branch);
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
}

/** The files of the task's work tree and of the user's, and what is not committed there. */
export function treesOf(place: Place, worktree: string): Readonly<Record<string, unknown>> {
  const task = { ...place, work: worktree };
  return {
    task: treeOf(task),
    uncommitted: uncommittedOf(task),
    user: treeOf(place),
    edited: uncommittedOf(place),
  };
}

/** What a task that is over leaves of what was put up for it: processes, locks that are held, git hooks. */
export function leftovers(place: Place): readonly string[] {
  const locks = [
    ...globSync(join(homeOf(place), "**/*.lock")),
    ...globSync(join(place.work, ".git/{,worktrees/*/}quasar/lock")),
  ];
  const hooks = globSync(join(place.work, ".git/hooks/*"));
  const files = [...locks.filter(isHeld), ...hooks].map((path) => path.replace(place.root, ""));
  return [...files, ...processesOf(place.root).map((pid) => `process ${pid}`)];
}
