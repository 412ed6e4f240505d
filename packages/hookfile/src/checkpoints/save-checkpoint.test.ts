import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ATask, aTaskAt, filesBelow, newestCheckpoint } from "../../test/stored-task.ts";
import { saveCheckpoint, type SaveCheckpointOptions } from "./save-checkpoint.ts";
import { createHookFileStore } from "../store/store.ts";

const FACTS = {
  trigger: "manual",
  description: "half of it",
  git: { branch: "fix/null", dirty: true },
} as const;

function save(task: ATask, options: Partial<SaveCheckpointOptions> = {}) {
  return newestCheckpoint(saveCheckpoint(task.store, { ...FACTS, now: task.now(), ...options }));
}

function touch(task: ATask, filesTouched: readonly string[]): void {
  task.store.update((hook) => {
    const currentStep = hook.currentStep && { ...hook.currentStep, filesTouched };
    return { hook: { ...hook, currentStep }, events: [] };
  });
}

// SPEC.md, statements 109.
test("a checkpoint is on disk when the call returns", () => {
  const task = aTaskAt("implement");
  const saved = save(task);
  const read = createHookFileStore({ dir: task.dir }).read();
  expect(read?.checkpoints).toEqual([saved]);
  expect(read?.currentStep?.currentCheckpointId).toBe(saved?.checkpointId);
  expect([...task.store.checkpoints()]).toEqual([saved]);
  expect([...task.store.history()].at(-1)?.event.trigger).toBe("checkpoint");
});

// SPEC.md, statements 105.
test("files are snapshotted if and only if files_touched is set", () => {
  const task = aTaskAt("implement");
  expect(save(task)).not.toHaveProperty("filesSnapshot");
  writeFileSync(join(task.worktree, "a.ts"), "one\n");
  touch(task, ["a.ts", "gone.ts"]);
  expect(save(task)?.filesSnapshot).toMatchObject([
    { path: "a.ts", size: 4, exists: true },
    { path: "gone.ts", exists: false },
  ]);
});

test("200 snapshots are in the hook file, more are an artifact", () => {
  const task = aTaskAt("implement");
  const paths = Array.from({ length: 201 }, (_, index) => `${index}.ts`);
  touch(task, paths.slice(1));
  expect(save(task)?.filesSnapshot).toHaveLength(200);
  touch(task, paths);
  const saved = save(task);
  expect(saved).not.toHaveProperty("filesSnapshot");
  expect(saved?.artifacts).toEqual([`snapshots/${saved?.checkpointId}.json`]);
  const file = join(task.dir, "artifacts", saved?.artifacts?.[0] ?? "");
  const kept: unknown = JSON.parse(readFileSync(file, "utf8"));
  expect(kept).toHaveLength(201);
  expect(kept).toContainEqual({ path: "7.ts", size: 0, mod_time: "", sha256: "", exists: false });
});

test("the checkpoint of a step's end and the transition are one write", () => {
  const task = aTaskAt("implement");
  const before = task.store.read()?.revision ?? 0;
  const trigger = "step_complete";
  const saved = save(task, { trigger, then: [{ type: "step_complete" }] });
  const read = task.store.read();
  expect(read).toMatchObject({ revision: before + 1, state: "step_pending" });
  expect(saved).toMatchObject({ stepName: "implement", stepIndex: 1, trigger });
});

test("nothing is written where none is wanted", () => {
  const task = aTaskAt("implement");
  const before = filesBelow(task.dir);
  expect(save(task, { when: () => false })).toBeUndefined();
  expect(filesBelow(task.dir)).toEqual(before);
});

test("checkpoints of one moment, and what comes of them, are one write, in order", () => {
  const task = aTaskAt("implement");
  touch(task, ["a.ts"]);
  const before = task.store.read()?.revision ?? 0;
  const after = saveCheckpoint(task.store, {
    ...FACTS,
    trigger: "pr_created",
    now: task.now(),
    also: [{ trigger: "step_complete", description: "all of it" }],
    then: [{ type: "step_complete" }],
  });
  expect(after.revision).toBe(before + 1);
  const [first, second] = after.checkpoints.slice(-2);
  expect([first?.trigger, second?.trigger]).toEqual(["pr_created", "step_complete"]);
  expect(second).toMatchObject({ stepName: "implement", description: "all of it" });
  expect(second?.filesSnapshot).toEqual(first?.filesSnapshot);
  expect(second?.checkpointId).not.toBe(first?.checkpointId);
  expect(after.history.slice(-3).map(({ trigger }) => trigger)).toEqual([
    "checkpoint",
    "checkpoint",
    "step_complete",
  ]);
});
