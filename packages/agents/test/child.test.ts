import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { currentProcess, isAlive as isProcessAlive } from "@quasar/process";
import { expect, onTestFinished, test, vi } from "vitest";
import { type ChildOutcome, DEFAULT_LIMITS, type ProcessLimits, runChild } from "../src/child.ts";
import { agentEnvironment } from "../src/environment.ts";
import { findRunProcesses } from "../src/run-processes.ts";
import { aDirectory, aRequest } from "./request.ts";

const MISBEHAVE = fileURLToPath(new URL("misbehave.ts", import.meta.url));
const MB = 2 ** 20;

interface Ran extends ChildOutcome {
  readonly lines: readonly string[];
  readonly runId: string;
}

interface RunOptions {
  readonly input?: string;
  readonly signal?: AbortSignal;
  readonly onLine?: (line: string) => void;
  readonly workTree?: string;
}

async function run(
  way: string,
  limits: Partial<ProcessLimits> = {},
  options: RunOptions = {},
): Promise<Ran> {
  const request = aRequest({ workTree: options.workTree ?? aDirectory() });
  const lines: string[] = [];
  const outcome = await runChild(
    {
      runId: request.runId,
      turnId: request.turnId,
      file: process.execPath,
      args: [MISBEHAVE, way],
      cwd: request.workTree,
      env: agentEnvironment(request, []),
      input: options.input ?? "",
      limits: { ...DEFAULT_LIMITS, killGraceMs: 300, ...limits },
    },
    {
      signal: options.signal,
      onLines(some) {
        lines.push(...some);
        for (const line of some) options.onLine?.(line);
        return undefined;
      },
    },
  );
  return { ...outcome, lines, runId: request.runId };
}

/** A zombie is not, though a signal still reaches it. */
function isAlive(pid: number): boolean {
  return isProcessAlive({ ...currentProcess(), pid, startTime: undefined }) === true;
}

/** The timers of the process go as fast as the test lets them, and never slower than the clock. */
function fastTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
}

/** Aborts when the child has said something. */
function cancelling() {
  const controller = new AbortController();
  return { signal: controller.signal, onLine: () => controller.abort() };
}

test("ends a child that is silent too long", async () => {
  const outcome = await run("hang", { idleTimeoutMs: 300 });
  expect(outcome).toMatchObject({ stopped: "timeout-idle", exitSignal: "SIGINT" });
});

test("lets a child work that says something now and then", async () => {
  fastTimers();
  const workTree = aDirectory();
  let said = 0;
  const continueChild = () => writeFileSync(join(workTree, `go-${said}`), "");
  const onLine = () => {
    said += 1;
    vi.advanceTimersByTime(60_000);
    continueChild();
  };
  continueChild();
  const outcome = await run("chatty", { idleTimeoutMs: 120_000 }, { workTree, onLine });
  expect(outcome).toMatchObject({ exitCode: 0 });
  expect(outcome.stopped).toBeUndefined();
  expect(said).toBe(6);
});

test("reads all that was said before the end", async () => {
  const { lines } = await run("burst");
  expect(lines).toHaveLength(2048);
});

test("ends a child that takes too long, however much it says", async () => {
  const limits = { totalTimeoutMs: 300, maxOutputBytes: 1e12, maxLineBytes: 1e12 };
  const outcome = await run("hang", { ...limits, idleTimeoutMs: 600_000 });
  expect(outcome.stopped).toBe("timeout-total");
});

test("lets a cancelled child have the last word", async () => {
  const outcome = await run("polite", {}, cancelling());
  expect(outcome).toMatchObject({ stopped: "cancelled", exitCode: 0 });
  expect(outcome.lines).toEqual(["ready", "my last words"]);
});

test("kills a child that ignores SIGINT and SIGTERM, after two graces", async () => {
  fastTimers();
  const { signal, onLine: cancel } = cancelling();
  const pass = () => vi.advanceTimersByTime(60_000);
  const onLine = (line: string) => (line === "ready" ? cancel() : pass());
  const outcome = await run("ignoreSignals", { killGraceMs: 60_000 }, { signal, onLine });
  expect(outcome).toMatchObject({ stopped: "cancelled", exitSignal: "SIGKILL" });
  expect(outcome.lines).toEqual(["ready", "no", "no"]);
});

test("starts nothing when it is cancelled before the start", async () => {
  const outcome = await run("environment", {}, { signal: AbortSignal.abort() });
  expect(outcome).toMatchObject({ stopped: "cancelled", exitCode: null, lines: [] });
});

test("gives a flood of lines up that is larger than a turn's output may be", async () => {
  expect((await run("flood", { maxOutputBytes: 8 * MB })).stopped).toBe("output-too-large");
});

test("cuts one endless line, tells that, and reads on, in bounded memory", async () => {
  const before = process.memoryUsage().rss;
  const { stopped, cutLines, lines } = await run("line", { maxLineBytes: 8 * MB });
  expect({ stopped, cutLines }).toEqual({ stopped: undefined, cutLines: 1 });
  expect(lines.map(({ length }) => length)).toEqual([8 * MB, "the end".length]);
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * MB);
});

test("keeps the end of standard error only", async () => {
  const { exitCode, stderrTail } = await run("stderr");
  expect(exitCode).toBe(1);
  expect(stderrTail.length).toBeLessThanOrEqual(8192);
  expect(stderrTail.endsWith("\nlast words\n")).toBe(true);
});

test("does not wait for a child's child that holds the output, and ends it", async () => {
  const outcome = await run("holder");
  expect(outcome).toMatchObject({ exitCode: 0, lines: ["done"], orphansEnded: 1 });
  expect(findRunProcesses(outcome.runId)).toEqual([]);
});

test("ends what has shed the run's id but not the group", async () => {
  const { lines } = await run("shedder");
  await expect.poll(() => isAlive(Number(lines[0]))).toBe(false);
});

test("survives a child that does not read its input", async () => {
  const outcome = await run("deafening", {}, { input: "x".repeat(8 * MB) });
  expect(outcome).toMatchObject({ exitCode: 0, lines: ["I do not listen"] });
});

test("survives any bytes", async () => {
  expect((await run("garbage")).exitCode).toBe(0);
});

test("ends the child and rejects when its caller's handler throws", async () => {
  const bug = new Error("a bug of the caller's");
  const broken = run(
    "polite",
    {},
    {
      onLine() {
        throw bug;
      },
    },
  );
  await expect(broken).rejects.toBe(bug);
});

test("reports arguments that are too long", async () => {
  const request = aRequest();
  const outcome = await runChild(
    {
      runId: request.runId,
      turnId: request.turnId,
      file: process.execPath,
      args: ["x".repeat(200_000)],
      cwd: request.workTree,
      env: {},
      input: "",
      limits: DEFAULT_LIMITS,
    },
    { onLines: () => undefined },
  );
  expect(outcome.problem?.kind).toBe("arguments-too-long");
});
