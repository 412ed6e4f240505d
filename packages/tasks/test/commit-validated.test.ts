import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createHookFileStore } from "@quasar/hookfile";
import { type ReceiptStatement, inspectReceipt, listReceipts } from "@quasar/receipts";
import { afterAll, expect, test } from "vitest";
import { PROGRAM_PARTS } from "../src/engine/drive-task.ts";
import { openTask } from "../src/open-task.ts";
import type { RunningStep, StepOutcome } from "../src/steps/step.ts";
import { receiptsFolder } from "../src/validation/folder.ts";
import { aTestFolder, git, script, settleGit, write } from "./git-task.ts";
import { aRealTask, type RealTask } from "./real-task.ts";

const folder = aTestFolder();
settleGit(folder.dir);
afterAll(folder.remove);

const { executors } = PROGRAM_PARTS;

/** A task of a person's template whose work is left to the step `git_commit`. */
async function aTask(name: string): Promise<RealTask> {
  const task = await aRealTask(join(folder.dir, name), { template: "patch" });
  git(task.dir, "-C", "repo", "remote", "remove", "origin");
  return task;
}

/** Drives it with `meanwhile` happening after the validation, right before the commit. */
async function drive(task: RealTask, meanwhile: (input: RunningStep) => void = () => {}) {
  let isFirst = true;
  const loop = {
    run: async ({ worktree }: RunningStep): Promise<StepOutcome> => {
      write(worktree, "parser.js", "export const parse = (text) => text ?? {};\n");
      return { kind: "completed", summary: "done" };
    },
  };
  const run = async (input: RunningStep): Promise<StepOutcome> => {
    if (isFirst) meanwhile(input);
    isFirst = false;
    return executors.git.run(input);
  };
  return task.drive({}, { executors: { ...executors, loop, git: { ...executors.git, run } } });
}

function statements({ prepared, ports }: RealTask): readonly ReceiptStatement[] {
  const dir = receiptsFolder(prepared.taskDir);
  const { id: taskId, workspaceId } = prepared.task;
  const options = { dir, task: { taskId, workspaceId }, keys: ports.keys };
  return listReceipts(dir).flatMap((receipt) => {
    const { statement } = inspectReceipt(receipt, options);
    return statement === undefined ? [] : [statement];
  });
}

const treeOf = ({ worktree }: RealTask): string => git(worktree, "rev-parse", "HEAD^{tree}");
const hookOf = ({ dir }: RealTask, name: string): string => join(dir, "repo/.git/hooks", name);
const warnings = ({ events }: RealTask): readonly string[] =>
  events.flatMap((event) => (event.type === "warning" ? [event.message] : []));

test("the tree of the commit is the receipt's; what has changed since stays uncommitted and is told", async () => {
  const task = await aTask("changed");
  const { hook } = await drive(task, ({ worktree }) => {
    write(worktree, "parser.js", "export const parse = later;\n");
    write(worktree, "new.js", "1;\n");
  });

  expect(hook.state).toBe("completed");
  const [receipt, ...more] = statements(task);
  expect(more).toEqual([]);
  expect(treeOf(task)).toBe(receipt?.treeAfter);
  expect(git(task.worktree, "show", "HEAD:parser.js")).toContain("?? {}");
  expect(git(task.worktree, "status", "--porcelain")).toBe("M parser.js\n?? new.js");
  expect(warnings(task)).toContain(
    "2 files have changed since the validation and stay uncommitted: new.js, parser.js",
  );
});

const FORMATTING: readonly (readonly [string, string, string])[] = [
  ["formats and adds", "formatted", 'echo "// formatted" >> parser.js && git add parser.js'],
  [
    "formats and refuses",
    "refused",
    'grep -q formatted parser.js || { echo "// formatted" >> parser.js; exit 1; }',
  ],
];

test.for(FORMATTING)(
  "what a git hook %s is validated again, and the newest receipt has the tree that is committed",
  async ([, name, hook]) => {
    const task = await aTask(name);
    script(hookOf(task, "pre-commit"), hook);
    await drive(task);
    const signed = statements(task);
    expect(signed).toHaveLength(2);
    expect(signed[0]?.treeAfter).not.toBe(treeOf(task));
    expect(signed.at(-1)).toMatchObject({ treeAfter: treeOf(task), stepName: "git_commit" });
    expect(git(task.worktree, "show", "HEAD:parser.js")).toContain("// formatted");
    expect(task.hook().receipts).toHaveLength(2);
    expect(task.hook().state).toBe("completed");
  },
);

test("a commit that a git hook has changed is not taken for the step's end after a crash", async () => {
  const task = await aTask("killed");
  script(hookOf(task, "pre-commit"), 'echo "// formatted" >> parser.js && git add parser.js');
  const stop = new AbortController();
  const { git: step, ...others } = executors;
  const run = (input: RunningStep): Promise<StepOutcome> =>
    step.run({ ...input, tell: () => stop.abort(), signal: stop.signal });
  const loop = {
    run: async ({ worktree }: RunningStep): Promise<StepOutcome> => {
      write(worktree, "parser.js", "export const parse = (text) => text ?? {};\n");
      return { kind: "completed", summary: "done" };
    },
  };
  const first = await task.drive({}, { executors: { ...others, loop, git: { ...step, run } } });
  expect(first.stopped).toBe("interrupted");
  expect(statements(task)).toHaveLength(1);

  await task.drive();
  expect(statements(task).at(-1)?.treeAfter).toBe(treeOf(task));
  expect(task.hook().state).toBe("completed");
});

test("what a person commits after the validation is kept, and validated with the rest", async () => {
  const task = await aTask("moved");
  await drive(task, ({ worktree }) => {
    write(worktree, "theirs.js", "1;\n");
    git(worktree, "add", "theirs.js");
    git(worktree, "commit", "-qm", "theirs");
  });
  expect(git(task.worktree, "show", "HEAD:theirs.js")).toBe("1;");
  expect(warnings(task)).toContainEqual(
    expect.stringMatching(
      /^HEAD would not be what was validated.*; changed since then: theirs\.js$/u,
    ),
  );
  expect(statements(task).at(-1)?.treeAfter).toBe(treeOf(task));
  expect(git(task.worktree, "status", "--porcelain")).toBe("");
});

test("where what is there now does not pass, nothing is committed, and a person is asked", async () => {
  const task = await aTask("broken");
  const { hook } = await drive(task, ({ worktree }) => {
    git(worktree, "commit", "-q", "--allow-empty", "-m", "theirs");
    write(worktree, "parser.js", "");
  });
  expect(hook.awaiting).toMatchObject({ kind: "validation", reason: /^check failed/u });
  expect(git(task.worktree, "status", "--porcelain")).toBe("M parser.js");
  expect(task.hook().receipts.map(({ exitCode }) => exitCode)).toEqual([0, 1]);
});

test("a git hook that changes every commit is told to a person, with what to do", async () => {
  const task = await aTask("never");
  // Into the index only, so that what is on disk is never what is committed.
  const blob = 'id=$(date +%s%N | git hash-object -w --stdin) && mode="100644,$id,stamp"';
  script(hookOf(task, "pre-commit"), `${blob} && git update-index --add --cacheinfo "$mode"`);
  const { hook } = await drive(task);
  expect(hook.awaiting).toMatchObject({ kind: "git", reason: expect.stringContaining("git hook") });
});

test("what git converts on the way into a commit is in the receipt's tree as it is in the commit", async () => {
  const task = await aTask("converted");
  const convert = ({ worktree }: RealTask): void => {
    git(worktree, "config", "filter.up.clean", "tr a-z A-Z");
    git(worktree, "config", "core.autocrlf", "input");
  };
  convert({ ...task, worktree: join(task.dir, "repo") });
  const loop = {
    run: async ({ worktree }: RunningStep): Promise<StepOutcome> => {
      write(worktree, ".gitattributes", "*.up filter=up\n");
      write(worktree, "a.up", "loud\n");
      write(worktree, "b.txt", "lines\r\n");
      return { kind: "completed", summary: "done" };
    },
  };
  await task.drive({}, { executors: { ...executors, loop } });
  expect(statements(task).map(({ treeAfter }) => treeAfter)).toEqual([treeOf(task)]);
  expect(git(task.worktree, "show", "HEAD:a.up")).toBe("LOUD");
  expect(task.hook().state).toBe("completed");
});

test("a receipt that was signed before a crash is in HOOK.md as soon as the task is checked", async () => {
  const task = await aTask("signed");
  const { validation } = executors;
  const cutOff = {
    async run(input: RunningStep): Promise<StepOutcome> {
      await validation.run(input);
      return { kind: "stopped", why: "interrupted", message: "killed" };
    },
  };
  const loop = { run: async () => ({ kind: "completed", summary: "done" }) as const };
  await task.drive({}, { executors: { ...executors, loop, validation: cutOff } });
  expect(task.hook().receipts).toEqual([]);
  const [signed] = statements(task);
  // As if its process were gone: this one lives.
  createHookFileStore({ dir: task.prepared.taskDir }).update((now) => {
    const owner = now.owner && { ...now.owner, startTime: 1 };
    return { hook: { ...now, owner }, events: [] };
  });

  const { hook } = await openTask(task.prepared.taskDir, task.ports);
  expect(hook.receipts.map(({ receiptId }) => receiptId)).toEqual([signed?.receiptId]);
  const hookMd = readFileSync(join(task.prepared.taskDir, "HOOK.md"), "utf8");
  expect(hookMd).toContain(`### Receipt \`${signed?.receiptId}\``);
});
