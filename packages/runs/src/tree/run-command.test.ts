import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findRunProcesses } from "@quasar/agents/turns";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { type CommandEnd, type CommandSpec, runCommand } from "./run-command.ts";

let root = "";
let runId = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "command-"));
  runId = `v-${root.slice(-6)}-${process.pid}`;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function run(command: string, change: Partial<CommandSpec> = {}): Promise<CommandEnd> {
  return runCommand({
    argv: ["sh", "-c", command],
    workTree: root,
    env: process.env,
    runId,
    stdout: join(root, "1.out"),
    stderr: join(root, "1.err"),
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    ...change,
  });
}

const out = (): string => readFileSync(join(root, "1.out"), "utf8");
const err = (): string => readFileSync(join(root, "1.err"), "utf8");
const left = (): readonly number[] | undefined => findRunProcesses(runId);

test("keeps both outputs apart and whole, for the user only", async () => {
  const end = await run("echo one; echo two >&2; head -c 3000000 /dev/zero; echo bad >&2; exit 3");
  expect(end).toMatchObject({ kind: "ended", exitCode: 3 });
  expect(out().length).toBe(3_000_004);
  expect(err()).toBe("two\nbad\n");
  expect(statSync(join(root, "1.out")).mode & 0o777).toBe(0o600);
});

test("lets a command open its outputs by their names", async () => {
  const end = await run("echo two > /dev/stderr && echo three >&2");
  expect(end).toMatchObject({ exitCode: 0 });
  expect(err()).toBe("two\nthree\n");
});

test("runs in the work tree, without input, and not with a git hook's repository", async () => {
  const env = { ...process.env, GIT_DIR: "/elsewhere", QUASAR_TURN_ID: "agent.1", KEPT: "yes" };
  const command = 'pwd; cat; echo "${GIT_DIR-none} ${QUASAR_TURN_ID-none} $QUASAR_RUN_ID $KEPT"';
  await run(command, { env });
  expect(out()).toBe(`${root}\nnone none ${runId} yes\n`);
});

test("says which signal ended it", async () => {
  expect(await run("kill -9 $$")).toMatchObject({ exitCode: 137, signal: "SIGKILL" });
});

test("ends what takes too long, also what passes when it is told to end", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const end = await run("trap 'exit 0' TERM; echo begun; while :; do sleep 0.05; done", {
    onOutput: () => vi.advanceTimersByTime(60_000),
  });
  expect(end).toMatchObject({ kind: "ended", exitCode: 124, limit: "time" });
  expect(out()).toBe("begun\n");
  expect(left()).toEqual([]);
});

test("ends what prints too much, and keeps its beginning", async () => {
  const end = await run("yes", { maxOutputBytes: 300_000 });
  expect(end).toMatchObject({ exitCode: 124, limit: "output", isCutOff: true });
  expect(out().length).toBeLessThanOrEqual(300_000);
  expect(left()).toEqual([]);
});

test("says that an output was cut off also where its command has ended before that is seen", async () => {
  const end = await run("head -c 3000 /dev/zero", { maxOutputBytes: 1000 });
  expect(end).toMatchObject({ isCutOff: true });
  expect(out()).toHaveLength(1000);
  expect(await run("head -c 1000 /dev/zero > /dev/null")).not.toHaveProperty("isCutOff");
});

test("ends what a command leaves behind, in whatever session, and does not wait for it", async () => {
  const end = await run("setsid sleep 600 & sleep 600 & echo done");
  expect(end).toMatchObject({ exitCode: 0 });
  expect(out()).toBe("done\n");
  expect(left()).toEqual([]);
});

test("ends what has shed the mark but not the group", async () => {
  const wait = "until [ -e go ]; do sleep 0.1; done";
  const shed = `trap "" TERM; echo up; touch up; ${wait}; touch late`;
  await run(`env -u QUASAR_RUN_ID sh -c '${shed}' & until [ -e up ]; do sleep 0.01; done`);
  expect(out()).toBe("up\n");
  writeFileSync(join(root, "go"), "");
  await sleep(500);
  expect(existsSync(join(root, "late"))).toBe(false);
});

test("stops when it is told to, and says that it was interrupted, not how the command ended", async () => {
  const controller = new AbortController();
  const end = await run("trap 'exit 0' TERM; echo begun; while :; do sleep 0.05; done", {
    signal: controller.signal,
    onOutput: () => controller.abort(),
  });
  expect(end).toEqual({ kind: "interrupted" });
  expect(left()).toEqual([]);
  expect(await run("touch ran", { signal: controller.signal })).toEqual({ kind: "interrupted" });
  expect(existsSync(join(root, "ran"))).toBe(false);
});

test("judges nothing where there is no shell, no work tree, or an output of that name already", async () => {
  expect(await run("", { argv: [join(root, "no-shell")] })).toMatchObject({ kind: "broken" });
  const again = await run("touch ran");
  expect(again).toMatchObject({ kind: "broken", storage: false });
  expect(existsSync(join(root, "ran"))).toBe(false);
});
