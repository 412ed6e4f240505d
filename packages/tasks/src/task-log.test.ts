import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readArtifact, saveArtifact } from "./artifacts.ts";
import type { TaskEvent } from "./task-event.ts";
import { openTaskLog, readTaskLog } from "./task-log.ts";

const all = mkdtempSync(join(tmpdir(), "quasar-task-log-"));
afterAll(() => rmSync(all, { recursive: true }));
const folder = (): string => mkdtempSync(join(all, "t-"));

const at = "2026-11-22T10:00:00.000Z";
const options = {
  now: () => new Date(at),
  redact: (text: string) => text.replaceAll("s3cret", "***"),
};

const STARTED: TaskEvent = {
  type: "step_started",
  step: "implement",
  stepType: "loop",
  index: 1,
  attempt: 1,
  maxAttempts: 3,
};
const warning = (message: string): TaskEvent => ({ type: "warning", message });

// SPEC.md, statements 22.
test("adds a line of JSON for each event, with when it came", () => {
  const dir = folder();
  const log = openTaskLog(dir, options);
  log.append(STARTED);
  log.append(warning("two\nlines"));
  const path = join(dir, "task.log");
  const lines = readFileSync(path, "utf8").split("\n");
  expect(lines).toHaveLength(3);
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    at,
    type: "step_started",
    step: "implement",
    step_type: "loop",
    index: 1,
    attempt: 1,
    max_attempts: 3,
  });
  expect(readTaskLog(dir)).toEqual([
    { at, ...STARTED },
    { at, type: "warning", message: "two\nlines" },
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("leaves out what agents say, and keeps what the loop says", () => {
  const dir = folder();
  const log = openTaskLog(dir, options);
  const chatter = { type: "text", text: "hello" } as const;
  const said = { type: "agent_event", cycle: 1, role: "coder", event: chatter } as const;
  log.append({ type: "loop", step: "s", spentUsd: 0, event: said });
  log.append({ type: "loop", step: "s", spentUsd: 0, event: { type: "cycle_start", cycle: 1 } });
  expect(readTaskLog(dir)).toMatchObject([{ event: { type: "cycle_start", cycle: 1 } }]);
});

test("takes secrets out of every text, however deep", () => {
  const dir = folder();
  openTaskLog(dir, options).append({
    type: "loop",
    step: "s",
    spentUsd: 0,
    event: { type: "resumed", cycle: 1, message: "m s3cret", details: ["d s3cret"] },
  });
  expect(readFileSync(join(dir, "task.log"), "utf8")).not.toContain("s3cret");
  expect(readTaskLog(dir)).toMatchObject([{ event: { message: "m ***", details: ["d ***"] } }]);
});

test.for([
  ["one long text", warning("x".repeat(1_000_000))],
  ["a text of what JSON writes long", warning("\u0001".repeat(1_000_000))],
  [
    "many texts",
    {
      type: "loop",
      step: "s",
      spentUsd: 0,
      event: { type: "resumed", cycle: 1, message: "m", details: Array(5000).fill("x".repeat(50)) },
    } satisfies TaskEvent,
  ],
] as const)("cuts %s to a line of at most 64 KiB", ([, event]) => {
  const dir = folder();
  openTaskLog(dir, options).append(event);
  const text = readFileSync(join(dir, "task.log"));
  expect(text.length).toBeLessThanOrEqual(64 * 1024);
  expect(readTaskLog(dir)).toMatchObject([{ at, type: event.type }]);
});

test("passes over what a crash has torn, and what is no event", () => {
  const dir = folder();
  openTaskLog(dir, options).append(warning("one"));
  const path = join(dir, "task.log");
  appendFileSync(path, '{"at":"2026","type":"warn');
  openTaskLog(dir, options).append(warning("two"));
  appendFileSync(path, "null\n[]\n{}\n\u0000\n");
  openTaskLog(dir, options).append(warning("three"));
  const found = readTaskLog(dir).map((event) => event.type === "warning" && event.message);
  expect(found).toEqual(["one", "two", "three"]);
  expect(readTaskLog(folder())).toEqual([]);
});

test("does not write through a link", () => {
  const dir = folder();
  const target = join(folder(), "target");
  symlinkSync(target, join(dir, "task.log"));
  expect(() => openTaskLog(dir, options).append(warning("x"))).toThrow("ELOOP");
});

// SPEC.md, statements 25.
test("keeps artifacts 0600 below the task's folder", () => {
  const dir = folder();
  expect(saveArtifact(dir, "analyze/1.md", "one")).toBe("analyze/1.md");
  saveArtifact(dir, "analyze/1.md", "two");
  const path = join(dir, "artifacts", "analyze", "1.md");
  expect(readFileSync(path, "utf8")).toBe("two");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readArtifact(dir, "analyze/1.md")).toBe("two");
  expect(readArtifact(dir, "analyze/2.md")).toBeUndefined();
  expect(readArtifact(dir, "none/2.md")).toBeUndefined();
});

test.for(["", "/etc/passwd", "../x", "a/../b", "a//b", ".hidden", "a/.b", "a\\b", "a\0", "-a/b"])(
  "refuses the artifact %j",
  (path) => {
    const refused = expect.objectContaining({ code: "ERR_UNSAFE_ID" });
    expect(() => saveArtifact(folder(), path, "")).toThrow(refused);
    expect(() => readArtifact(folder(), path)).toThrow(refused);
  },
);

test("goes through no folder that is a link", () => {
  const [dir, elsewhere] = [folder(), folder()];
  saveArtifact(dir, "a/b", "");
  symlinkSync(elsewhere, join(dir, "artifacts", "linked"));
  const refused = expect.objectContaining({ code: "ERR_UNSAFE_ID" });
  expect(() => saveArtifact(dir, "linked/x", "")).toThrow(refused);
  expect(() => readArtifact(dir, "linked/x")).toThrow(refused);
});
