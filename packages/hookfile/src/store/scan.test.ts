import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { currentProcess } from "@quasar/process";
import { expect, test } from "vitest";
import { aFolder, aTask, aTaskAt, filesBelow } from "../../test/stored-task.ts";
import { scanTasks } from "./scan.ts";

test("every task of every workspace is checked, links are not, and one hides no other", async () => {
  const workspaces = aFolder();
  const at = (workspace: string, task: string): string =>
    join(workspaces, workspace, "tasks", task);
  const crashed = aTaskAt("implement", at("b", "crashed"));
  const owner = { ...currentProcess(), startTime: 1, runId: "run-1" };
  crashed.store.update((hook) => ({ hook: { ...hook, owner }, events: [] }));
  aTaskAt("completed", at("a", "done"));
  aTaskAt("waiting", at("a", "waiting"));
  const damaged = aTask(at("a", "damaged"));
  for (const name of Object.keys(filesBelow(damaged.dir))) {
    writeFileSync(join(damaged.dir, name), "{");
  }
  mkdirSync(at("a", "empty"));
  mkdirSync(join(workspaces, "without"));
  writeFileSync(join(workspaces, "file"), "");
  symlinkSync(crashed.dir, at("a", "linked"));
  symlinkSync(join(workspaces, "b"), join(workspaces, "c"));

  const scanned = await scanTasks(workspaces, { now: crashed.now });
  expect(
    scanned.map(({ workspaceId, taskId, found }) => [workspaceId, taskId, found.kind]),
  ).toEqual([
    ["a", "damaged", "corrupt"],
    ["a", "done", "ended"],
    ["a", "empty", "absent"],
    ["a", "waiting", "waiting"],
    ["b", "crashed", "crashed"],
  ]);
});

test("a task that cannot be inspected fails alone", async () => {
  const workspaces = aFolder();
  const owner = { ...currentProcess(), startTime: 1, runId: "run-1" };
  for (const name of ["one", "two"]) {
    const task = aTaskAt("git_push", join(workspaces, "a/tasks", name));
    task.store.update((hook) => ({ hook: { ...hook, owner }, events: [] }));
  }
  let calls = 0;
  const inspect = async () => {
    calls += 1;
    if (calls === 1) throw new Error("no git");
    return {};
  };
  const kinds = (await scanTasks(workspaces, { inspect })).map(({ found }) => found.kind);
  expect(kinds).toEqual(["failed", "crashed"]);
});

test("where there are no workspaces there is no task, and an aborted scan stops", async () => {
  const workspaces = aFolder();
  expect(await scanTasks(join(workspaces, "none"))).toEqual([]);
  aTask(join(workspaces, "a/tasks/one"));
  await expect(scanTasks(workspaces, { signal: AbortSignal.abort("stop") })).rejects.toBe("stop");
});
