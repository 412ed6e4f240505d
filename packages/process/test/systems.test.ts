import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type EndedProcesses, type Mark, type ProcessIdentity, sendSignal } from "../src/index.ts";

const TELL = fileURLToPath(new URL("tell.ts", import.meta.url));
const SYSTEMS = {
  linux: [],
  darwin: ["--import", import.meta.resolve("@quasar/vitest/darwin")],
} as const;

const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0)) sendSignal(-pid, "SIGKILL");
});

let marks = 0;
let mark: Mark;
beforeEach(() => {
  mark = { name: "QUASAR_RUN_ID", value: `systems-${process.pid}-${(marks += 1)}-end` };
});

/** In a group of its own. */
async function start(file: string, args: readonly string[], env = process.env): Promise<Started> {
  const child = spawn(file, args, { env, detached: true });
  started.push(child.pid ?? 0);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { pid: child.pid ?? 0, line: line.toString() };
}

interface Started {
  readonly pid: number;
  readonly line: string;
}

/** A Node that carries the mark and has started a shell, which has started a program. */
async function aFamily(): Promise<Started> {
  const program = `
    const { spawn } = require("node:child_process");
    const stdio = ["ignore", "inherit", "ignore"];
    spawn("/bin/sh", ["-c", "sleep 60 & echo up; wait"], { stdio });
    setInterval(() => {}, 1000);
  `;
  return start(process.execPath, ["-e", program], { ...process.env, [mark.name]: mark.value });
}

describe.for(["linux", "darwin"] as const)("on %s", (name) => {
  function tell(what: string, argument: unknown, env: NodeJS.ProcessEnv = {}): unknown {
    const args = ["--no-warnings", ...SYSTEMS[name], TELL, what, JSON.stringify(argument)];
    const text = execFileSync(process.execPath, args, { env: { ...process.env, ...env } });
    return JSON.parse(text.toString());
  }

  test("a file system is said to be flushed only where that is waited for", () => {
    expect(tell("syncFileSystem", "/")).toBe(name === "linux" && process.platform === "linux");
    expect(tell("syncFileSystem", "/nowhere/at/all"), "it fails").toBe(false);
  });

  test("how many files a process may have open is the limit that it was started with", () => {
    const node = ["--no-warnings", ...SYSTEMS[name], TELL, "openFilesLimit"];
    const args = ["-c", 'ulimit -n 321; exec "$@"', "sh", process.execPath, ...node];
    expect(execFileSync("/bin/sh", args).toString()).toBe("321");
  });

  test("a process is the same one whenever it is checked, and another one is not", async () => {
    const { pid } = await aFamily();
    const identity = tell("identityOf", pid) as ProcessIdentity;
    expect(identity).toMatchObject({ pid, startTime: expect.any(Number) });
    expect(identity.bootId).toMatch(/\S/u);
    expect(tell("isAlive", identity)).toBe(true);
    expect(tell("isAlive", { ...identity, host: "before.example" })).toBe(true);
    expect(tell("isAlive", { ...identity, startTime: (identity.startTime ?? 0) - 1 })).toBe(false);
    expect(tell("isAlive", { ...identity, bootId: "another", host: "b.example" })).toBeNull();
  });

  test("a process that has ended is gone, also while its parent has not taken note", async () => {
    const { line } = await start("/bin/sh", ["-c", "sleep 0.5 & echo $!; exec sleep 60"]);
    const identity = tell("identityOf", Number(line));
    await expect.poll(() => tell("isAlive", identity)).toBe(false);
  });

  test("what carries a mark is found with what it has started, and ended", async () => {
    const { pid } = await aFamily();
    const found = tell("findMarked", mark) as readonly number[];
    expect(found).toHaveLength(3);
    expect(found).toContain(pid);
    expect(tell("findMarked", { ...mark, value: mark.value.slice(0, -"-end".length) })).toEqual([]);
    const { ended, left } = tell("endMarked", mark) as EndedProcesses;
    expect(left).toEqual([]);
    expect(new Set(ended)).toEqual(new Set(found));
  });

  test("the folders of processes are known, but for one that has gone", async () => {
    const dir = mkdtempSync(join(realpathSync(tmpdir()), "quasar folders \\x41 ü-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const { pid } = await start("/bin/sh", ["-c", 'cd "$0" && echo up && exec sleep 60', dir]);
    expect(tell("findWorkingFolders", [2 ** 22 + 9, pid, 1])).toContainEqual([pid, dir]);
    expect(tell("findWorkingFolders", [])).toEqual([]);
  });

  test("a process that carries the mark itself finds no other in what it asks", () => {
    expect(tell("findMarked", mark, { [mark.name]: mark.value })).toEqual([]);
  });
});

test.for([
  ["ps", "findMarked", () => mark],
  ["lsof", "findWorkingFolders", () => [process.pid]],
] as const)("on darwin, where %s fails, nobody can know", ([program, what, argument]) => {
  const args = ["--no-warnings", ...SYSTEMS.darwin, TELL, what, JSON.stringify(argument())];
  const env = { ...process.env, DARWIN_BROKEN: program };
  expect(execFileSync(process.execPath, args, { env }).toString()).toBe("null");
});
