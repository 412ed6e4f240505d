import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aTask } from "../../test/a-task.ts";
import { temporaryFolders } from "../../test/folder.ts";
import { TASK_FILES, taskFolder } from "./files.ts";
import { createHookFileStore } from "./store.ts";

const aFolder = temporaryFolders();

// SPEC.md, statements 20.
test("a task's folder is workspaces/<workspace>/tasks/<task> below the home", () => {
  expect(taskFolder("/home/me/.atlas", "fix-config", "task-1")).toBe(
    "/home/me/.atlas/workspaces/fix-config/tasks/task-1",
  );
});

test.for([
  "",
  ".",
  "..",
  "../other",
  "a/b",
  "/etc",
  ".hidden",
  "-rf",
  "a b",
  "a\u0000b",
  "x".repeat(101),
])("%j is no folder's name, of a workspace or a task", (id) => {
  const unsafe = expect.objectContaining({ name: "HookFileError", code: "ERR_UNSAFE_ID" });
  expect(() => taskFolder("/home/me/.atlas", id, "task-1")).toThrow(unsafe);
  expect(() => taskFolder("/home/me/.atlas", "fix-config", id)).toThrow(unsafe);
});

// SPEC.md, statements 21-25.
test("the folder's files have the seed's names", () => {
  expect(TASK_FILES).toMatchObject({
    task: "task.json",
    log: "task.log",
    hookMd: "HOOK.md",
    hook: "hook.json",
    artifacts: "artifacts",
  });
});

// SPEC.md, statements 27.
test("task.json, task.log and the artifacts stay as they are, whatever happens to the hook file", () => {
  const dir = join(aFolder(), "task-1");
  mkdirSync(join(dir, TASK_FILES.artifacts), { recursive: true, mode: 0o700 });
  const others = [TASK_FILES.task, TASK_FILES.log, join(TASK_FILES.artifacts, "plan.md")];
  for (const name of others) writeFileSync(join(dir, name), `of the task: ${name}`);
  const store = createHookFileStore({ dir });
  store.create(aTask());
  writeFileSync(join(dir, TASK_FILES.hook), "{");
  expect(store.open()?.problems).not.toEqual([]);
  expect(others.map((name) => readFileSync(join(dir, name), "utf8"))).toEqual(
    others.map((name) => `of the task: ${name}`),
  );
});
