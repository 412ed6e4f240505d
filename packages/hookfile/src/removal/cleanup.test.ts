import { hash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { acquireLock } from "@quasar/durable";
import { currentProcess } from "@quasar/process";
import { expect, onTestFinished, test } from "vitest";
import { aFolder, type ATask, aTaskAt, filesBelow, type WAY_TO } from "../../test/stored-task.ts";
import { after, DAY, SECOND } from "../../test/interrupted.ts";
import { cleanupHookFiles, type CleanupOptions, DEFAULT_RETENTION } from "./cleanup.ts";
import { detectAndRecover } from "../recovery/recovery.ts";
import { removeHookFile } from "./remove.ts";
import { saveCheckpoint } from "../checkpoints/save-checkpoint.ts";
import { createHookFileStore } from "../store/store.ts";
import { lockTask } from "../recovery/task-owner.ts";

type Place = keyof typeof WAY_TO;

/** Tasks of workspace `a`, each at a place, named by it. */
function someTasks(...places: readonly Place[]) {
  const workspacesDir = aFolder();
  const tasks = places.map((place) => aTaskAt(place, join(workspacesDir, "a/tasks", place)));
  const clean = (age: number, options: Partial<CleanupOptions> = {}) =>
    cleanupHookFiles({ workspacesDir, now: after(age), ...options });
  return { workspacesDir, tasks, first: tasks[0] as ATask, clean };
}

// SPEC.md, statements 141-143, 152.
test.for([
  ["completed", 30],
  ["abandoned", 7],
  ["failed", 14],
] as const)("a task that is %s is kept %i days, and no longer", ([state, days]) => {
  expect(DEFAULT_RETENTION[state]).toBe(days * DAY);
  const { first, clean } = someTasks(state);
  expect(clean(days * DAY)).toEqual({ removed: [], skipped: [] });
  expect(first.store.read()?.state).toBe(state);
  expect(clean(days * DAY + 1).removed).toMatchObject([{ taskId: state, hook: { state } }]);
  expect(first.store.read()).toBeUndefined();
});

// SPEC.md, statements 146-148.
test("each retention can be set, a state at a time", () => {
  const policy = { completed: 3 * SECOND, failed: 2 * SECOND, abandoned: SECOND };
  const { clean } = someTasks("completed", "failed", "abandoned");
  const removed = [1.5, 2.5, 3.5].map((age) => clean(age * SECOND, { policy }).removed);
  expect(removed.map((each) => each.map(({ taskId }) => taskId))).toEqual([
    ["abandoned"],
    ["failed"],
    ["completed"],
  ]);
});

// SPEC.md, statements 151.
test("a task that has not ended is never removed, however old", () => {
  const active = ["initializing", "pending", "implement", "validating", "waiting"] as const;
  const { tasks, clean } = someTasks(...active);
  const before = tasks.map(({ dir }) => filesBelow(dir));
  expect(clean(10_000 * DAY)).toEqual({ removed: [], skipped: [] });
  expect(tasks.map(({ dir }) => filesBelow(dir))).toEqual(before);
});

test("a recovering task is never removed", async () => {
  const { first, clean } = someTasks("implement");
  first.pass(DAY);
  expect(await detectAndRecover(first.dir, { now: first.now })).toMatchObject({ kind: "crashed" });
  expect(clean(10_000 * DAY)).toEqual({ removed: [], skipped: [] });
});

test("the age counts from the task's end, whatever touched it since", () => {
  const { first, clean } = someTasks("completed");
  first.pass(29 * DAY);
  first.store.update((hook) => ({ hook: { ...hook, extra: { seen: true } }, events: [] }));
  expect(first.store.read()?.updatedAt).toBe(after(29 * DAY).toISOString());
  expect(clean(31 * DAY).removed).toHaveLength(1);
});

// SPEC.md, statements 153.
test("hook.json, HOOK.md and the history go, the rest stays", () => {
  const { first, clean } = someTasks("completed");
  writeFileSync(join(first.dir, "task.json"), "{}");
  mkdirSync(join(first.dir, "artifacts/receipts"), { recursive: true });
  writeFileSync(join(first.dir, "artifacts/receipts/rcpt-1.dsse.json"), "{}");
  clean(31 * DAY);
  expect(Object.keys(filesBelow(first.dir))).toEqual([
    "archive/history/1.jsonl.gz",
    "archive/hook.json.gz",
    "artifacts/receipts/rcpt-1.dsse.json",
    "task.json",
    "tombstone.json",
  ]);
});

// SPEC.md, statements 149, 154.
test("all workspaces are walked, and what was removed is told", () => {
  const workspacesDir = aFolder();
  const names = ["a/tasks/one", "a/tasks/two", "b/tasks/one"];
  for (const name of names) aTaskAt("failed", join(workspacesDir, name));
  mkdirSync(join(workspacesDir, "empty/tasks/none"), { recursive: true });
  const { removed, skipped } = cleanupHookFiles({ workspacesDir, now: after(15 * DAY) });
  expect(removed.map(({ workspaceId, taskId }) => `${workspaceId}/tasks/${taskId}`)).toEqual(names);
  expect(removed).toHaveLength(3);
  expect(skipped).toEqual([]);
});

// SPEC.md, statements 150.
test("a corrupted hook file is reported and left, and is not fatal", () => {
  const { tasks, clean } = someTasks("abandoned", "completed");
  const [corrupt] = tasks;
  for (const name of Object.keys(filesBelow(corrupt?.dir ?? ""))) {
    writeFileSync(join(corrupt?.dir ?? "", name), "{");
  }
  const before = filesBelow(corrupt?.dir ?? "");
  const { removed, skipped } = clean(31 * DAY);
  expect(removed).toMatchObject([{ taskId: "completed" }]);
  const error = { code: "ERR_DAMAGED" };
  expect(skipped).toMatchObject([{ taskId: "abandoned", reason: "corrupt", error }]);
  expect(filesBelow(corrupt?.dir ?? "")).toEqual(before);
});

test("a hook file of a later version is left alone, and is not called corrupt", () => {
  const { first, clean } = someTasks("completed");
  const hookJson = join(first.dir, "hook.json");
  const body = readFileSync(hookJson, "utf8")
    .replace('"version": "1.0"', '"version": "2.0"')
    .replace(/,\n {2}"sha256".*$/s, "");
  const later = `${body},\n  "sha256": "${hash("sha256", body)}"\n}\n`;
  writeFileSync(hookJson, later);
  const error = { code: "ERR_INCOMPATIBLE_VERSION" };
  expect(clean(31 * DAY)).toMatchObject({ removed: [], skipped: [{ reason: "failed", error }] });
  expect(readFileSync(hookJson, "utf8")).toBe(later);
});

test("links are not followed", () => {
  const outside = someTasks("completed");
  const { workspacesDir, clean } = someTasks("failed");
  symlinkSync(outside.first.dir, join(workspacesDir, "a/tasks/linked"));
  symlinkSync(join(outside.workspacesDir, "a"), join(workspacesDir, "linked"));
  mkdirSync(join(workspacesDir, "b"));
  symlinkSync(join(outside.workspacesDir, "a/tasks"), join(workspacesDir, "b/tasks"));
  const before = filesBelow(outside.workspacesDir);
  expect(clean(31 * DAY).removed).toMatchObject([{ taskId: "failed" }]);
  expect(filesBelow(outside.workspacesDir)).toEqual(before);
});

test("a hook file that is a link is not read, nor is what it names removed", () => {
  const outside = someTasks("completed").first;
  const { workspacesDir, clean } = someTasks();
  mkdirSync(join(workspacesDir, "a/tasks/odd"), { recursive: true });
  symlinkSync(join(outside.dir, "hook.json"), join(workspacesDir, "a/tasks/odd/hook.json"));
  expect(clean(31 * DAY)).toMatchObject({ removed: [], skipped: [{ reason: "corrupt" }] });
  expect(outside.store.read()?.state).toBe("completed");
});

test.for(["run.lock", "hook.lock"])("while %s is held a task is not removed", (name) => {
  const { first, clean } = someTasks("completed");
  const lock = acquireLock(join(first.dir, name));
  onTestFinished(() => lock.release());
  for (const dryRun of [true, false]) {
    const { removed, skipped } = clean(31 * DAY, { dryRun });
    expect(removed).toEqual([]);
    expect(skipped).toMatchObject([{ taskId: "completed", reason: "in_use" }]);
  }
  lock.release();
  expect(clean(31 * DAY).removed).toHaveLength(1);
});

test("a task whose owner lives is not removed, one whose owner is gone is", () => {
  const { first, clean } = someTasks("completed");
  const own = (startTime: number | undefined): void => {
    const owner = { ...currentProcess(), startTime, runId: "run-1" };
    first.store.update((hook) => ({ hook: { ...hook, owner }, events: [] }));
  };
  own(currentProcess().startTime);
  expect(clean(31 * DAY)).toMatchObject({ removed: [], skipped: [{ reason: "in_use" }] });
  own(1);
  expect(clean(31 * DAY).removed).toHaveLength(1);
});

// SPEC.md, statements 157.
test("a dry run removes nothing and tells the same", () => {
  const { workspacesDir, clean } = someTasks("completed", "failed", "abandoned", "implement");
  const before = filesBelow(workspacesDir);
  const names = readdirSync(workspacesDir, { recursive: true });
  const dry = clean(15 * DAY, { dryRun: true });
  expect(filesBelow(workspacesDir)).toEqual(before);
  expect(readdirSync(workspacesDir, { recursive: true })).toEqual(names);
  expect(dry.removed.map(({ taskId }) => taskId)).toEqual(["abandoned", "failed"]);
  expect(clean(15 * DAY)).toEqual(dry);
});

test("the archive holds the files to the byte, the tombstone what they were", () => {
  const { first, clean } = someTasks("implement");
  const git = { branch: "fix/null", dirty: false };
  saveCheckpoint(first.store, { trigger: "manual", description: "", git, now: first.now() });
  first.happen({ type: "abandon" });
  const hook = first.store.read();
  const files = ["hook.json", "history/1.jsonl"].map((name) => {
    return [name, readFileSync(join(first.dir, name))] as const;
  });
  const head = { count: 0, sha256: "0".repeat(64) };
  clean(8 * DAY, { receiptsHead: () => head });

  for (const [name, bytes] of files) {
    expect(gunzipSync(readFileSync(join(first.dir, "archive", `${name}.gz`)))).toEqual(bytes);
  }
  expect(JSON.parse(readFileSync(join(first.dir, "tombstone.json"), "utf8"))).toEqual({
    version: 1,
    task_id: "task-1",
    workspace_id: "ws",
    title: "Fix the null pointer",
    template: "bugfix",
    branch: "fix/null",
    state: "abandoned",
    created_at: after(0).toISOString(),
    ended_at: after(0).toISOString(),
    removed_at: after(8 * DAY).toISOString(),
    revision: hook?.revision,
    history: { count: hook?.counts.events, head: hook?.head },
    receipts: { count: 0, head },
    archive: files.map(([name, bytes]) => {
      return { name, bytes: bytes.length, sha256: hash("sha256", bytes) };
    }),
  });
});

test("where there is a tombstone there is no task, nothing to recover and nothing to clean", async () => {
  const { first, clean } = someTasks("completed");
  clean(31 * DAY);
  const before = filesBelow(first.dir);
  expect(await detectAndRecover(first.dir)).toEqual({ kind: "absent" });
  expect(createHookFileStore({ dir: first.dir }).open()).toBeUndefined();
  expect(clean(9999 * DAY)).toEqual({ removed: [], skipped: [] });
  expect(filesBelow(first.dir)).toEqual(before);
});

test("a removal that was interrupted is ended by the next one, and told", () => {
  const { first, clean } = someTasks("completed");
  const hookJson = readFileSync(join(first.dir, "hook.json"));
  clean(31 * DAY);
  const before = filesBelow(first.dir);
  writeFileSync(join(first.dir, "hook.json"), hookJson);
  for (const dryRun of [true, false]) {
    const { removed } = clean(0, { dryRun });
    expect(removed).toMatchObject([{ taskId: "completed", hook: undefined }]);
  }
  expect(filesBelow(first.dir)).toEqual(before);
});

test("one that cannot be removed is reported, and keeps no other", () => {
  const { tasks, clean } = someTasks("abandoned", "completed");
  writeFileSync(join(tasks[0]?.dir ?? "", "archive"), "in the way");
  const { removed, skipped } = clean(31 * DAY);
  expect(removed).toMatchObject([{ taskId: "completed" }]);
  expect(skipped).toMatchObject([{ taskId: "abandoned", reason: "failed" }]);
  expect(tasks[0]?.store.read()?.state).toBe("abandoned");
});

// SPEC.md, statements 144.
test("a task can be removed at once, in whatever state, for a workspace that is destroyed", () => {
  const { first } = someTasks("implement");
  removeHookFile(first.dir, { now: after(0) });
  expect(first.store.read()).toBeUndefined();
  expect(existsSync(join(first.dir, "hook.json"))).toBe(false);
  removeHookFile(first.dir, { now: after(1) });
});

test("a task that an engine drives cannot be removed", () => {
  const { first } = someTasks("implement");
  const lock = lockTask(first.dir);
  onTestFinished(() => lock.release());
  const error = { name: "DurableError", code: "ERR_LOCKED" };
  expect(() => removeHookFile(first.dir, { now: after(0) })).toThrow(
    expect.objectContaining(error),
  );
  expect(first.store.read()?.state).toBe("step_running");
});
