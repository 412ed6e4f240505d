import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { type ProcessEnd, type ProcessSpec, runProcess } from "./process.ts";

/** Runs a line of shell. */
function shell(line: string, change: Partial<ProcessSpec> = {}): Promise<ProcessEnd> {
  return runProcess("sh", {
    args: ["-c", line],
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"] ?? "" },
    input: undefined,
    signal: undefined,
    encoding: "utf8",
    maxOutput: 2 ** 24,
    leavesOthers: false,
    ...change,
  });
}

test("tells what a program wrote and its exit code", async () => {
  const end = await shell("echo ü; echo no >&2; exit 3");
  expect(end).toEqual({ exitCode: 3, stdout: "ü\n", stderr: "no\n", problem: undefined });
});

test("keeps each byte as a character where that is asked for", async () => {
  const end = await shell("printf '\\377\\303\\n'", { encoding: "latin1" });
  expect(end.stdout).toBe("\u00ff\u00c3\n");
});

test("gives it the environment that is named, and no other", async () => {
  const { stdout } = await shell("env", { env: { PATH: process.env["PATH"] ?? "", ONE: "1" } });
  expect(stdout).toContain("ONE=1");
  expect(stdout).not.toContain("HOME=");
});

test("closes its input where there is none", async () => {
  expect((await shell("cat; echo end")).stdout).toBe("end\n");
});

test.for([
  ["a text", (): string => "x".repeat(2 ** 20), "1048576\n"],
  ["an empty text", (): string => "", "0\n"],
  ["a stream", (): Readable => Readable.from(["ab", "cd"], { objectMode: false }), "4\n"],
] as const)("lets it read %s", async ([, input, expected]) => {
  expect((await shell("wc -c", { input: input() })).stdout.trimStart()).toBe(expected);
});

test.for([
  ["a text", (): string => "x".repeat(2 ** 22)],
  ["a stream", (): Readable => Readable.from(["x".repeat(2 ** 22)], { objectMode: false })],
] as const)("takes no offence at one that does not read %s to its end", async ([, input]) => {
  expect(await shell("exit 2", { input: input() })).toMatchObject({
    exitCode: 2,
    problem: undefined,
  });
});

test("says so when the stream that it reads fails", async () => {
  async function* failing(): AsyncGenerator<string> {
    yield "half";
    throw new Error("unreadable");
  }
  const end = await shell("cat", { input: Readable.from(failing(), { objectMode: false }) });
  expect(end.problem?.message).toBe("unreadable");
});

test.for([
  ["a missing program", "no-such-program", {}],
  ["a missing folder", "sh", { cwd: join(tmpdir(), "no-such-folder") }],
] as const)("says what is missing: %s", async ([, file, change]) => {
  const spec = { args: [], cwd: tmpdir(), env: {}, input: undefined, signal: undefined } as const;
  const rest = { encoding: "utf8", maxOutput: 1, leavesOthers: false } as const;
  const end = await runProcess(file, { ...spec, ...rest, ...change });
  expect(end).toMatchObject({ exitCode: undefined, problem: { code: "ENOENT" } });
});

test("does not throw at arguments that no process can have", async () => {
  const end = await shell("true", { cwd: "/tmp\0" });
  expect(end).toMatchObject({ exitCode: undefined, problem: { code: "ERR_INVALID_ARG_VALUE" } });
  const long = await shell("true", { args: ["x".repeat(2 ** 22)] });
  expect(long).toMatchObject({ exitCode: undefined, problem: { code: "E2BIG" } });
});

test("says that it was killed", async () => {
  const end = await shell("echo so far; kill -9 $$");
  expect(end).toMatchObject({ exitCode: undefined, stdout: "so far\n" });
  expect(end.problem?.message).toContain("SIGKILL");
});

test("ends one that writes too much", async () => {
  const end = await shell("yes", { maxOutput: 2 ** 20 });
  expect(end.problem?.message).toBe("it wrote more than 1048576 bytes");
});

test("waits for the whole output, and not for what is left running where that may be", async () => {
  expect((await shell("echo one; (sleep 1; echo two) & exit 0")).stdout).toBe("one\ntwo\n");
  const end = await shell("echo one; sleep 600 & echo $! >&2", { leavesOthers: true });
  expect(process.kill(Number(end.stderr)), "what it left is still running").toBe(true);
  expect(end).toMatchObject({ exitCode: 0, stdout: "one\n" });
});
