import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";

let path: string;
beforeEach(() => {
  const dir = mkdtempSync(join(tmpdir(), "durable-lock-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  path = join(dir, "lock");
});

/** What is thrown in a process whose SQLite cannot open or lock a file. */
function thrown(errcode: number, where: "constructor" | "exec", first = ""): object {
  const fail = `${first}
    throw Object.assign(new Error("SQLite's words"), { errcode: ${errcode}, code: "ERR_SQLITE_ERROR" });`;
  const script = `
    import { closeSync, openSync } from "node:fs";
    class DatabaseSync {
      constructor() { ${where === "constructor" ? fail : ""} }
      exec() { ${where === "exec" ? fail : ""} }
      close() {}
    }
    const { getBuiltinModule } = process;
    process.getBuiltinModule = (name) => name === "node:sqlite" ? { DatabaseSync } : getBuiltinModule(name);
    const { acquireLock } = await import(${JSON.stringify(new URL("lock.ts", import.meta.url).href)});
    try {
      acquireLock(${JSON.stringify(path)});
    } catch ({ message, code, syscall, path }) {
      console.log(JSON.stringify({ message, code, syscall, path }));
    }`;
  const node = [process.execPath, "--conditions=@quasar/source", "--no-warnings"];
  const args = [...node, "--input-type=module", "-e", script];
  const ran = spawnSync("/bin/sh", ["-c", 'ulimit -n 64; exec "$@"', "sh", ...args]);
  return JSON.parse(
    ran.stdout.toString() || JSON.stringify({ message: ran.stderr.toString() }),
  ) as object;
}

const IOERR_LOCK = 10 + 256 * 15;

test.for([
  [IOERR_LOCK, "EIO", "i/o error"],
  [11, "EIO", "i/o error"],
  [26, "EIO", "i/o error"],
  [8, "EROFS", "read-only file system"],
  [13, "ENOSPC", "no space left on device"],
] as const)("SQLite's result %i of a lock is %s", ([errcode, code, words]) => {
  const message = `${code}: ${words}, lock '${path}'`;
  expect(thrown(errcode, "exec")).toEqual({ message, code, syscall: "lock", path });
});

const CANTOPEN = 14;

test("a lock that SQLite cannot open for want of descriptors says so, and else names its path", () => {
  const exhaust = `try { for (;;) openSync("/dev/null"); } catch {}`;
  const place = { syscall: "lock", path };
  expect(thrown(CANTOPEN, "constructor", exhaust)).toEqual({
    ...{ message: `EMFILE: too many open files, lock '${path}'`, code: "EMFILE" },
    ...place,
  });
  expect(thrown(CANTOPEN, "constructor")).toEqual({
    ...{ message: "SQLite's words", code: "ERR_SQLITE_ERROR" },
    ...place,
  });
});
