import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aFullHook } from "../../test/a-full-hook.ts";
import { decodeHookFile, encodeHookFile } from "./hook-codec.ts";
import { CHECKPOINT_TRIGGERS, type HookFile } from "./hook-file.ts";

type Json = Record<string, unknown>;

function jsonOf(hook: HookFile): Json {
  return JSON.parse(Buffer.from(encodeHookFile(hook)).toString()) as Json;
}

/** Any JSON as a file whose SHA-256 is right. */
function seal(text: string): Uint8Array {
  const body = text.replace(/\n?\}\s*$/, "");
  return Buffer.from(`${body},\n  "sha256": "${hash("sha256", body)}"\n}\n`);
}

function sealed(value: Json): Uint8Array {
  const { sha256: _, ...rest } = value;
  return seal(JSON.stringify(rest));
}

test("what is encoded is decoded as it was, with every field", () => {
  const hook = aFullHook();
  expect(decodeHookFile(encodeHookFile(hook))).toStrictEqual(hook);
  expect(encodeHookFile(decodeHookFile(encodeHookFile(hook)))).toEqual(encodeHookFile(hook));
});

// SPEC.md, statements 28, 30, 32, 33.
test("the keys and strings on disk are the seed's", () => {
  const json = jsonOf(aFullHook());
  expect(json).toMatchObject({
    version: "1.0",
    task_id: "task-550e8400",
    created_at: "2026-01-02T03:04:05.678Z",
    updated_at: "2026-01-02T03:04:05.678Z",
    state: "awaiting_human",
  });
  for (const list of ["history", "receipts", "checkpoints"]) {
    expect(json[list]).toBeInstanceOf(Array);
  }
});

// SPEC.md, statements 29, 31.
test("current_step and recovery are left out where there is none", () => {
  const { currentStep: _, recovery: __, ...rest } = aFullHook();
  const json = jsonOf(rest);
  expect(json).not.toHaveProperty("current_step");
  expect(json).not.toHaveProperty("recovery");
  expect(jsonOf(aFullHook())).toHaveProperty("recovery");
});

// SPEC.md, statements 35, 36, 37.
test("a step context has the seed's keys, the optional ones only where they say something", () => {
  const hook = aFullHook();
  expect(Object.keys(jsonOf(hook)["current_step"] as Json)).toEqual([
    "step_name",
    "step_index",
    "started_at",
    "prompt",
    "attempt",
    "max_attempts",
    "working_on",
    "files_touched",
    "file_changes",
    "last_output",
    "current_checkpoint_id",
  ]);
  const { currentStep } = hook;
  if (currentStep === undefined) throw new Error("there is none");
  const empty = {
    ...currentStep,
    workingOn: "",
    filesTouched: [],
    fileChanges: [],
    lastOutput: undefined,
  };
  const step = jsonOf({ ...hook, currentStep: empty })["current_step"] as Json;
  expect(Object.keys(step)).toHaveLength(7);
});

// SPEC.md, statements 38, 39, 40, 42.
test("a checkpoint has the seed's keys, and a snapshot too", () => {
  const [checkpoint] = jsonOf(aFullHook())["checkpoints"] as Json[];
  expect(checkpoint).toEqual({
    checkpoint_id: "ckpt-1",
    created_at: "2026-01-02T03:04:05.678Z",
    step_name: "implement",
    step_index: 0,
    description: "half of it",
    trigger: "manual",
    git_branch: "fix/null-pointer",
    git_commit: "e".repeat(40),
    git_dirty: true,
    artifacts: ["snapshot.json"],
    files_snapshot: [
      {
        path: "a.ts",
        size: 3,
        mod_time: "2026-01-02T03:04:05.678Z",
        sha256: "0123456789abcdef",
        exists: true,
      },
      { path: "b.ts", size: 0, mod_time: "", sha256: "", exists: false },
    ],
  });
});

// SPEC.md, statements 41.
test("the triggers of checkpoints are exactly these seven", () => {
  expect(CHECKPOINT_TRIGGERS).toEqual([
    "manual",
    "git_commit",
    "git_push",
    "pr_created",
    "validation",
    "step_complete",
    "interval",
  ]);
});

// SPEC.md, statements 43.
test("an event has the seed's keys", () => {
  const history = jsonOf(aFullHook())["history"] as Json[];
  expect(history[0]).toEqual({
    timestamp: "2026-01-02T03:04:05.678Z",
    from_state: "",
    to_state: "initializing",
    trigger: "init",
  });
  expect(history.at(-1)).toMatchObject({
    step_name: "git_push",
    details: { free: ["form", 1, null, true], kind: "interrupted", reason: "see to it" },
  });
});

// SPEC.md, statements 44.
test("a recovery has the seed's keys", () => {
  expect(jsonOf(aFullHook())["recovery"]).toEqual({
    detected_at: "2026-01-02T03:04:05.678Z",
    crash_type: "signal",
    last_known_state: "step_running",
    was_validating: true,
    validation_cmd: "pnpm test",
    partial_output: "1 failed",
    recommended_action: "retry_validation",
    reason: "the process is gone",
    last_checkpoint_id: "ckpt-1",
  });
});

// SPEC.md, statements 45.
test("a receipt has the seed's keys", () => {
  const [receipt] = jsonOf(aFullHook())["receipts"] as Json[];
  expect(Object.keys(receipt ?? {})).toEqual([
    "receipt_id",
    "step_name",
    "command",
    "exit_code",
    "started_at",
    "completed_at",
    "duration",
    "stdout_hash",
    "stderr_hash",
    "key_path",
    "key_id",
    "sig_alg",
    "sig_version",
    "signature",
  ]);
});

// SPEC.md, statements 14.
test("a person can read the file: a line for each key and for each entry of a list", () => {
  const text = Buffer.from(encodeHookFile(aFullHook())).toString();
  const lines = text.split("\n");
  expect(text.endsWith("}\n")).toBe(true);
  expect(lines).toContain('  "state": "awaiting_human",');
  expect(lines).toContain('    "prompt": "",');
  expect(lines.filter((line) => line.startsWith('    {"timestamp"'))).toHaveLength(11);
});

test("keys that are not known survive, at the root and within", () => {
  const json = jsonOf(aFullHook());
  const step = { ...(json["current_step"] as Json), theirs: [1] };
  const hook = decodeHookFile(sealed({ ...json, current_step: step, more: { x: 1 } }));
  expect(hook.extra).toEqual({ another_tool: { deep: [1, { a: "b" }] }, more: { x: 1 } });
  const again = jsonOf({ ...hook, title: "another" });
  expect(again).toMatchObject({ more: { x: 1 }, another_tool: {} });
  expect(again["current_step"]).toMatchObject({ theirs: [1] });
});

test.for([
  ["too many to keep", undefined],
  ["none", []],
  ["some", ["notes.txt"]],
] as const)(
  "paths that differ when a step begins: %s are read as they were written",
  ([, dirty]) => {
    const stepBase = { step: "implement", head: "a".repeat(40), ...(dirty && { dirty }) };
    const hook = aFullHook({ stepBase });
    expect(decodeHookFile(encodeHookFile(hook)).stepBase).toStrictEqual(stepBase);
  },
);

describe("refuses a file", () => {
  const json = jsonOf(aFullHook());
  const step = json["current_step"] as Json;
  const [event] = json["history"] as Json[];
  const deep = JSON.parse(`${"[".repeat(40)}${"]".repeat(40)}`) as unknown;
  test.for([
    ["whose version is a number", { version: 1 }, "version"],
    ["without a task", { task_id: undefined }, "task_id"],
    ["with a state that there is not", { state: "running" }, "state"],
    ["with a time that is none", { created_at: "2026-02-30T00:00:00Z" }, "created_at"],
    ["with a time of another zone", { updated_at: "2026-01-01T00:00:00+01:00" }, "updated_at"],
    ["with half a revision", { revision: 1.5 }, "revision"],
    ["with a number beyond all", { key_index: 1e300 }, "key_index"],
    ["with a text for a list", { history: "none" }, "history"],
    ["with a list for an object", { counts: [] }, "counts"],
    ["with null for an object", { current_step: null }, "current_step"],
    [
      "with a wrong type within",
      { history: [event, { ...event, trigger: 5 }] },
      "history[1].trigger",
    ],
    ["with a wrong word within", { history: [{ ...event, to_state: "x" }] }, "history[0].to_state"],
    [
      "whose prompt is too long",
      { current_step: { ...step, prompt: "é".repeat(9000) } },
      "current_step.prompt",
    ],
    [
      "with a key's other name",
      { current_step: { ...step, stepName: "x" } },
      "current_step.stepName",
    ],
    ["that is too deep", { more: deep }, "more"],
    [
      "whose step is another",
      { current_step: { ...step, step_index: 0 } },
      "current_step.step_index",
    ],
    ["that waits for nothing", { awaiting: undefined }, "awaiting"],
    [
      "that is at no step",
      { state: "step_running", current_step: undefined, awaiting: undefined },
      "current_step",
    ],
    [
      "that recovers from nothing",
      { state: "recovering", recovery: undefined, awaiting: undefined },
      "recovery",
    ],
    [
      "with more than it counts",
      { counts: { ...(json["counts"] as Json), events: 2 } },
      "counts.events",
    ],
  ] as const)("%s, naming the field", ([, change, field]) => {
    const act = (): unknown => decodeHookFile(sealed({ ...json, ...change }));
    expect(act).toThrow(expect.objectContaining({ code: "ERR_INVALID_HOOK_FILE" }));
    expect(act).toThrow(new RegExp(`^${field.replace(/[[\]]/g, "\\$&")}[^ ]* is not `));
  });

  test("with a prototype's key, and keeps none of it", () => {
    const text = JSON.stringify(json);
    for (const at of ['{"version"', '{"step_name":"git_push"']) {
      const hostile = text.replace(at, `{"__proto__":{"isAdmin":true},${at.slice(1)}`);
      expect(hostile).not.toBe(text);
      const act = (): unknown =>
        decodeHookFile(seal(hostile.replace(/,"sha256":"[0-9a-f]*"\}$/, "}")));
      expect(act).toThrow(expect.objectContaining({ code: "ERR_INVALID_HOOK_FILE" }));
      expect(act).toThrow("the key __proto__");
    }
    const { sha256: _, ...rest } = json;
    const hook = decodeHookFile(sealed({ ...rest, constructor: { prototype: 1 } }));
    expect(Object.getPrototypeOf(hook)).toBe(Object.prototype);
    expect(({} as Json)["isAdmin"]).toBeUndefined();
  });

  test.for([
    ["that is empty", Buffer.alloc(0)],
    ["that is no JSON", seal("{]")],
    ["that is no UTF-8", seal(JSON.stringify(json).replace("task-", "\uFFFD")).map((byte) => byte)],
    ["of millions of brackets", seal(`{"more": ${"[".repeat(1e6)}${"]".repeat(1e6)}}`)],
    ["that is huge", Buffer.alloc(33 * 1024 * 1024, 0x20)],
    ["with something behind it", Buffer.concat([encodeHookFile(aFullHook()), Buffer.from(" ")])],
  ] as const)("%s", ([, bytes]) => {
    const spoilt = Buffer.from(bytes);
    const at = spoilt.indexOf("\uFFFD");
    if (at >= 0) spoilt[at] = 0xff;
    const act = (): unknown => decodeHookFile(spoilt);
    expect(act).toThrow(expect.objectContaining({ code: "ERR_INVALID_HOOK_FILE" }));
  });
});

test("what could not be read is not written", () => {
  const cyclic: Json = {};
  cyclic["self"] = cyclic;
  for (const change of [
    { title: 5 as unknown as string },
    { extra: { cyclic } },
    { extra: { big: 1n } },
    { worktreePath: "x".repeat(5000) },
  ]) {
    const act = (): unknown => encodeHookFile(aFullHook(change));
    expect(act).toThrow(expect.objectContaining({ code: "ERR_INVALID_HOOK_FILE" }));
  }
});

test("half of a surrogate pair becomes U+FFFD, and the rest stays", () => {
  const hook = aFullHook({ title: "half \ud83d of it" });
  expect(decodeHookFile(encodeHookFile(hook)).title).toBe("half \uFFFD of it");
});
