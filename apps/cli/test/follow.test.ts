import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endRunProcesses, findRunProcesses } from "@quasar/agents/turns";
import { expect, onTestFinished, test } from "vitest";
import { fakeClaude } from "./fake-claude.ts";
import {
  type Finished,
  git,
  lastRecord,
  type Place,
  place,
  quasar,
  records,
  type Running,
  start,
  recordOf,
} from "./harness.ts";
import { holdingModel, releaseModel } from "./held.ts";
import { agents, LONG, neverContent, oneCycle, type Turn } from "./scripts.ts";

/** A run whose runner was killed in a turn of the role; its agent may live. */
interface Orphaned {
  readonly runId: string;
  readonly agents: readonly string[];
}

async function killRunner(running: Running): Promise<string> {
  running.child.kill("SIGKILL");
  await running.finished;
  return idOf(running);
}

function idOf(running: Running): string {
  return /\d{8}-\d{6}-[0-9a-f]{6}/u.exec(running.stdout())?.[0] ?? "";
}

/** One cycle in which both turns take a while and say what they do. */
function slow(delayMs: number): readonly Turn[] {
  return oneCycle().map((turn) => ({ ...turn, delayMs, says: ["Reading", "Writing"] }));
}

/** The same, but the turn of the role continues after its first words only when it is released. */
async function held(at: Place, role: Turn["role"]): Promise<readonly string[]> {
  return agents(at, slow(0), { model: await holdingModel(at, role) });
}

async function orphaned(at: Place, role: string, args: readonly string[]): Promise<Orphaned> {
  const running = start(at, ["run", "Write work.txt", "--json", ...args]);
  // It has begun, and said so.
  const said = recordOf("agent_event", 1, role);
  expect(await running.sees(said), running.stdout()).toBe(true);
  return { runId: await killRunner(running), agents: args };
}

function howOf(done: Finished): readonly unknown[] {
  return records(done.stdout)
    .filter(({ type }) => type === "turn_recovered")
    .map(({ how }) => how);
}

/** The turns that were begun, and those that ended well, in a life of a runner. */
function turnsOf(done: Finished, type: "agent_start" | "agent_done"): readonly unknown[] {
  return records(done.stdout)
    .filter((record) => record["type"] === type)
    .map(({ turnId, role }) => `${String(turnId).split(".")[1]} ${String(role)}`);
}

test.for([
  ["coder", ["2 reviewer"], ["1 coder", "2 reviewer"]],
  ["reviewer", [], ["2 reviewer"]],
] as const)(
  "a live %s is followed: nothing is asked twice, nothing is unknown of the cost",
  async ([role, begun, ended]) => {
    const at = place();
    await orphaned(at, role, await held(at, role));
    const resuming = start(at, ["resume", "--json"]);
    expect(await resuming.sees('"how":"followed"'), resuming.stdout()).toBe(true);
    releaseModel(at);
    const resumed = await resuming.finished;
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(howOf(resumed)).toEqual(["followed"]);
    expect(turnsOf(resumed, "agent_start")).toEqual(begun);
    expect(turnsOf(resumed, "agent_done")).toEqual(ended);
    const result = lastRecord(resumed);
    expect(result).toMatchObject({ outcome: "approved", unknownUsd: 0 });
    expect(result["spentUsd"]).toBeCloseTo(0.4);
    expect(git(at, "show", "HEAD:work.txt")).toBe("right");
  },
);

test.for(["coder", "reviewer"] as const)(
  "a %s that ended after its runner was killed is read",
  async (role) => {
    const at = place();
    const { runId } = await orphaned(at, role, await held(at, role));
    releaseModel(at);
    while (findRunProcesses(runId)?.length !== 0) await sleep(50);
    const resumed = await quasar(at, ["resume", "--json"]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(howOf(resumed)).toEqual(["read"]);
    const result = lastRecord(resumed);
    expect(result).toMatchObject({ outcome: "approved", unknownUsd: 0 });
    expect(result["spentUsd"]).toBeCloseTo(0.4);
  },
);

test("a turn is read by the agent it was begun with, whoever continues", async () => {
  const at = place();
  const { runId } = await orphaned(at, "coder", await held(at, "coder"));
  releaseModel(at);
  while (findRunProcesses(runId)?.length !== 0) await sleep(50);
  const other = ["--coder", "command:cat >/dev/null; echo Another"];
  const resumed = await quasar(at, ["resume", "--json", ...other]);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(howOf(resumed)).toEqual(["read"]);
  expect(lastRecord(resumed)).toMatchObject({ outcome: "approved", unknownUsd: 0 });
  expect(lastRecord(resumed)["spentUsd"]).toBeCloseTo(0.4);
});

test.for([
  ["--filter", 3],
  ["--lint", 0],
] as const)(
  "a check that is named on a resume is run before an approval (%s)",
  async ([flag, code]) => {
    const at = place();
    const { runId } = await orphaned(at, "reviewer", await held(at, "reviewer"));
    releaseModel(at);
    while (findRunProcesses(runId)?.length !== 0) await sleep(50);
    const args = [flag, "grep nothere a.txt", "--max-cycles", "1"];
    const plan = await quasar(at, ["resume", "--plan", ...args]);
    expect(plan.stdout).toContain("the checks are not those that passed");
    const resumed = await quasar(at, ["resume", "--json", ...args]);
    expect(resumed.code, resumed.stdout + resumed.stderr).toBe(code);
    expect(records(resumed.stdout)).toContainEqual(
      expect.objectContaining({ type: "check_done", name: "grep nothere a.txt", passed: false }),
    );
  },
);

test("a turn of a program that is not installed any more is read, and counts with its bill", async () => {
  const at = place();
  const { env } = fakeClaude(at, { coder: [{ runs: "echo two > a.txt", lasts: 2 }] });
  const args = ["--coder", "claude", "--reviewer", "command:cat >/dev/null; echo APPROVED: yes"];
  const running = start(at, ["run", "Write", "--json", ...args], { env });
  await expect.poll(() => git(at, "status", "--short")).toContain("a.txt");
  const runId = await killRunner(running);
  while (findRunProcesses(runId)?.length !== 0) await sleep(50);
  const other = ["--coder", "command:cat >/dev/null; echo Another"];
  const resumed = await quasar(at, ["resume", "--json", ...other]);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(howOf(resumed)).toEqual(["read"]);
  const { turns } = lastRecord(await quasar(at, ["cost", "--json"])) as {
    turns: readonly { role: string; spentUsd: number }[];
  };
  expect(turns).toMatchObject([{ role: "coder", spentUsd: 0.01 }, { role: "reviewer" }]);
});

test("a runner that follows can be killed too, any number of times", async () => {
  const at = place();
  await orphaned(at, "coder", await held(at, "coder"));
  for (let life = 0; life < 3; life += 1) {
    const follower = start(at, ["resume"]);
    expect(await follower.sees("is still running; reattached")).toBe(true);
    await killRunner(follower);
  }
  releaseModel(at);
  const resumed = await quasar(at, ["resume", "--json"]);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(lastRecord(resumed)).toMatchObject({ unknownUsd: 0 });
  expect(lastRecord(resumed)["spentUsd"]).toBeCloseTo(0.4);
});

test("an agent that was killed with its runner starts again, and its cost counts", async () => {
  const at = place();
  const { runId } = await orphaned(at, "coder", agents(at, slow(LONG)));
  await endRunProcesses(runId, { signal: "SIGKILL", graceMs: 0 });
  agents(at, oneCycle());
  const resumed = await quasar(at, ["resume", "--json"]);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(howOf(resumed)).toEqual(["restarted"]);
  expect(Number(lastRecord(resumed)["unknownUsd"])).toBeGreaterThan(0);
});

test("--leash ends the agent with its runner", async () => {
  const at = place();
  const running = start(at, ["run", "Write", "--leash", ...agents(at, slow(LONG))]);
  expect(await running.sees("works")).toBe(true);
  // The supervisor and its agent.
  while (findRunProcesses(idOf(running))?.length !== 2) await sleep(20);
  const runId = await killRunner(running);
  while (findRunProcesses(runId)?.length !== 0) await sleep(20);
  expect(existsSync(join(at.repo, "work.txt"))).toBe(false);
});

test("status says that an agent is still running without its runner, and that resume reattaches", async () => {
  const at = place();
  const { runId } = await orphaned(at, "coder", agents(at, slow(LONG)));
  const status = await quasar(at, ["status"]);
  expect(status.stdout).toMatch(
    /alive {4}the coder is still running \(process \d+\); quasar resume reattaches/u,
  );
  const { runs } = lastRecord(await quasar(at, ["status", "--json"])) as { runs: unknown[] };
  expect(runs).toMatchObject([{ runId, openTurn: { alivePid: expect.any(Number) } }]);
});

// Another system hides the variables of `sleep`: what is seen there is in darwin.test.ts.
test.skipIf(process.platform !== "linux").for([
  ["a sub-folder", 6],
  ["a work tree within", 0],
] as const)(
  "a process of another run that works in %s makes run leave with %s",
  async ([, code]) => {
    const at = place({ "sub/a.txt": "one\n" });
    if (code === 0) {
      git(at, "worktree", "add", "-q", "-b", "inner", join(at.outside, "repo/sub/inner"));
      writeFileSync(join(at.repo, ".git/info/exclude"), "inner\n");
    }
    const cwd = join(at.repo, code === 0 ? "sub/inner" : "sub");
    const env = { ...at.env, QUASAR_RUN_ID: "20260101-000000-abcdef" };
    const other = spawn("sleep", ["600"], { cwd, env });
    onTestFinished(() => void other.kill("SIGKILL"));
    const done = await quasar(at, ["run", "Write", "--json", ...agents(at, oneCycle())]);
    expect(done.code, done.stdout).toBe(code);
    if (code !== 0) expect(lastRecord(done)).toMatchObject({ code: "ERR_AGENT_ALIVE" });
  },
);

test("while an agent of another run works in the tree, run and resume are refused with 6", async () => {
  const at = place();
  await quasar(at, ["run", "Older", "--max-cycles", "1", ...agents(at, neverContent())]);
  const { runs } = lastRecord(await quasar(at, ["status", "--json"])) as {
    runs: { runId: string }[];
  };
  const older = runs[0]?.runId ?? "";
  const { runId, agents: args } = await orphaned(at, "coder", agents(at, slow(LONG)));
  for (const command of [
    ["run", "--new", "Another", ...args],
    ["resume", older, "--accept-head"],
  ]) {
    const refused = await quasar(at, [...command, "--json"]);
    expect(refused.code, refused.stdout).toBe(6);
    expect(lastRecord(refused)).toMatchObject({
      code: "ERR_AGENT_ALIVE",
      next: [
        expect.stringContaining(`quasar resume ${runId}`),
        expect.stringContaining(`quasar abandon ${runId}`),
      ],
    });
  }
  expect(findRunProcesses(runId)?.length).toBeGreaterThan(0);
});
