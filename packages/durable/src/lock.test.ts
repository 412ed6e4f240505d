import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { nodeFileSystem } from "./file-system.ts";
import { isLocked } from "./lock-file.ts";
import { acquireLock, type Lock } from "./lock.ts";
import { lockHolder } from "./lock-holders.ts";
import { currentProcess, type ProcessIdentity, identityOf } from "@quasar/process";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "durable-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("excludes a second holder, who learns of the first, until it is released", () => {
  const path = join(dir, "lock");
  const lock = acquireLock(path);
  const second = () => acquireLock(path);
  const owner = currentProcess();
  expect(second).toThrow(expect.objectContaining({ code: "ERR_LOCKED", owner }));
  expect(readdirSync(dir).toSorted()).toEqual(["lock", "lock.owner.json"]);
  expect(lockHolder(path)).toEqual(owner);
  lock.release();
  lock.release();
  expect(lockHolder(path)).toBeUndefined();
  second().release();
  expect(readdirSync(dir)).toEqual(["lock"]);
});

describe("whose folder is removed while it is opened", () => {
  /** Has something done just before each time that SQLite opens a file. */
  function beforeOpening(act: (times: number) => void): void {
    const sqlite = process.getBuiltinModule("node:sqlite");
    let times = 0;
    class Removed extends sqlite.DatabaseSync {
      constructor(path: string) {
        act((times += 1));
        super(path);
      }
    }
    vi.spyOn(process, "getBuiltinModule").mockReturnValue({ ...sqlite, DatabaseSync: Removed });
    onTestFinished(() => void vi.restoreAllMocks());
  }

  test("is missing", () => {
    const folder = join(dir, "folder");
    beforeOpening(() => rmSync(folder, { recursive: true, force: true }));
    const take = () => acquireLock(join(folder, "lock"));
    expect(take).toThrow(expect.objectContaining({ code: "ENOENT" }));
  });

  test("is taken if it has come back", () => {
    const path = join(dir, "lock");
    beforeOpening((times) => {
      if (times === 1) throw new Error("unable to open database file");
    });
    const lock = acquireLock(path);
    expect(() => acquireLock(path)).toThrow(expect.objectContaining({ code: "ERR_LOCKED" }));
    lock.release();
  });
});

test("is waited for as long as is asked, and no longer", async () => {
  const path = join(dir, "lock");
  const script = `
    import { acquireLock } from ${JSON.stringify(new URL("index.ts", import.meta.url).href)};
    acquireLock(${JSON.stringify(path)});
    console.log("held");
    process.stdin.once("data", () => setTimeout(() => process.exit(), 300));
  `;
  const holder = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", script]);
  await once(holder.stdout, "data");
  const begun = performance.now();
  const waitFor = (waitMs: number) => acquireLock(path, { waitMs });
  expect(() => waitFor(50)).toThrow(expect.objectContaining({ code: "ERR_LOCKED" }));
  expect(performance.now() - begun).toBeGreaterThanOrEqual(50);
  await new Promise((resolve) => holder.stdin.write("release", resolve));
  waitFor(60_000).release();
});

test("is held even if the caller keeps no reference to it", async () => {
  const path = join(dir, "lock");
  const { pid } = acquireLock(path).owner;
  setFlagsFromString("--expose-gc");
  runInNewContext("gc()");
  await new Promise(setImmediate);
  expect(() => acquireLock(path)).toThrow(
    expect.objectContaining({ owner: expect.objectContaining({ pid }) as unknown }),
  );
});

test.for([
  ["a link", "ERR_NOT_REGULAR", (path: string) => symlinkSync(join(dir, "victim"), path)],
  ["a folder", "ERR_NOT_REGULAR", (path: string) => mkdirSync(path)],
  ["a file with something in it", "ERR_DAMAGED", (path: string) => writeFileSync(path, "x")],
] as const)("refuses %s where the lock should be, with %s", ([, code, plant]) => {
  const path = join(dir, "lock");
  plant(path);
  expect(() => acquireLock(path)).toThrow(expect.objectContaining({ code }));
});

test("does not name the holder before, if it has died", () => {
  const path = join(dir, "lock");
  const lock = acquireLock(path, { owner: { ...currentProcess(), bootId: "another" } });
  expect(() => acquireLock(path)).toThrow(
    expect.objectContaining({ code: "ERR_LOCKED", owner: undefined }),
  );
  lock.release();
});

describe.for<[string, (path: string) => void]>([
  ["a folder", (path) => mkdirSync(path)],
  ["a link", (path) => symlinkSync(join(dir, "victim"), path)],
  ["too long", (path) => writeFileSync(path, "x".repeat(5000))],
  ["no JSON", (path) => writeFileSync(path, "{")],
])("an owner's description that is %s", ([, plant]) => {
  test("leaves a held lock held, by an unknown owner", () => {
    const path = join(dir, "lock");
    const lock = acquireLock(path);
    rmSync(`${path}.owner.json`);
    plant(`${path}.owner.json`);
    const held = expect.objectContaining({ code: "ERR_LOCKED", owner: undefined }) as unknown;
    expect(() => acquireLock(path)).toThrow(held);
    lock.release();
    acquireLock(path).release();
  });

  test("does not keep a free lock from being taken, once", () => {
    const path = join(dir, "lock");
    plant(`${path}.owner.json`);
    const lock = acquireLock(path);
    expect(() => acquireLock(path)).toThrow(expect.objectContaining({ code: "ERR_LOCKED" }));
    lock.release();
    expect(readdirSync(dir)).not.toContain("victim");
  });
});

describe("whose file is removed while it is held", () => {
  /** Has a lock of this process, from which another process may take it. */
  function heldLock(): { readonly path: string; readonly lock: Lock } {
    const path = join(dir, "lock");
    const lock = acquireLock(path);
    onTestFinished(() => lock.release());
    expect(lock.isCurrent()).toBe(true);
    return { path, lock };
  }

  /** Runs a program to its end, which says whether it got the lock. */
  function inAnotherProcess(path: string, then = ""): string {
    const script = `
      import { acquireLock } from ${JSON.stringify(new URL("index.ts", import.meta.url).href)};
      try {
        const lock = acquireLock(${JSON.stringify(path)});
        ${then}
        console.log("taken");
      } catch (error) { console.log(error.code, error.owner?.pid); }
    `;
    const args = ["--no-warnings", "--input-type=module", "-e", script];
    return spawnSync(process.execPath, args, { encoding: "utf8" }).stdout.trim();
  }

  const removals: readonly (readonly [string, (path: string) => void])[] = [
    ["alone", (path) => rmSync(path)],
    ["and made anew", (path) => (rmSync(path), writeFileSync(path, ""))],
    ["with its description", (path) => (rmSync(path), rmSync(`${path}.owner.json`))],
    ["with its folder", () => rmSync(dir, { recursive: true })],
  ];

  test.for(removals)("%s, says so, and is retaken at once", ([, remove]) => {
    const { path, lock } = heldLock();
    remove(path);
    expect(lock.isCurrent()).toBe(false);
    expect(lock.retake()).toBe(true);
    expect(lock.isCurrent()).toBe(true);
    expect(inAnotherProcess(path)).toBe(`ERR_LOCKED ${process.pid}`);
  });

  /** Where the kernel does not name its locks, the description is all that there is. */
  const seen = removals.filter(([how]) => existsSync("/proc/locks") || !how.startsWith("with "));

  test.for(seen)("%s, is refused to another process, and retaken after it", ([, remove]) => {
    const { path, lock } = heldLock();
    remove(path);
    expect(inAnotherProcess(path)).toBe(`ERR_LOCKED ${process.pid}`);
    expect(inAnotherProcess(path)).toBe(`ERR_LOCKED ${process.pid}`);
    expect(lockHolder(path)?.pid).toBe(process.pid);
    expect(lock.retake()).toBe(true);
  });

  /** Another process that drove meanwhile, and could not see that this one lives. */
  function displace(path: string): DatabaseSync {
    rmSync(path);
    rmSync(`${path}.owner.json`, { force: true });
    writeFileSync(path, "");
    const database = new DatabaseSync(path);
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return database;
  }

  test("is not retaken from who has it, nor after that one", () => {
    const { path, lock } = heldLock();
    const other = displace(path);
    expect(lock.isCurrent()).toBe(false);
    expect(lock.retake()).toBe(false);
    other.close();
    expect(lock.retake()).toBe(false);
  });

  test("is not retaken where another process is described, though it has gone", () => {
    const { path, lock } = heldLock();
    displace(path).close();
    const gone = { ...currentProcess(), pid: 2 ** 22 + 1 };
    writeFileSync(`${path}.owner.json`, JSON.stringify(gone));
    rmSync(path);
    expect(lock.retake()).toBe(false);
  });

  test("leaves the description of another holder alone when it is released", () => {
    const { path, lock } = heldLock();
    displace(path);
    const description = JSON.stringify({ ...currentProcess(), pid: 1 });
    writeFileSync(`${path}.owner.json`, description);
    lock.release();
    expect(readFileSync(`${path}.owner.json`, "utf8")).toBe(description);
    expect(lock.isCurrent()).toBe(false);
    expect(lock.retake()).toBe(false);
  });

  test.for(removals)(
    "%s, and is then released, is free and leaves no description",
    ([, remove]) => {
      const { path, lock } = heldLock();
      remove(path);
      inAnotherProcess(path);
      lock.release();
      expect(existsSync(`${path}.owner.json`)).toBe(false);
      expect(inAnotherProcess(path)).toBe("taken");
    },
  );

  test("is taken again in the same process, whose description stays when the first is released", () => {
    const { path, lock } = heldLock();
    rmSync(path);
    const second = acquireLock(path);
    lock.release();
    expect(lockHolder(path)).toEqual(currentProcess());
    second.release();
    expect(lockHolder(path)).toBeUndefined();
  });

  test.runIf(existsSync("/proc/locks"))(
    "is refused to another process where the holder could not describe itself, and an earlier one did",
    () => {
      const path = join(dir, "lock");
      expect(inAnotherProcess(path, "process.kill(process.pid, 'SIGKILL')")).toBe("");
      expect(existsSync(`${path}.owner.json`)).toBe(true);
      const rename = vi.spyOn(nodeFileSystem, "rename").mockImplementation(() => {
        throw Object.assign(new Error("full"), { code: "ENOSPC" });
      });
      const lock = acquireLock(path);
      rename.mockRestore();
      onTestFinished(() => lock.release());
      rmSync(path);
      expect(inAnotherProcess(path)).toBe(`ERR_LOCKED ${process.pid}`);
    },
  );

  test("is free once its holder has ended", () => {
    const path = join(dir, "lock");
    const remove = `const { rmSync } = await import("node:fs"); rmSync(lock.path);`;
    expect(inAnotherProcess(path, remove)).toBe("taken");
    acquireLock(path).release();
  });
});

test("has no holder where the one of an earlier boot, under another name of the machine, is described", () => {
  const path = join(dir, "lock");
  const owner = { ...currentProcess(), bootId: "another", host: "another.example" };
  const lock = acquireLock(path, { owner });
  const description = readFileSync(`${path}.owner.json`);
  lock.release();
  writeFileSync(`${path}.owner.json`, description);
  expect(lockHolder(path)).toBeUndefined();
});

test("is seen to be held, and by whom not, without being taken", () => {
  const path = join(dir, "lock");
  expect(isLocked(path)).toBe(false);
  expect(existsSync(path)).toBe(false);
  const lock = acquireLock(path);
  const ask = `const { isLocked } = await import(${JSON.stringify(import.meta.resolve("./lock-file.ts"))});
    process.stdout.write(String(isLocked(${JSON.stringify(path)})));`;
  const asked = (): string =>
    spawnSync(process.execPath, ["--conditions=@quasar/source", "--input-type=module", "-e", ask], {
      encoding: "utf8",
    }).stdout;
  expect(asked()).toBe("true");
  lock.release();
  expect(asked()).toBe("false");
  expect(isLocked(path)).toBe(false);
});

test("does not belong to the holder of the one whose folder was copied", () => {
  const path = join(dir, "lock");
  const lock = acquireLock(path);
  const copy = join(dir, "copy");
  mkdirSync(copy);
  const description = JSON.parse(readFileSync(`${path}.owner.json`, "utf8")) as object;
  const other = { ...description, pid: process.ppid, ...startOf(process.ppid) };
  writeFileSync(join(copy, "lock.owner.json"), JSON.stringify(other));
  const copied = join(copy, "lock");
  const taken = acquireLock(copied);
  expect(lockHolder(copied)).toEqual(currentProcess());
  taken.release();
  lock.release();
});

function startOf(pid: number): Pick<ProcessIdentity, "startTime"> {
  return { startTime: identityOf(pid).startTime };
}
