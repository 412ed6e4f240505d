import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { acquireLock, nodeFileSystem } from "@quasar/durable";
import { currentProcess } from "@quasar/process";
import { failing } from "@quasar/durable/testing";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { aCheckpoint, aReceipt, aTask } from "../../test/a-task.ts";
import { temporaryFolders } from "../../test/folder.ts";
import { encodeHookFile } from "./hook-codec.ts";
import type { HookFile } from "./hook-file.ts";
import { createHookFiles } from "./hook-files.ts";
import { omit } from "./omit.ts";
import { createHookFileStore, type HookFileStore } from "./store.ts";
import type { HookFileStoreOptions } from "./store-options.ts";
import type { HookInput } from "../transitions/transition-events.ts";
import { transition } from "../transitions/transitions.ts";

const aFolder = temporaryFolders();
const now = (): Date => new Date("2026-01-02T03:04:05.678Z");

function aStore(options: Partial<HookFileStoreOptions> = {}): HookFileStore {
  return createHookFileStore({ dir: aFolder(), now, ...options });
}

function apply(store: Pick<HookFileStore, "update">, ...inputs: readonly HookInput[]): HookFile {
  return store.update((hook) => transition(hook, inputs, { now: now() }));
}

const ready = { type: "setup_complete" } as const;
const start = { type: "start_step", prompt: "Fix it" } as const;
const checkpoint = (checkpointId: string): HookInput => ({
  type: "checkpoint",
  checkpoint: aCheckpoint({ checkpointId }),
});

/** Every file of the task, with what is in it. */
function filesIn(dir: string): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => lstatSync(join(dir, name)).isFile());
  return Object.fromEntries(
    files.toSorted().map((name) => [name, readFileSync(join(dir, name), "latin1")]),
  );
}

/** Opens twice, and expects the second time to find all in order, and to leave the bytes as they are. */
function openTwice(store: HookFileStore): ReturnType<HookFileStore["open"]> {
  const first = store.open();
  const before = filesIn(store.dir);
  expect(store.open()).toEqual(first && { hook: first.hook, source: "current", problems: [] });
  expect(filesIn(store.dir)).toEqual(before);
  return first;
}

// SPEC.md, statements 69.
test("create writes hook.json, the history and HOOK.md", () => {
  const store = aStore();
  const hook = store.create(aTask());
  expect(hook).toMatchObject({ state: "initializing", revision: 1, counts: { events: 1 } });
  expect(readdirSync(store.dir).toSorted()).toEqual([
    "HOOK.md",
    "history",
    "hook.json",
    "hook.json.1.prev",
    "hook.lock",
  ]);
  expect(store.open()).toEqual({ hook, source: "current", problems: [] });
  expect(() => store.create(aTask())).toThrow(expect.objectContaining({ code: "ERR_EXISTS" }));
});

test("an update is one change of hook.json, the history and HOOK.md", () => {
  const store = aStore();
  store.create(aTask());
  const hook = apply(store, ready, start, checkpoint("c1"));
  expect(hook).toMatchObject({ revision: 2, state: "step_running", counts: { events: 4 } });
  expect(store.read()).toEqual(hook);
  expect(readFileSync(join(store.dir, "HOOK.md"), "utf8")).toContain("step_running");
  const { updatedAt, createdAt } = hook;
  expect([createdAt, updatedAt]).toEqual([now().toISOString(), now().toISOString()]);
});

// SPEC.md, statements 15.
test("opening twice is opening once", () => {
  const store = rolled();
  const old = filesIn(store.dir)["hook.json"] ?? "";
  const hook = apply(store, checkpoint("c6"));
  writeFileSync(join(store.dir, "HOOK.md"), "stale");
  writeFileSync(hookPath(store), old, "latin1");
  writeFileSync(newestOf(store), "torn", { flag: "a" });
  writeFileSync(join(store.dir, ".hook.json.0123456789abcdef.tmp"), "left by a crash");
  expect(openTwice(store)?.hook).toEqual(hook);
  expect(readdirSync(store.dir).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("who drives the task is written without an event", () => {
  const store = aStore();
  store.create(aTask());
  const owner = { ...currentProcess(), runId: "run-1" };
  store.update((hook) => ({ hook: { ...hook, owner }, events: [] }));
  expect(store.open()?.hook).toMatchObject({ revision: 2, counts: { events: 1 }, owner });
});

test("an update that changes nothing leaves the bytes", () => {
  const store = aStore();
  store.create(aTask());
  const before = filesIn(store.dir);
  expect(store.update(() => undefined)).toMatchObject({ revision: 1 });
  expect(filesIn(store.dir)).toEqual(before);
});

test("what is refused, or throws, changes nothing", () => {
  const store = aStore();
  store.create(aTask());
  const before = filesIn(store.dir);
  const act = (): unknown => apply(store, start);
  expect(act).toThrow(expect.objectContaining({ code: "ERR_INVALID_TRANSITION" }));
  const stale = (): unknown =>
    store.update((hook) => transition({ ...hook, revision: 0 }, [ready], { now: now() }));
  expect(stale).toThrow(expect.objectContaining({ code: "ERR_STALE" }));
  const tooLong = (): unknown => apply(store, { ...ready, details: { text: 1n } });
  expect(tooLong).toThrow(expect.objectContaining({ code: "ERR_INVALID_HOOK_FILE" }));
  expect(filesIn(store.dir)).toEqual(before);
});

// SPEC.md, statements 173.
test("where nothing is, there is no task", () => {
  const store = aStore();
  expect([store.open(), store.read()]).toEqual([undefined, undefined]);
  expect(existsSync(store.dir)).toBe(false);
  const act = (): unknown => store.update(() => undefined);
  expect(act).toThrow(expect.objectContaining({ code: "ERR_NO_TASK" }));
});

test("where a tombstone is, there is no task, and none can be made", () => {
  const store = aStore();
  store.create(aTask());
  writeFileSync(join(store.dir, "tombstone.json"), "{}");
  expect([store.open(), store.read()]).toEqual([undefined, undefined]);
  expect(() => store.create(aTask())).toThrow(expect.objectContaining({ code: "ERR_EXISTS" }));
});

// SPEC.md, statements 12, 30.
test("the whole history stays, with all receipts and checkpoints", () => {
  const files = createHookFiles({ dir: aFolder(), now, rollBytes: 20_000 });
  const store = createHookFileStore({ dir: files.dir, now });
  store.create(aTask());
  apply(files, ready, start, { type: "step_complete" }, start, { type: "step_output" });
  const tried = (count: number): readonly HookInput[] => {
    const receipts = [aReceipt({ receiptId: `r${count}` })];
    return [checkpoint(`c${count}`), { type: "attempt_failed", reason: "no", receipts }];
  };
  for (let count = 0; count < 250; count += 5) {
    apply(files, ...[0, 1, 2, 3, 4].flatMap((more) => tried(count + more)));
  }
  const hook = store.read();
  expect(hook?.counts).toEqual({ events: 506, receipts: 250, checkpoints: 250 });
  expect([hook?.history, hook?.receipts, hook?.checkpoints].map((list) => list?.length)).toEqual([
    200, 200, 200,
  ]);
  expect(readdirSync(join(store.dir, "history")).length).toBeGreaterThan(5);

  const events = [...store.history()];
  expect(events.map(({ number }) => number)).toEqual(Array.from({ length: 506 }, (_, i) => i + 1));
  expect(events[0]).toMatchObject({ revision: 1, event: { trigger: "init" } });
  expect(events.slice(-200).map(({ event }) => event)).toEqual(hook?.history);
  const ids = (count: number): string => `c${count}`;
  expect([...store.checkpoints()].map(({ checkpointId }) => checkpointId)).toEqual(
    Array.from({ length: 250 }, (_, count) => ids(count)),
  );
  expect([...store.receipts()].map(({ receiptId }) => receiptId)).toHaveLength(250);
});

test("a reading parses nothing but hook.json and the last record", () => {
  const store = aStore();
  store.create(aTask());
  const hook = apply(store, ready, start);
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  expect(store.read()).toEqual(hook);
  expect(parse).toHaveBeenCalledTimes(2);
});

/** A store with its history in several files, at the step that runs. */
function rolled(): HookFileStore {
  const files = createHookFiles({ dir: aFolder(), now, rollBytes: 4000 });
  files.makeFolder();
  files.create(aTask());
  apply(files, ready, start);
  for (let count = 0; count < 6; count += 1) apply(files, checkpoint(`c${count}`));
  expect(readdirSync(join(files.dir, "history")).length).toBeGreaterThan(2);
  return createHookFileStore({ dir: files.dir, now });
}

const hookPath = (store: HookFileStore): string => join(store.dir, "hook.json");
const newestOf = (store: HookFileStore): string => {
  const numbers = readdirSync(join(store.dir, "history")).map((name) => Number.parseInt(name, 10));
  return join(store.dir, "history", `${Math.max(...numbers)}.jsonl`);
};

describe("hook.json", () => {
  test("that is behind the history is rolled forward", () => {
    const store = rolled();
    const old = filesIn(store.dir)["hook.json"] ?? "";
    apply(store, checkpoint("c6"));
    const hook = apply(store, checkpoint("c7"));
    writeFileSync(hookPath(store), old, "latin1");
    expect(store.read()).toEqual(hook);
    expect(openTwice(store)).toEqual({ hook, source: "rolled-forward", problems: [] });
  });

  // SPEC.md, statements 11.
  test("that is damaged is quarantined, and the one before it rolled forward", () => {
    const store = rolled();
    const hook = apply(store, checkpoint("c6"));
    writeFileSync(hookPath(store), "{}");
    const opened = openTwice(store);
    expect(opened).toMatchObject({
      hook,
      source: "previous",
      problems: [{ code: "damaged_hook" }],
    });
    const aside = readdirSync(store.dir).filter((name) => name.includes(".damaged-"));
    expect(aside.map((name) => readFileSync(join(store.dir, name), "utf8"))).toEqual(["{}"]);
  });

  test("that is gone with all its generations is made again from the history alone", () => {
    const store = rolled();
    const hook = apply(store, checkpoint("c6"));
    for (const name of readdirSync(store.dir)) {
      if (name.startsWith("hook.json")) rmSync(join(store.dir, name));
    }
    expect(openTwice(store)).toEqual({ hook, source: "rolled-forward", problems: [] });
  });

  test("that somebody has changed is not believed, though its SHA-256 is right", () => {
    const store = rolled();
    const hook = apply(store, checkpoint("c6"));
    writeFileSync(hookPath(store), encodeHookFile({ ...hook, title: "another" }));
    const opened = openTwice(store);
    expect(opened).toMatchObject({ hook, problems: [{ code: "damaged_hook" }] });
  });

  test("of a later version is left alone, and no older one takes its place", () => {
    const store = rolled();
    const body = readFileSync(hookPath(store), "utf8")
      .replace('"version": "1.0"', '"version": "1.1"')
      .replace(/,\n {2}"sha256".*$/s, "");
    writeFileSync(hookPath(store), `${body},\n  "sha256": "${hash("sha256", body)}"\n}\n`);
    const before = filesIn(store.dir);
    for (const act of [() => store.open(), () => store.read(), () => apply(store, ready)]) {
      expect(act).toThrow(expect.objectContaining({ code: "ERR_INCOMPATIBLE_VERSION" }));
    }
    expect(filesIn(store.dir)).toEqual({ ...before, "hook.lock": "" });
  });

  test.for([
    ["a link", (path: string) => symlinkSync("/etc/passwd", path)],
    ["a FIFO", (path: string) => execFileSync("mkfifo", [path])],
  ] as const)("that is %s is not followed", ([, plant]) => {
    const store = rolled();
    const hook = apply(store, checkpoint("c6"));
    rmSync(hookPath(store));
    plant(hookPath(store));
    expect(openTwice(store)).toMatchObject({ hook, problems: [{ code: "damaged_hook" }] });
    expect(lstatSync(hookPath(store)).isFile()).toBe(true);
  });
});

describe("the history", () => {
  test("that ends in a torn record loses only that, which was never acknowledged", () => {
    const store = rolled();
    const hook = apply(store, checkpoint("c6"));
    writeFileSync(newestOf(store), '{"seq":9,"prev":"', { flag: "a" });
    expect(store.read()).toEqual(hook);
    expect(openTwice(store)).toEqual({
      hook,
      source: "current",
      problems: [expect.objectContaining({ code: "torn_history" })],
    });
    expect([...store.history()]).toHaveLength(hook.counts.events);
  });

  const lastLine = /[^\n]*\n$/;
  test.for([
    [
      "lacks its last record",
      (path: string) => rewrite(path, (text) => text.replace(lastLine, "")),
    ],
    [
      "has another last record",
      (path: string) => rewrite(path, (text) => text.replaceAll('"c6"', '"c9"')),
    ],
    [
      "has a torn record where hook.json has one",
      (path: string) => rewrite(path, (text) => text.slice(0, -9)),
    ],
    [
      "has another record before its last",
      (path: string) => rewrite(path, (text) => text.replaceAll('"c5"', '"c9"')),
    ],
    ["is gone", (path: string) => rmSync(path)],
    [
      "is a link",
      (path: string) => {
        renameSync(path, `${path}.x`);
        symlinkSync(`${path}.x`, path);
      },
    ],
  ] as const)("that %s puts a person in charge, and nothing is lost of hook.json", ([, spoil]) => {
    const store = rolled();
    const hook = apply(store, checkpoint("c6"));
    spoil(newestOf(store));
    expect(store.read()).toEqual(hook);
    const opened = openTwice(store);
    expect(opened?.problems.at(-1)).toMatchObject({ code: "damaged_history" });
    expect(opened?.hook).toMatchObject({
      state: "awaiting_human",
      awaiting: { kind: "interrupted", reason: opened?.problems.at(-1)?.message },
      recovery: { lastKnownState: "step_running", lastCheckpointId: "c6" },
      revision: hook.revision + 1,
      checkpoints: hook.checkpoints,
    });
    expect(opened?.hook.history.slice(0, -2)).toEqual(hook.history);
    // The task continues from there, in a file of its own, and all that is left can be read.
    expect(apply(store, { type: "retry_step" }).state).toBe("step_pending");
    expect(store.open()?.problems).toEqual([]);
    const triggers = [...store.history()].map(({ event }) => event.trigger);
    expect(triggers.slice(-3)).toEqual(["crash_detected", "manual_required", "retry_step"]);
  });

  test("that has another record after what hook.json says is not rolled forward from", () => {
    const store = rolled();
    const old = filesIn(store.dir)["hook.json"] ?? "";
    const before = store.read();
    apply(store, checkpoint("c6"));
    writeFileSync(hookPath(store), old, "latin1");
    rewrite(newestOf(store), (text) => text.replaceAll('"c6"', '"c9"'));
    const opened = openTwice(store);
    expect(opened?.problems).toMatchObject([{ code: "damaged_history" }]);
    expect(opened?.hook.checkpoints).toEqual(before?.checkpoints);
    expect(opened?.hook.state).toBe("awaiting_human");
  });

  test("that has a file of another task is not rolled forward from", () => {
    const store = rolled();
    const before = store.read();
    const other = rolled();
    const number = Number.parseInt(basename(newestOf(store)), 10);
    const next = join(store.dir, "history", `${number + 1}.jsonl`);
    copyFileSync(newestOf(other), next);
    const opened = openTwice(store);
    expect(opened?.problems).toMatchObject([
      { message: `${number + 1}.jsonl does not continue the file before it` },
    ]);
    expect(opened?.hook.checkpoints).toEqual(before?.checkpoints);
  });

  test("whose newest record a later version wrote is left alone", () => {
    const store = rolled();
    const old = filesIn(store.dir)["hook.json"] ?? "";
    apply(store, checkpoint("c6"));
    writeFileSync(hookPath(store), old, "latin1");
    rewrite(newestOf(store), (text) =>
      text.replace(lastLine, (line) => {
        const { seq, prev, data } = JSON.parse(line) as Record<string, Record<string, unknown>>;
        const position = { ...(data?.["position"] as object), version: "1.1" };
        const body = { ...omit(data ?? {}, "sha256"), position };
        const sealed = { sha256: hash("sha256", JSON.stringify(body)), ...body };
        return `${JSON.stringify({ seq, prev, data: sealed })}\n`;
      }),
    );
    const before = filesIn(store.dir);
    const incompatible = expect.objectContaining({ code: "ERR_INCOMPATIBLE_VERSION" });
    expect(() => store.open()).toThrow(incompatible);
    expect(() => apply(store, checkpoint("c7"))).toThrow(incompatible);
    expect(filesIn(store.dir)).toEqual({ ...before, "hook.lock": "" });
  });

  test("that is damaged under a task that is over leaves it over", () => {
    const store = rolled();
    const hook = apply(store, { type: "abandon" });
    rmSync(newestOf(store));
    const opened = openTwice(store);
    expect(opened?.problems).toMatchObject([{ code: "damaged_history" }]);
    expect(opened?.hook).toMatchObject({ state: "abandoned", history: hook.history });
  });

  test("that is damaged in an old file is told by whoever reads all of it", () => {
    const store = rolled();
    rewrite(join(store.dir, "history", "2.jsonl"), (text) => text.replaceAll("fix/", "fox/"));
    expect(store.open()).toMatchObject({ source: "current", problems: [] });
    const act = (): unknown => [...store.history()];
    expect(act).toThrow(expect.objectContaining({ code: "ERR_DAMAGED" }));
    expect(act).toThrow("2.jsonl");
  });

  test("that ends before what hook.json says is told by whoever reads all of it", () => {
    const store = rolled();
    apply(store, checkpoint("c6"));
    rewrite(newestOf(store), (text) => text.replace(lastLine, ""));
    expect(() => [...store.history()]).toThrow("the history ends before it");
  });

  test("of which an old file is gone is told by whoever reads all of it", () => {
    const store = rolled();
    rmSync(join(store.dir, "history", "2.jsonl"));
    expect(() => [...store.history()]).toThrow("3.jsonl does not continue the file before it");
  });

  test("that is damaged where hook.json is lost too goes as far as it can be believed", () => {
    const store = rolled();
    apply(store, checkpoint("c6"));
    for (const name of readdirSync(store.dir)) {
      if (name.startsWith("hook.json")) rmSync(join(store.dir, name));
    }
    rewrite(newestOf(store), (text) => `${text}{}\n{}\n`);
    expect(openTwice(store)?.hook.state).toBe("awaiting_human");
  });
});

test("where nothing that is left says where the task is, there is an error, and no file is touched", () => {
  const store = rolled();
  store.open();
  for (const name of Object.keys(filesIn(store.dir))) {
    if (name !== "hook.lock") writeFileSync(join(store.dir, name), "spoilt\nspoilt\n");
  }
  const before = filesIn(store.dir);
  for (const act of [() => store.open(), () => store.read(), () => store.create(aTask())]) {
    expect(act).toThrow(expect.objectContaining({ code: "ERR_DAMAGED" }));
  }
  expect(filesIn(store.dir)).toEqual(before);
});

// SPEC.md, statements 26.
test.for([
  ["stale", (path: string) => writeFileSync(path, "old")],
  ["gone", (path: string) => rmSync(path)],
  [
    "a link",
    (path: string) => {
      rmSync(path);
      symlinkSync("/etc/passwd", path);
    },
  ],
] as const)("a HOOK.md that is %s is written again", ([, spoil]) => {
  const store = rolled();
  const path = join(store.dir, "HOOK.md");
  const before = readFileSync(path, "utf8");
  spoil(path);
  openTwice(store);
  expect(lstatSync(path).isFile()).toBe(true);
  expect(readFileSync(path, "utf8")).toBe(before);
});

test("a folder at HOOK.md's place is quarantined, and keeps no change from being made", () => {
  const store = aStore();
  store.create(aTask());
  const path = join(store.dir, "HOOK.md");
  const plant = (): void => {
    rmSync(path);
    mkdirSync(path);
    writeFileSync(join(path, "theirs"), "bytes");
  };
  plant();
  openTwice(store);
  plant();
  expect(apply(store, ready).state).toBe("step_pending");
  expect(readFileSync(path, "utf8")).toContain("step_pending");
  const aside = readdirSync(store.dir).filter((name) => name.startsWith("HOOK.md.damaged-"));
  expect(aside).toHaveLength(2);
  for (const name of aside) {
    expect(readFileSync(join(store.dir, name, "theirs"), "utf8")).toBe("bytes");
  }
});

test("verdicts that cannot be had keep no task from being opened or changed", () => {
  const dir = aFolder();
  const verdicts = (): never => {
    throw new Error("the key has an unsafe mode");
  };
  const store = aStore({ dir, verdicts });
  store.create(aTask());
  expect(openTwice(store)?.problems).toEqual([]);
  apply(store, ready);
  apply(store, start);
  apply(store, {
    type: "attempt_failed",
    reason: "red",
    receipts: [aReceipt({ stepName: "implement" })],
  });
  expect(readFileSync(join(dir, "HOOK.md"), "utf8")).toContain("Signature: not verified here");
});

test("HOOK.md is of a task that was repaired by an update, though the update changes nothing", () => {
  const store = aStore();
  store.create(aTask());
  rewrite(join(store.dir, "history", "1.jsonl"), (text) => text.replace("fix/null", "fix/void"));
  expect(store.update(() => undefined).state).toBe("awaiting_human");
  expect(readFileSync(join(store.dir, "HOOK.md"), "utf8")).toContain("awaiting_human");
});

describe("modes", () => {
  const umask = process.umask();
  afterEach(() => void process.umask(umask));

  // SPEC.md, statements 233, 234, 235.
  test.for([0o000, 0o022, 0o077, 0o177, 0o777])(
    "hook.json and HOOK.md are 0644, folders 0700, all else 0600, under umask %o",
    (mask) => {
      const root = aFolder();
      mkdirSync(root);
      const dir = join(root, "tasks", "t1");
      process.umask(mask);
      const store = createHookFileStore({ dir, now });
      store.create(aTask());
      apply(store, ready);
      const modeOf = (name: string): string =>
        (lstatSync(join(root, name)).mode & 0o777).toString(8);
      const names = readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted();
      expect(Object.fromEntries(names.map((name) => [name, modeOf(name)]))).toEqual({
        tasks: "700",
        "tasks/t1": "700",
        "tasks/t1/HOOK.md": "644",
        "tasks/t1/history": "700",
        "tasks/t1/history/1.jsonl": "600",
        "tasks/t1/hook.json": "644",
        "tasks/t1/hook.json.1.prev": "644",
        "tasks/t1/hook.json.2.prev": "644",
        "tasks/t1/hook.lock": (0o600 & ~mask).toString(8),
      });
      process.umask(0o022);
      for (const name of names) chmodSync(join(root, name), 0o700);
    },
  );
});

test("a store waits for the lock, and says when it was not let in", () => {
  const store = aStore({ lockTimeoutMs: 40 });
  store.create(aTask());
  const lock = acquireLock(join(store.dir, "hook.lock"));
  expect(() => store.open()).toThrow(expect.objectContaining({ code: "ERR_LOCKED" }));
  expect(store.read()).toMatchObject({ revision: 1 });
  lock.release();
  expect(store.open()).toMatchObject({ hook: { revision: 1 } });
});

test("a change after a look is made under the lock that was held for the look, or not at all", async () => {
  const store = createHookFileStore({ dir: aFolder(), now });
  store.create(aTask());
  const other = createHookFileStore({ dir: store.dir, now, lockTimeoutMs: 0 });
  const change = (hook: HookFile) => transition(hook, [ready], { now: now() });
  const refusal = new Error("it is another one");
  const refusing = store.updateAfter(() => Promise.reject(refusal), change);
  await expect(refusing).rejects.toBe(refusal);
  expect(store.read()?.state).toBe("initializing");

  const look = async (): Promise<void> => {
    await Promise.resolve();
    expect(() => other.update(change)).toThrow(expect.objectContaining({ code: "ERR_LOCKED" }));
  };
  expect(await store.updateAfter(look, change)).toMatchObject({ state: "step_pending" });
  expect(other.read()?.revision).toBe(2);
});

test("whatever call of the disk fails, the change is there whole or not, and the next one is made", () => {
  let calls = 0;
  for (let at = 0; ; at += 1) {
    const dir = aFolder();
    const clean = createHookFiles({ dir, now });
    clean.makeFolder();
    clean.create(aTask());
    const fs = failing(nodeFileSystem, { at, errno: "ENOSPC" });
    const files = createHookFiles({ dir, now, fs });
    let error: unknown;
    try {
      apply(files, ready);
    } catch (caught) {
      error = caught;
    }
    const opened = clean.open();
    const isThere = opened?.hook.state === "step_pending";
    if (error === undefined) expect(isThere).toBe(true);
    expect(opened?.problems.filter(({ code }) => code !== "torn_history")).toEqual([]);
    expect([...clean.records()]).toHaveLength(isThere ? 2 : 1);
    if (!isThere) apply(clean, ready);
    expect(apply(clean, start).state).toBe("step_running");
    if (error === undefined && fs.calls.length <= at) break;
    calls = at;
  }
  expect(calls).toBeGreaterThan(40);
});

function rewrite(path: string, change: (text: string) => string): void {
  const text = readFileSync(path, "latin1");
  const changed = change(text);
  expect(changed).not.toBe(text);
  writeFileSync(path, changed, "latin1");
}
