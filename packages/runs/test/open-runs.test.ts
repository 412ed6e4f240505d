import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { AgentInvoker, AgentRequest } from "@quasar/agents";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { lockWorkspace } from "../src/driving/lock.ts";
import {
  type CheckedProblem,
  type Fact,
  openRuns,
  type RunEvent,
  type Runs,
  RunsError,
} from "../src/index.ts";
import { loadRun, runStores } from "../src/store.ts";
import { spendingIn } from "../src/tree/read-run.ts";
import { aRepository, capabilities } from "./place.ts";

/** An agent in the program's own process. */
function agent(name: string, answer: (request: AgentRequest) => string): AgentInvoker {
  return {
    name,
    capabilities,
    invoke: async (request) => ({
      text: answer(request),
      costUsd: 0.01,
      costSource: "reported",
      durationMs: 1,
    }),
  };
}

const coder = agent("own coder", ({ workTree, turnId }) => {
  writeFileSync(join(workTree, "work.txt"), `${turnId}\n`);
  return "Wrote work.txt.";
});
const refusing = agent("refusing", () => "ISSUE:\nSEVERITY: major\nDESCRIPTION: not enough");
const content = agent("content", () => "APPROVED: it is there");

let repo: string;
let runs: Runs;

beforeEach(async () => {
  repo = aRepository();
  git("commit", "-q", "--allow-empty", "-m", "start");
  runs = await openRuns(repo);
});

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: repo, encoding: "utf8" }).trim();
}

const stopped = () => runs.start({ task: "Write", coder, reviewer: refusing, maxCycles: 1 });

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: unknown) => (error instanceof RunsError ? error.code : String(error)),
  );

test("a run is approved, kept, listed, shown and watched, and nothing is printed", async () => {
  const printed = [vi.spyOn(process.stdout, "write"), vi.spyOn(process.stderr, "write")];
  onTestFinished(() => void vi.restoreAllMocks());
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent): void => void events.push(event);
  const { result } = await runs.start({ task: "Write", coder, reviewer: content, onEvent });
  expect(result).toMatchObject({ outcome: "approved", totalCostUsd: 0.02, changed: true });
  expect(events[0]).toMatchObject({ type: "run", coder: "own coder", maxCycles: 3 });
  expect(events.at(-1)).toMatchObject({ type: "task_success" });
  const { runId } = result;
  expect(await runs.list()).toMatchObject([{ id: runId, status: "approved", task: "Write" }]);
  const shown = await runs.show();
  expect(shown).toMatchObject({ id: runId, costUsd: 0.02, settings: {} });
  expect(shown.turns).toMatchObject([
    { turnId: `${runId}.1`, role: "coder", status: "settled", costUsd: 0.01 },
    { turnId: `${runId}.2`, role: "reviewer", status: "settled", costUsd: 0.01 },
  ]);
  const watched: Fact[] = [];
  for await (const fact of runs.watch(runId)) watched.push(fact);
  expect(watched).toEqual(shown.facts);
  expect(watched.at(-1)).toMatchObject({ type: "result", outcome: "approved" });
  for (const stream of printed) expect(stream).not.toHaveBeenCalled();
});

test("runs can be kept in a folder that outlives their work tree, under ids that their caller keeps first", async () => {
  const home = join(repo, ".git", "elsewhere", "p1");
  const runId = "20261120-101112-0a1b2c";
  const apart = await openRuns(repo, { home });
  const work = { task: "Write", coder, reviewer: content, runId };
  await apart.start(work);
  expect(existsSync(join(home, runId, "archive", "checkpoint.toml"))).toBe(true);
  expect(await runs.list()).toEqual([]);
  const { status, headSha } = await apart.show(runId);
  expect([status, headSha]).toEqual(["approved", git("rev-parse", "HEAD")]);
  expect(await spendingIn(home)).toEqual(
    new Map([[runId, { spentUsd: 0.02, unknownUsd: 0, hasUnreportedCosts: false }]]),
  );
  expect(await spendingIn(join(home, "missing"))).toEqual(new Map());
  await expect(apart.start(work)).rejects.toMatchObject({ code: "ERR_STATE" });
  await expect(apart.start({ ...work, runId: "../x" })).rejects.toMatchObject({
    code: "ERR_USAGE",
  });
});

test("a start that was cut off before its first save is made anew, wherever the repository is by then", async () => {
  const home = join(repo, ".git", "elsewhere", "p1");
  const apart = await openRuns(repo, { home });
  const { result } = await apart.start({ task: "Write", coder, reviewer: content });
  const found = readFileSync(join(home, result.runId, "git-controls.json"), "utf8");
  const runId = "20261120-101112-0a1b2c";
  mkdirSync(join(home, runId));
  const kept = JSON.parse(found) as { readonly controls: object };
  const controls = { ...kept.controls, places: { ".git": "what it was" } };
  writeFileSync(join(home, runId, "git-controls.json"), JSON.stringify({ ...kept, controls }));
  const end = await apart.start({ task: "Write", coder, reviewer: content, runId });
  expect(end.result).toMatchObject({ outcome: "approved" });
});

test("a refusal says what helps by the names of the calls", async () => {
  const id = "20261126-134500-12e7db";
  await expect(runs.show(id)).rejects.toMatchObject({ code: "ERR_USAGE", next: [{ do: "list" }] });
  await expect(runs.resume({ coder, reviewer: content })).rejects.toMatchObject({
    code: "ERR_NOTHING_TO_RESUME",
    next: [{ do: "list" }, { do: "start" }],
  });
  const lines = ["\u001b[2J", "git status"];
  const [step] = new RunsError("ERR_STATE", "", { next: [{ shell: lines.join("") }] }).next;
  expect(step?.shell).toBe("\\u{1b}[2Jgit status");
});

test("a run whose reviewer could not begin is refused before it begins, and nothing is left of it", async () => {
  const dear = { ...content, responseBoundUsd: () => 0.81 };
  const given = { task: "Write", coder, reviewer: dear, maxBudgetUsd: 1 };
  const refused = runs.start(given);
  await expect(refused).rejects.toMatchObject({
    code: "ERR_BUDGET",
    message: expect.stringContaining("The reviewer's first turn needs at least $1.62") as string,
    next: [
      { do: "start", options: { maxBudgetUsd: 1.8 } },
      { do: "start", options: { cheaper: "reviewer" }, note: "a cheaper model" },
    ],
  });
  expect(await runs.list()).toEqual([]);
  expect(git("status", "--porcelain")).toBe("");
  const { result } = await runs.start({ ...given, maxBudgetUsd: 1.8 });
  expect(result.outcome).toBe("approved");
});

test("a stopped run is planned and resumed with what its caller kept with it, its own limits else", async () => {
  const given = { task: "Write", coder, reviewer: refusing, maxCycles: 1, maxBudgetUsd: 2 };
  const { result } = await runs.start({ ...given, settings: { model: "mine" } });
  expect(result).toMatchObject({ outcome: "max_cycles", cycle: 1 });
  expect(await runs.show()).toMatchObject({ settings: { model: "mine" } });
  expect(await runs.plan({ coder, reviewer: content })).toMatchObject({ ends: "refused" });
  expect(await runs.plan({ coder, reviewer: content, maxCycles: 2 })).toMatchObject({
    ends: "ready",
    estimate: { atMostUsd: 1.98 },
  });
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent): void => void events.push(event);
  const end = await runs.resume({ coder, reviewer: content, maxCycles: 2, onEvent });
  expect(end.result).toMatchObject({ outcome: "approved", cycle: 2, totalCostUsd: 0.04 });
  expect(events[0]).toMatchObject({ type: "run", maxBudgetUsd: 2, spentUsd: 0.02 });
  expect(end.result.checkpoint.maxBudgetUsd).toBe(2);
});

test("the end is heard of before it is noted, and an interrupted run is saved and named", async () => {
  const controller = new AbortController();
  const interrupting = agent("interrupting", () => {
    controller.abort();
    return "never counts";
  });
  const ended: string[] = [];
  await runs.start({
    task: "Write",
    coder,
    reviewer: interrupting,
    signal: controller.signal,
    onEnd: async ({ result: { outcome } }) => {
      const [run] = await runs.list();
      ended.push(`${outcome}, ${run?.status}`);
    },
  });
  expect(ended).toEqual(["interrupted, running"]);
  expect(await runs.list()).toMatchObject([{ status: "interrupted" }]);
  const anew = runs.start({ task: "Another", coder, reviewer: content });
  expect(await codeOf(anew)).toBe("ERR_UNFINISHED_RUN");
});

test("while one works nobody else does, and uncommitted work is refused and named", async () => {
  let second = "";
  const meanwhile: AgentInvoker = {
    ...content,
    async invoke(...args) {
      second = await codeOf(runs.start({ task: "Another", coder, reviewer: content }));
      return content.invoke(...args);
    },
  };
  await runs.start({ task: "Write", coder, reviewer: meanwhile });
  expect(second).toBe("ERR_LOCKED");
  writeFileSync(join(repo, "mine.txt"), "mine\n");
  const refused = runs.start({ task: "Write", coder, reviewer: content });
  await expect(refused).rejects.toMatchObject({
    code: "ERR_DIRTY",
    message: expect.stringContaining("mine.txt"),
  });
  const accepted = await runs.start({ task: "W", coder, reviewer: content, acceptDirty: true });
  expect(accepted.result.outcome).toBe("approved");
  expect(git("status", "--porcelain")).toBe("?? mine.txt");
});

test("a run is forked into a work tree of its own, given up and removed", async () => {
  const { result } = await stopped();
  const { runId } = result;
  const forked = await runs.fork(runId);
  expect(forked).toMatchObject({ branch: `quasar/${forked.runId}`, checkpoint: { cycle: 1 } });
  const there = await openRuns(forked.workspace.root);
  const end = await there.resume({ coder, reviewer: content, maxCycles: 2 });
  expect(end.result).toMatchObject({ outcome: "approved", totalCostUsd: 0.02 });
  expect(await codeOf(runs.prune({ runId, olderThanMs: 0 }))).toBe("ERR_STATE");
  const [other] = (await stopped().then(() => runs.list())).map(({ id }) => id);
  expect(await codeOf(runs.prune({ runId: other, olderThanMs: 0, stopped: true }))).toBe("done");
  expect(await runs.abandon(runId)).toMatchObject({ task: "Write", ended: [], uncommitted: [] });
  expect(await codeOf(runs.abandon(runId))).toBe("ERR_NOTHING_TO_RESUME");
  const dry = await runs.prune({ olderThanMs: 0, dryRun: true });
  expect(dry.runs.map(({ id }) => id)).toEqual([runId]);
  expect(await runs.list()).toHaveLength(1);
  const pruned = await runs.prune({ olderThanMs: 0 });
  expect(pruned).toEqual({ ...dry, sizeBytes: pruned.sizeBytes });
  expect(await runs.list()).toEqual([]);
  expect(existsSync(join(repo, "work.txt"))).toBe(true);
});

test("a run whose folder was removed is listed, and no other is begun in its place", async () => {
  const controller = new AbortController();
  const interrupting = agent("interrupting", () => {
    controller.abort();
    return "never counts";
  });
  const { signal } = controller;
  const { result } = await runs.start({ task: "Write", coder, reviewer: interrupting, signal });
  rmSync(join(repo, ".git", "quasar", "runs", result.runId), { recursive: true });
  const anew = runs.start({ task: "Another", coder, reviewer: content });
  expect(await codeOf(anew)).toBe("ERR_UNFINISHED_RUN");
  const [run] = await runs.list();
  expect(run).toMatchObject({ id: result.runId, task: "Write" });
  const end = await runs.resume({ coder, reviewer: content });
  expect(end.result).toMatchObject({ runId: result.runId, outcome: "approved" });
});

test("a fork's checkpoint is the one that is saved, without a stranger's settings", async () => {
  const given = { task: "Write", coder, reviewer: refusing, maxCycles: 1 };
  const { result } = await runs.start({ ...given, settings: { lint: "make lint" } });
  const own = await runs.fork(result.runId);
  const { loaded } = await loadRun(runStores(own.workspace, own.runId));
  expect(own.checkpoint).toMatchObject({ branch: own.branch });
  expect(loaded?.checkpoint.branch).toBe(own.branch);
  for (const { settings, outcome } of [own.checkpoint, loaded?.checkpoint ?? {}]) {
    expect({ settings, outcome }).toEqual({ settings: { lint: "make lint" }, outcome: undefined });
  }
  vi.stubEnv("XDG_STATE_HOME", join(repo, "..", "another user"));
  const other = await openRuns(repo);
  const foreign = await other.fork(result.runId, { trust: true });
  expect(foreign.checkpoint.settings).toBeUndefined();
});

test("who holds the lock without working on a run is not taken for a run's runner", async () => {
  const { result } = await stopped();
  const lock = await lockWorkspace(runs.workspace);
  onTestFinished(() => lock.release());
  expect(await runs.list()).toMatchObject([{ id: result.runId, status: "stopped" }]);
});

test("what a run's folder links to is neither counted nor removed", async () => {
  const { result } = await stopped();
  const outside = join(repo, "..", "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "big.bin"), Buffer.alloc(5_000_000));
  symlinkSync(outside, join(repo, ".git", "quasar", "runs", result.runId, "x"));
  const { sizeBytes } = await runs.prune({ olderThanMs: 0, stopped: true });
  expect(sizeBytes).toBeGreaterThan(0);
  expect(sizeBytes).toBeLessThan(5_000_000);
  expect(existsSync(join(outside, "big.bin"))).toBe(true);
  expect(await runs.list()).toEqual([]);
});

test.skipIf(process.platform !== "linux")(
  "a plan tells of another's agent in the tree, as the resume does",
  async () => {
    await stopped();
    const stranger = spawn("sleep", ["60"], {
      cwd: repo,
      env: { PATH: process.env["PATH"], QUASAR_RUN_ID: "a-task-step-1" },
    });
    onTestFinished(() => void stranger.kill("SIGKILL"));
    const asked = { coder, reviewer: content, maxCycles: 2 };
    await vi.waitFor(async () => {
      expect(await runs.plan(asked)).toMatchObject({ ends: "refused" });
    });
    expect((await runs.plan(asked)).next).toContainEqual({
      shell: `kill -INT ${stranger.pid}`,
      note: "ends it",
    });
    expect(await codeOf(runs.resume(asked))).toBe("ERR_AGENT_ALIVE");
    const ended = once(stranger, "exit");
    stranger.kill("SIGKILL");
    await ended;
    expect(await runs.plan(asked)).toMatchObject({ ends: "ready" });
  },
);

test("who follows a run that somebody works on is released", async () => {
  const controller = new AbortController();
  const watching: AgentInvoker = {
    ...content,
    async invoke(...args) {
      const { runId } = args[0];
      const facts = runs.watch(runId, { follow: true, signal: controller.signal });
      setTimeout(() => controller.abort(), 300);
      const seen: string[] = [];
      for await (const { type } of facts) seen.push(type);
      expect(seen).toContain("agent_start");
      return content.invoke(...args);
    },
  };
  const { result } = await runs.start({ task: "Write", coder, reviewer: watching });
  expect(result.outcome).toBe("approved");
});

test("ids are paths' parts: nothing but an id is let through", async () => {
  for (const call of [
    runs.resume({ runId: "../x", coder, reviewer: content }),
    runs.plan({ runId: "../x", coder, reviewer: content }),
    runs.show("../x"),
    runs.abandon("../x"),
    runs.fork("../x"),
    runs.prune({ runId: "../x", olderThanMs: 0 }),
  ]) {
    expect(await codeOf(call)).toBe("ERR_USAGE");
  }
  expect(() => runs.watch("../x")).toThrow(RunsError);
  expect(existsSync(join(repo, ".git", "quasar", "x"))).toBe(false);
});

test("a check finds what crashes have left as data, and fixes it under the lock where it is asked to", async () => {
  const { runId } = (await stopped()).result;
  const dir = join(repo, ".git", "quasar", "runs", runId);
  writeFileSync(join(dir, ".checkpoint.toml.0123456789abcdef.tmp"), "half");
  writeFileSync(join(dir, "checkpoint.toml.damaged-x"), "?");
  writeFileSync(join(repo, ".git", "quasar", "lock.run"), `1 ${runId}\n`);
  const found = async (fix = false): Promise<readonly unknown[]> => {
    const problems: unknown[] = [];
    for await (const { check, code, fixed } of runs.check({ fix })) {
      problems.push([check, code, fixed]);
    }
    return problems;
  };
  const aside = ["runs", "QUARANTINED", false];
  const left = (fixed: boolean) => [
    ["lock", "RUNNER_KILLED", fixed],
    aside,
    ["left over", "UNFINISHED_SAVE", fixed],
  ];
  expect(await found()).toEqual(left(false));
  const lock = await lockWorkspace(runs.workspace);
  await expect(found(true)).rejects.toMatchObject({ code: "ERR_LOCKED" });
  lock.release();
  expect(await found(true)).toEqual(left(true));
  expect(await found()).toEqual([aside]);
});

test("what a check cannot read is a problem, and keeps no other check from running", async () => {
  await stopped();
  writeFileSync(join(repo, ".git", "index"), "no index");
  chmodSync(join(repo, ".git", "quasar", "runs"), 0o755);
  const found: CheckedProblem[] = [];
  for await (const problem of runs.check({ fix: true })) found.push(problem);
  expect(found).toMatchObject([
    { check: "committed", code: "UNCHECKED", fixed: false, failure: expect.any(Error) },
    { check: "modes", code: "OPEN_TO_OTHERS", fix: "chmod 700", fixed: true },
  ]);
});
