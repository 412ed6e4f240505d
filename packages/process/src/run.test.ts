import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cgroupToHoldIn } from "@quasar/vitest/cgroup";
import { expect, onTestFinished, test, vi } from "vitest";
import { isAlive, identityOf } from "./identity.ts";
import { canContain, endContained, endMarked } from "./marks.ts";
import { runProgram } from "./run.ts";
import type { NotStarted, ProgramEnd, RunOptions } from "./program.ts";
import { sendSignal } from "./signal.ts";

interface Ran {
  readonly end: ProgramEnd<"enough"> | NotStarted;
  readonly printed: string;
}

/** Runs a line of shell, and keeps what it prints. */
async function shell(line: string, options: RunOptions<"enough"> = {}): Promise<Ran> {
  let printed = "";
  const stdout = (chunk: Buffer): undefined => {
    printed += chunk.toString();
  };
  const env = { PATH: process.env["PATH"], MARK: options.mark?.value };
  const program = { file: "sh", args: ["-c", line], cwd: tmpdir(), env };
  return { end: await runProgram(program, { stdout, ...options }), printed };
}

const isRunning = (pid: string): boolean => isAlive(identityOf(Number(pid))) === true;

/** A background process that prints its id and outlives its shell. */
const LEAVES = "sleep 600 > /dev/null 2>&1 & echo $!";
/** The same in a session of its own; without variables it has no mark. */
const escapes = (env: "process.env" | "{}"): string => `'${process.execPath}' -e '
  const options = { detached: true, stdio: "ignore", env: ${env} };
  const child = require("node:child_process").spawn("sleep", ["600"], options);
  console.log(child.pid);
  child.unref();
'`;

test("tells how a program ended, and that it was not stopped", async () => {
  const { end, printed } = await shell("echo one; exit 3");
  expect(end).toMatchObject({ kind: "ended", exitCode: 3, exitSignal: undefined });
  expect(end).toMatchObject({ stopped: undefined, problem: undefined });
  expect(printed).toBe("one\n");
  expect((await shell("kill -9 $$")).end).toMatchObject({
    exitCode: undefined,
    exitSignal: "SIGKILL",
  });
});

test.for([
  ["a missing program", { file: "no-such-program" }, "ENOENT"],
  ["a missing folder", { cwd: "/no/such/folder" }, "ENOENT"],
  ["arguments that no process can have", { args: ["x".repeat(2 ** 22)] }, "E2BIG"],
  ["a folder that no system can have", { cwd: "/tmp\0" }, "ERR_INVALID_ARG_VALUE"],
] as const)("does not start with %s, with a gate or without", async ([, change, code]) => {
  const program = { file: "sh", args: [], cwd: tmpdir(), env: { PATH: process.env["PATH"] } };
  for (const onSpawn of [undefined, () => {}]) {
    const end = await runProgram({ ...program, ...change }, { onSpawn });
    expect(end).toMatchObject({ kind: "not-started", error: { code } });
  }
});

test("gives the program's id before the program begins", async () => {
  const seen: number[] = [];
  const { printed } = await shell("read -r line; echo $$ $line", {
    input: "said\n",
    onSpawn: (pid) => void seen.push(pid),
  });
  expect(printed).toBe(`${seen[0]} said\n`);
});

test("lets a program that nobody could name do nothing", async () => {
  const bug = new Error("no room for its name");
  const onSpawn = (): never => {
    throw bug;
  };
  let printed = "";
  const stdout = (chunk: Buffer): undefined => {
    printed += chunk.toString();
  };
  await expect(shell("echo begun", { onSpawn, stdout })).rejects.toBe(bug);
  expect(printed).toBe("");
});

test.for([
  ["takes too long", "sleep 600", { timeoutMs: 100 }, "time"],
  ["is silent too long", "echo one; sleep 600", { idleTimeoutMs: 200 }, "idle"],
] as const)("stops one that %s", async ([, line, options, stopped]) => {
  const { end } = await shell(line, options);
  expect(end).toMatchObject({ stopped, exitSignal: "SIGTERM" });
});

test("stops one for a reason of its reader's, and reads its last words", async () => {
  let printed = "";
  const { end } = await shell(
    "trap 'echo bye; exit 7' INT; echo one; while :; do sleep 0.05; done",
    {
      stdout(chunk) {
        printed += chunk.toString();
        return "enough";
      },
      signals: ["SIGINT", "SIGKILL"],
    },
  );
  expect(end).toMatchObject({ stopped: "enough", exitCode: 7 });
  expect(printed).toBe("one\nbye\n");
});

test("stops one that is aborted, and uses force where it does not listen", async () => {
  const abort = new AbortController();
  const { end } = await shell("trap '' TERM; echo ready; while :; do sleep 0.05; done", {
    signal: abort.signal,
    graceMs: 100,
    stdout(): undefined {
      abort.abort();
    },
  });
  expect(end).toMatchObject({ stopped: "aborted", exitSignal: "SIGKILL" });
  const late = await shell("echo never; sleep 600", { signal: AbortSignal.abort() });
  expect(late.end).toMatchObject({ stopped: "aborted" });
});

test("throws what its reader throws, when the program has ended", async () => {
  let pid = "";
  const bug = new Error("a bug of the reader's");
  const reading = shell("echo $$; sleep 600", {
    stdout(chunk) {
      pid = chunk.toString();
      throw bug;
    },
  });
  await expect(reading).rejects.toBe(bug);
  expect(isRunning(pid)).toBe(false);
});

test("ends what a program leaves in its group, unless it may leave it", async () => {
  const { printed } = await shell(LEAVES);
  await expect.poll(() => isRunning(printed)).toBe(false);

  const left = await shell(LEAVES, { group: "left" });
  expect(isRunning(left.printed)).toBe(true);
  process.kill(Number(left.printed));

  const { signal } = abortAfter(300);
  const stopped = await shell(`${LEAVES}; sleep 600`, { group: "left", signal });
  await expect.poll(() => isRunning(stopped.printed)).toBe(false);
});

test("ends what carries its mark in another session, and says so", async () => {
  const mark = { name: "MARK", value: `run-test-${process.pid}` };
  const { end, printed } = await shell(escapes("process.env"), { mark });
  expect(isRunning(printed)).toBe(false);
  expect(end).toMatchObject({ leftovers: { ended: [Number(printed)], left: [] } });
});

/** Where a daemon that has dropped its mark can be held, it is ended; else it lives on. */
const HOLDS = cgroupToHoldIn();

test("knows whether the system can hold what a program starts", async () => {
  expect(await canContain()).toBe(HOLDS !== undefined);
});

test("ends a daemon that has dropped its mark, where the system can hold it", async () => {
  const { printed } = await shell(escapes("{}"));
  onTestFinished(() => sendSignal(Number(printed), "SIGKILL"));
  await expect.poll(() => isRunning(printed)).toBe(HOLDS === undefined);
});

/** Of a runner that was killed while its program sleeps: what its daemon is. Both began in a cgroup that is named. */
async function daemonOfKilled(options: object, cgroup: string | undefined): Promise<string> {
  const [run, line] = [import.meta.resolve("./run.ts"), `${escapes("{}")}; echo up; sleep 600`];
  const program = `
    const { runProgram } = await import(${JSON.stringify(run)});
    const program = { file: "sh", args: ["-c", ${JSON.stringify(line)}], cwd: "/", env: process.env };
    const stdout = (text) => void process.stdout.write(text);
    await runProgram(program, { stdout, ...${JSON.stringify(options)} });
  `;
  const join = cgroup === undefined ? ":" : `echo $$ > ${cgroup}/cgroup.procs`;
  const args = ["-c", `${join} && exec "$@"`, "sh", process.execPath, "--input-type=module", "-e"];
  const runner = spawn("sh", [...args, program], { env: { ...process.env, MARK: MARK.value } });
  let printed = "";
  for await (const chunk of runner.stdout) {
    printed += String(chunk);
    if (printed.includes("up\n")) break;
  }
  runner.kill("SIGKILL");
  const [daemon = ""] = printed.split("\n");
  onTestFinished(() => sendSignal(Number(daemon), "SIGKILL"));
  onTestFinished(async () => void (await endMarked(MARK, { graceMs: 0 })));
  return daemon;
}

const MARK = { name: "MARK", value: `run-test-killed-${process.pid}` };

test("ends of what carries a mark only what works in a folder or below it", async () => {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "within-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const env = { ...process.env, MARK: `within-${process.pid}` };
  const mark = { name: "MARK", value: env.MARK };
  onTestFinished(async () => void (await endMarked(mark, { graceMs: 0 })));
  const [inside, below, beside] = ["tree", "tree/src", "tree-2"].map((name) => {
    const cwd = join(root, name);
    mkdirSync(cwd, { recursive: true });
    return spawn("sleep", ["600"], { cwd, env, stdio: "ignore" }).pid ?? 0;
  });
  const ended = await endMarked(mark, { within: join(root, "tree") });
  expect({ ...ended, ended: new Set(ended?.ended) }).toEqual({
    ...{ ended: new Set([inside, below]), left: [] },
  });
  expect(isRunning(`${beside}`)).toBe(true);
});

test("ends that daemon by its mark when its runner was killed", async () => {
  const daemon = await daemonOfKilled({ mark: MARK }, undefined);
  await endMarked(MARK);
  await expect.poll(() => isRunning(daemon)).toBe(HOLDS === undefined);
});

test("ends that daemon by the label that its program was run with, or by the beginning of it, and by no other", async () => {
  const label = `label-${process.pid}`;
  const daemon = await daemonOfKilled({ label: `${label}.1` }, undefined);
  await endContained([`${label}.1.1`, `${label}.11`, "label", ""]);
  expect(isRunning(daemon)).toBe(true);
  await endContained([label]);
  await expect.poll(() => isRunning(daemon)).toBe(HOLDS === undefined);
});

test.skipIf(HOLDS === undefined)(
  "ends that daemon from another terminal's cgroup, and not what this process is in itself",
  async () => {
    const folder = `${HOLDS}/quasar-${MARK.value}-1-1`;
    mkdirSync(folder);
    const [before, terminal] = [`${HOLDS}/cgroup.procs`, `${HOLDS}/terminal-${process.pid}`];
    mkdirSync(terminal);
    // A process that has ended leaves its cgroup a moment later.
    onTestFinished(() => vi.waitFor(() => rmdirSync(terminal), 10_000));
    const daemon = await daemonOfKilled({ mark: MARK }, terminal);
    writeFileSync(`${folder}/cgroup.procs`, String(process.pid));
    onTestFinished(() => writeFileSync(before, String(process.pid)));
    await endMarked(MARK);
    await expect.poll(() => isRunning(daemon)).toBe(false);
  },
);

test("signals a program alone that shares this process's group", async () => {
  const { signal } = abortAfter(300);
  const { printed, end } = await shell(`${LEAVES}; exec sleep 600`, { group: "shared", signal });
  expect(end).toMatchObject({ exitSignal: "SIGTERM" });
  expect(isRunning(printed)).toBe(true);
  process.kill(Number(printed));
});

test("waits for all who hold its output where the whole of it counts", async () => {
  const line = "echo one; (sleep 0.5; echo two) & exit 0";
  expect((await shell(line, { readUntil: "close" })).printed).toBe("one\ntwo\n");
  expect((await shell(line)).printed).toBe("one\n");

  const startedAt = performance.now();
  const { signal } = abortAfter(200);
  const { end } = await shell("sleep 5 & echo one", { readUntil: "close", signal });
  expect(end).toMatchObject({ exitCode: 0, stopped: undefined });
  expect(performance.now() - startedAt).toBeLessThan(4000);
});

function abortAfter(ms: number): AbortController {
  const abort = new AbortController();
  void sleep(ms).then(() => abort.abort());
  return abort;
}
