import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { currentProcess, isAlive } from "@quasar/process";
import { cgroupToHoldIn } from "@quasar/vitest/cgroup";
import { expect, onTestFinished, test, vi } from "vitest";
import { aFolder } from "../../test/harness.ts";
import { type CheckOptions, type CheckResult, endChecks, runCheck } from "./check.ts";

const options = (change: Partial<CheckOptions> = {}): CheckOptions => ({
  runId: "run",
  workTree: aFolder(),
  timeoutMs: 60_000,
  ...change,
});

test.for([
  ["passes", "echo fine", "passed", "fine\n"],
  ["fails", "echo bad; echo worse >&2; exit 3", "failed", "bad\nworse\n"],
  ["uses the shell", "test -d . && echo $((1 + 1)) | cat", "passed", "2\n"],
  ["is unknown to the shell", "no-such-program 2>/dev/null", "broken", ""],
  ["may not be run", ". 2>/dev/null; /dev/null 2>/dev/null", "broken", ""],
  ["is killed", "echo half; kill -9 $$", "failed", "half\n\n(ended by SIGKILL)"],
  ["reads its input", "cat; echo end", "passed", "end\n"],
] as const)("a check that %s", async ([, command, status, output]) => {
  expect(await runCheck({ name: "x", command }, options())).toEqual({ status, output });
});

test("ends with the checks of its run in its work tree, and with none in a copy of that", async () => {
  const runId = `copied-${process.pid}`;
  const [original, copy] = [aFolder(), aFolder()];
  const started = (workTree: string): Promise<CheckResult> =>
    runCheck(
      { name: "x", command: "touch begun; sleep 2; echo end" },
      options({ runId, workTree }),
    );
  const [here, there] = [started(original), started(copy)];
  for (const dir of [original, copy]) {
    await vi.waitFor(() => expect(existsSync(join(dir, "begun"))).toBe(true), { timeout: 9000 });
  }
  await endChecks(runId, copy);
  expect(await here).toEqual({ status: "passed", output: "end\n" });
  const isHeld = cgroupToHoldIn() !== undefined;
  expect((await there).status).toBe(isHeld ? "failed" : "passed");
});

test("runs in the work tree", async () => {
  const workTree = aFolder();
  const { output } = await runCheck({ name: "x", command: "pwd" }, options({ workTree }));
  expect(output.trim()).toBe(workTree);
});

test("cannot be run where there is no folder", async () => {
  const result = await runCheck({ name: "x", command: "true" }, options({ workTree: "/no/such" }));
  expect(result.status).toBe("broken");
});

test("cannot be run where no file descriptor is left, and ends nobody with it", () => {
  const script = `
    import { openSync } from "node:fs";
    import { runCheck } from ${JSON.stringify(new URL("check.ts", import.meta.url).href)};
    try { for (;;) openSync("/dev/null"); } catch {}
    const { status } = await runCheck({ name: "x", command: "true" }, { runId: "run", workTree: "/", timeoutMs: 9e3 });
    process.exitCode = status === "broken" ? 7 : 8;`;
  const limited = ["-c", 'ulimit -n 60 && exec "$@"', "sh", process.execPath];
  const { status, stderr } = spawnSync("sh", [...limited, "--input-type=module", "-e", script]);
  expect(status, String(stderr)).toBe(7);
});

test("keeps the beginning and the end of a flood", async () => {
  const command = "echo first; yes 0123456789 | head -c 3000000; echo; echo last; exit 1";
  const { output } = await runCheck({ name: "x", command }, options());
  expect(output.length).toBeLessThan(40_000);
  expect(output).toMatch(/^first\n[^]*bytes left out[^]*last\n$/u);
});

test.for([16_300, 16_360, 32_740])(
  "cuts no secret in two, after %d bytes of a flood",
  async (offset) => {
    const secret = "hunter2-hunter2-hunter2-hunter2-END";
    const redact = (text: string): string => text.replaceAll(secret, "[redacted]");
    const flood = (bytes: number): string => `head -c ${bytes} /dev/zero | tr '\\0' x`;
    for (const rest of [100_000, 0]) {
      const command = `${flood(offset)}; printf ${secret}; ${flood(rest)}; printf ${secret}; ${flood(offset)}`;
      const { output } = await runCheck({ name: "x", command }, options({ redact }));
      expect(output).not.toContain("hunter2");
      expect(output.length).toBeLessThan(34_000);
    }
  },
);

const alive = (pid: number): boolean =>
  isAlive({ ...currentProcess(), pid, startTime: undefined }) === true;

async function pidIn(dir: string): Promise<number> {
  for (;;) {
    try {
      const pid = Number(readFileSync(join(dir, "pid"), "utf8"));
      if (pid > 0) return pid;
    } catch {
      // not yet written
    }
    await sleep(10);
  }
}

test("fails when it takes too long, and its processes end", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const workTree = aFolder();
  const command = "echo begun; sleep 600 & echo $! > pid; wait";
  const running = runCheck({ name: "x", command }, options({ workTree, timeoutMs: 60_000 }));
  const pid = await pidIn(workTree);
  vi.advanceTimersByTime(60_000);
  expect(await running).toEqual({ status: "failed", output: "begun\n\n(ended after 60 s)" });
  await expect.poll(() => alive(pid)).toBe(false);
});

test("leaves nothing running when it has passed", async () => {
  const workTree = aFolder();
  const command = "sleep 600 & echo $! > pid";
  expect((await runCheck({ name: "x", command }, options({ workTree }))).status).toBe("passed");
  const pid = await pidIn(workTree);
  await expect.poll(() => alive(pid)).toBe(false);
});

test("ends with the signal's reason when aborted, even one deaf to SIGTERM", async () => {
  const workTree = aFolder();
  const controller = new AbortController();
  const command = "trap '' TERM; sleep 600 & echo $! > pid; wait; sleep 600";
  const running = runCheck(
    { name: "x", command },
    options({ workTree, signal: controller.signal }),
  );
  const pid = await pidIn(workTree);
  controller.abort(new Error("enough"));
  await expect(running).rejects.toThrow("enough");
  await expect.poll(() => alive(pid)).toBe(false);
});

test("does not begin when aborted", async () => {
  const workTree = aFolder();
  const signal = AbortSignal.abort(new Error("enough"));
  const running = runCheck({ name: "x", command: "touch ran" }, options({ workTree, signal }));
  await expect(running).rejects.toThrow("enough");
  expect(() => readFileSync(join(workTree, "ran"))).toThrow("ENOENT");
});
