import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transition } from "@quasar/hookfile";
import { assert, jsonValue, property, string } from "fast-check";
import { afterAll, expect, test } from "vitest";
import { aRecord, aResult } from "../test/a-record.ts";
import { NEW_TASK } from "../test/hooks.ts";
import { syncTask } from "./sync-task.ts";
import { decodeTask, encodeTask } from "./task-codec.ts";
import type { TaskRecord } from "./task-record.ts";
import { repairTask } from "./task-repair.ts";
import { readTask, writeTask } from "./task-store.ts";

const all = mkdtempSync(join(tmpdir(), "quasar-task-json-"));
afterAll(() => rmSync(all, { recursive: true }));

function onDisk(record: TaskRecord): Record<string, unknown> {
  return JSON.parse(Buffer.from(encodeTask(record)).toString()) as Record<string, unknown>;
}

function bytes(change: Record<string, unknown>): Uint8Array {
  return Buffer.from(JSON.stringify({ ...onDisk(aRecord()), ...change }));
}

// SPEC.md, statements 21.
test("has the seed's names on disk", () => {
  const file = onDisk(aRecord());
  expect(Object.keys(file)).toEqual([
    "id",
    "workspace_id",
    "template_id",
    "description",
    "status",
    "current_step",
    "steps",
    "step_results",
    "transitions",
    "created_at",
    "updated_at",
    "config",
    "template",
    "metadata",
    "schema_version",
  ]);
  expect(file).toMatchObject({
    steps: [
      { name: "analyze", type: "ai", status: "success", started_at: "2026-11-22T10:00:00.000Z" },
      { name: "implement", attempts: 2 },
    ],
    step_results: [
      {
        step_index: 0,
        step_name: "analyze",
        duration_ms: 45_000,
        files_changed: ["src/a.ts"],
        artifact_path: "analyze/1.md",
        session_id: "s-1",
        num_turns: 7,
      },
    ],
    transitions: [{ from_status: "pending", to_status: "running", reason: "start_step" }],
    config: { reviewer_model: "r", max_budget_usd: 5, validation: { timeout_ms: 60_000 } },
    metadata: { branch: "fix/x", worktree_dir: "/src/app-x", base_sha: "a".repeat(40) },
    schema_version: "1.0",
  });
});

test("is the same when it is read again, with keys that it does not know", () => {
  const record = aRecord({
    extra: { priority: 3, nested: { timeoutMs: 1, timeout_ms: 2, __proto: null } },
    config: { ...aRecord().config, settings: { maxCycles: 1, max_cycles: 2 } },
    stepResults: [aResult({ metadata: { stepIndex: 1, step_index: 2, odd: [{ fromTask: 1 }] } })],
  });
  expect(decodeTask(encodeTask(record))).toEqual(record);
  const inner = bytes({ metadata: { ...(onDisk(aRecord())["metadata"] as object), later: 1 } });
  expect(onDisk(decodeTask(inner))["metadata"]).toHaveProperty("later", 1);
});

test("is the same for any texts", () => {
  // A key __proto__ is refused.
  const value = jsonValue({ maxDepth: 3 }).filter(
    (each) => !JSON.stringify(each).includes("__proto__"),
  );
  assert(
    property(string({ unit: "grapheme" }), value, (text, setting) => {
      const config = { ...aRecord().config, notify: text, settings: { setting } };
      const record = aRecord({ description: text, config });
      const plain: unknown = JSON.parse(JSON.stringify(record));
      expect(JSON.parse(JSON.stringify(decodeTask(encodeTask(record))))).toEqual(plain);
    }),
    { numRuns: 50 },
  );
});

test.for([
  [{ id: "../x" }, "id is not fit for a folder's name"],
  [{ workspace_id: "" }, "workspace_id is not fit for a folder's name"],
  [{ status: "sleeping" }, "status is not one of pending"],
  [{ current_step: -1 }, "current_step is not a whole number"],
  [{ steps: [{ name: "a" }] }, "steps[0].type is not there"],
  [{ step_results: {} }, "step_results is not a list"],
  [{ created_at: "yesterday" }, "created_at is not an RFC 3339 time"],
  [{ config: { agent: 1 } }, "config.agent is not a text"],
  [{ metadata: { branch: "b", worktree_dir: "../x" } }, "metadata.worktree_dir is not an absolute"],
  [{ schema_version: "2.0" }, 'schema_version is not "1.0"'],
] as const)("refuses %j, naming the key", ([change, message]) => {
  const act = () => decodeTask(bytes(change));
  expect(act).toThrow(expect.objectContaining({ code: "ERR_DAMAGED" }));
  expect(act).toThrow(message);
});

test.for([
  ["no JSON", "{"],
  ["a list", "[]"],
  ["a key __proto__", '{"__proto__":{"id":"x"}}'],
  ["what is nested too deep", `${'{"a":'.repeat(100)}1${"}".repeat(100)}`],
] as const)("refuses %s", ([, text]) => {
  const act = () => decodeTask(Buffer.from(text));
  expect(act).toThrow(expect.objectContaining({ code: "ERR_DAMAGED" }));
});

test("refuses what is no UTF-8, and to write what it could not read", () => {
  expect(() => decodeTask(Uint8Array.of(0x22, 0xff, 0x22))).toThrow("is not JSON in UTF-8");
  const wrong = aRecord({ currentStep: 0.5 });
  expect(() => encodeTask(wrong)).toThrow("current_step is not a whole number");
});

test("is kept 0600, with the generation before in its place where it is damaged", () => {
  const dir = mkdtempSync(join(all, "t-"));
  expect(() => readTask(dir)).toThrow(expect.objectContaining({ code: "ERR_NOT_FOUND" }));
  writeTask(dir, aRecord());
  writeTask(dir, aRecord({ status: "completed" }));
  const path = join(dir, "task.json");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readTask(dir).status).toBe("completed");
  // Both names of the newest generation are one file.
  writeFileSync(path, readFileSync(path).subarray(0, 100));
  expect(readTask(dir).status).toBe("running");
  for (const name of fileNames(dir)) writeFileSync(join(dir, name), "{");
  expect(readTask(dir).status, "its copy").toBe("completed");
  writeFileSync(join(dir, "artifacts/task.json"), "{");
  const act = () => readTask(dir);
  expect(act).toThrow(expect.objectContaining({ code: "ERR_DAMAGED" }));
  expect(act).toThrow("task.json: the file is not JSON in UTF-8");
});

test("is made again from its copy where every generation of it is gone", () => {
  const dir = mkdtempSync(join(all, "t-"));
  const hook = transition(undefined, [{ type: "init", task: NEW_TASK }], { now: new Date() }).hook;
  const record = syncTask(aRecord(), hook);
  writeTask(dir, record);
  for (const name of fileNames(dir)) rmSync(join(dir, name));
  expect(readTask(dir)).toEqual(record);
  expect(repairTask(dir, hook)).toEqual(record);
  expect(decodeTask(readFileSync(join(dir, "task.json")))).toEqual(record);
});

/** Of a folder's own files, without those in its folders. */
function fileNames(dir: string): readonly string[] {
  const entries = readdirSync(dir, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
