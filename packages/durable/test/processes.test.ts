import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text as textOf } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { byLane } from "@quasar/vitest/lane";
import { afterEach, beforeEach, expect, test } from "vitest";
import { acquireLock, loadFile, recoverDirectory, replaceFile } from "../src/index.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "durable-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const child = (name: string): string => join(import.meta.dirname, "children", `${name}.ts`);

function startChild(name: string, ...args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [child(name), ...args]);
}

const EIGHT = Array.from({ length: 8 }, (_, index) => index);

test("of 8 processes that create a file at once, one does, and all read its bytes", async () => {
  for (let round = 0; round < 5; round += 1) {
    const path = join(dir, `key-${round}`);
    const children = EIGHT.map((number) => startChild("create-once", path, `key-${number}`));
    const lines = children.map((each) => createInterface(each.stdout)[Symbol.asyncIterator]());
    await Promise.all(lines.map((each) => each.next()));
    for (const each of children) each.stdin.write("go");
    const answers = await Promise.all(lines.map((each) => each.next()));
    const [created, found] = [1, 2].map((part) =>
      answers.map(({ value }) => value?.split(" ")[part - 1]),
    );
    expect(created?.filter((word) => word === "created")).toHaveLength(1);
    expect(new Set(found).size).toBe(1);
    expect(readdirSync(dir).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  }
});

test("of 8 processes that are killed at random, no two have the lock at once", async () => {
  const path = join(dir, "lock");
  const log = join(dir, "log");
  const leastSeconds = byLane({ fast: 1, whole: 3, long: 60 });
  writeFileSync(log, "");
  const start = performance.now();
  const complaints: string[] = [];
  let kills = 0;
  const linesOfLog = (): readonly string[] => readFileSync(log, "utf8").split("\n");
  const isEnough = (): boolean =>
    performance.now() - start > leastSeconds * 1000 && kills > 10 && judge(linesOfLog()).holds > 30;
  const contend = async (): Promise<void> => {
    while (!isEnough()) {
      const contender = startChild("contend", path, log);
      contender.stderr.on("data", (text) => complaints.push(String(text)));
      await once(contender.stdout, "data");
      await delay(Math.random() * 1000);
      if (contender.kill("SIGKILL")) kills += 1;
      await once(contender, "close");
      writeFileSync(log, `x${contender.pid}\n`, { flag: "a" });
    }
  };
  await Promise.all(EIGHT.map(contend));

  expect(judge(linesOfLog()).overlaps).toEqual([]);
  expect(complaints).toEqual([]);
  const lock = acquireLock(path);
  recoverDirectory(dir);
  lock.release();
  expect(readdirSync(dir).toSorted()).toEqual(["lock", "log"]);
});

/** A holder that was killed says nothing when it releases the lock; `x` says that it was. */
function judge(lines: readonly string[]): { holds: number; overlaps: readonly string[] } {
  const killed = new Set(lines.filter((line) => line.startsWith("x")).map((line) => line.slice(1)));
  const overlaps: string[] = [];
  let holder: string | undefined;
  let holds = 0;
  for (const line of lines) {
    const pid = line.slice(1);
    if (line.startsWith("+")) {
      if (holder !== undefined && !killed.has(holder)) overlaps.push(line);
      holder = pid;
      holds += 1;
    } else if (line.startsWith("-")) {
      if (holder !== pid) overlaps.push(line);
      holder = undefined;
    }
  }
  return { holds, overlaps };
}

test("the lock outlives recovery of the folder that it is in", () => {
  const lock = acquireLock(join(dir, "lock"));
  replaceFile(join(dir, "file"), Buffer.from("x"));
  recoverDirectory(dir);
  const contender = `
    import { acquireLock } from ${JSON.stringify(join(import.meta.dirname, "../src/index.ts"))};
    try { acquireLock(process.argv[1]); console.log("acquired"); }
    catch (error) { console.log(error.code, error.owner?.pid); }`;
  const args = ["--input-type=module", "--eval", contender, lock.path];
  const answer = execFileSync(process.execPath, args, { encoding: "utf8" });
  lock.release();
  expect(answer.trim()).toBe(`ERR_LOCKED ${process.pid}`);
});

test("two savers without a lock tear nothing and fail at nothing, nor does a reader", async () => {
  const path = join(dir, "file");
  let reads = 0;
  while (reads < 1000) {
    const savers = ["60000", "61000"].map((size) => startChild("save", path, size, "800"));
    const endings = Promise.all(savers.map((saver) => textOf(saver.stdout)));
    while (savers.some(({ exitCode }) => exitCode === null)) {
      const loaded = loadFile(path, wholeSave, { maxBytes: 61_000 });
      if (loaded !== undefined) reads += 1;
      expect(loaded?.problems ?? []).toEqual([]);
      if (reads % 50 === 0) await delay(1);
    }
    expect(await endings).toEqual(["saved", "saved"]);
  }
});

/** What a child wrote: 60,000 or 61,000 bytes that repeat one number. */
function wholeSave(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("latin1");
  const number = /^(\d+?)\1*$/.exec(text.slice(0, 60))?.[1] ?? "";
  if (![60_000, 61_000].includes(text.length) || !Buffer.alloc(text.length, number).equals(bytes)) {
    throw new Error(`torn: ${text.length} bytes`);
  }
  return number;
}

test("a limit on file sizes never publishes a shortened file", () => {
  const path = join(dir, "file");
  replaceFile(path, Buffer.from("old"));
  const command = `ulimit -f 400; exec "$0" "$@"`; // blocks of 1024 bytes
  const args = ["-c", command, process.execPath, child("save"), path, "700000"];
  expect(execFileSync("bash", args, { encoding: "utf8" })).toBe("EFBIG");
  expect(readFileSync(path, "utf8")).toBe("old");
  expect(readdirSync(dir).toSorted()).toEqual(["file", "file.1.prev"]);
});

const canMount = process.getuid?.() === 0 && process.platform === "linux";

test.runIf(canMount)("a full disk keeps the old file, and leaves nothing of the new one", () => {
  const disk = join(dir, "disk");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=400k", "tmpfs", disk]);
  try {
    const path = join(disk, "file");
    replaceFile(path, Buffer.from("old"));
    const save = (): void => replaceFile(path, Buffer.alloc(700_000));
    const cause: unknown = expect.objectContaining({ code: "ENOSPC" });
    expect(save).toThrow(expect.objectContaining({ code: "ERR_NOT_DURABLE", cause }));
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(disk).toSorted()).toEqual(["file", "file.1.prev"]);
    replaceFile(path, Buffer.from("next"));
    expect(readFileSync(path, "utf8")).toBe("next");
  } finally {
    execFileSync("umount", [disk]);
  }
});
