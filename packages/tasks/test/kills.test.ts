import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import type { ScriptedTurn } from "@quasar/agents";
import { expect, onTestFinished, test } from "vitest";
import type { AgentWork, AgentWorkDone, AgentWorkResult } from "../src/runs/agent-work.ts";
import { endTaskAgents, findTaskAgents } from "../src/runs/task-agents.ts";
import { taskCost } from "../src/runs/task-cost.ts";
import { APPROVAL } from "./lasting-agent.ts";
import { aHeldModel } from "./held-model.ts";
import {
  createFixture,
  git,
  happen,
  removeFixture,
  start,
  startAgain,
  type StepFixture,
  textOf,
} from "./step-fixture.ts";
import type { DriverTask } from "./work-driver.ts";

const DRIVER = fileURLToPath(new URL("work-driver.ts", import.meta.url));
const WORK: AgentWork = { kind: "loop", prompt: "Fix it." };

/** What a coder's turn may spend of the five dollars of a run: a tenth is kept for the review. */
const TURN_USD = 4.5;

function turns(delayMs: number): readonly ScriptedTurn[] {
  return [
    {
      role: "coder",
      says: [{ text: "reading", files: { "begun.txt": "half\n" } }, "writing"],
      files: { "work.txt": "fixed\n" },
      text: "fixed",
      costUsd: 0.25,
      delayMs,
    },
    { role: "reviewer", says: ["looking"], text: APPROVAL, costUsd: 0.25, delayMs },
  ];
}

function atImplement(): StepFixture {
  const fixture = createFixture();
  onTestFinished(async () => {
    await endTaskAgents(fixture.taskDir);
    removeFixture(fixture);
  });
  happen(fixture, { type: "start_step" }, { type: "step_complete" });
  start(fixture, "implement");
  return fixture;
}

interface Driven {
  readonly told: readonly string[];
  /** `undefined`: it was killed. */
  readonly result: AgentWorkResult | undefined;
}

async function drive(
  fixture: StepFixture,
  change: Partial<DriverTask> = {},
  delayMs = 300,
  onPrinted: (printed: string) => void = () => {},
): Promise<Driven> {
  const task: DriverTask = { fixture, work: WORK, turns: turns(delayMs), ...change };
  const driver = spawn(process.execPath, [DRIVER, JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  driver.stdout.on("data", (data) => {
    printed += String(data);
    onPrinted(printed);
  });
  await once(driver, "close");
  const lines = printed
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { told?: string; result?: AgentWorkResult });
  return {
    told: lines.flatMap(({ told }) => told ?? []),
    result: lines.find(({ result }) => result !== undefined)?.result,
  };
}

function endsOf({ turns: all }: AgentWorkDone): readonly string[] {
  return all.map(({ role, status }) => `${role} ${status}`);
}

test("a step whose driver is killed again and again buys each turn once, and commits once", async () => {
  const fixture = atImplement();
  const kills = [
    ["agent_start", "coder"],
    ["agent_event", "coder"],
    ["agent_done", "coder"],
    ["committed", ""],
    ["agent_event", "reviewer"],
    ["review_complete", ""],
    ["task_success", ""],
  ] as const;
  for (const kill of kills) {
    expect(await drive(fixture, { kill })).toMatchObject({ result: undefined });
    startAgain(fixture, "implement");
  }
  const { result } = await drive(fixture);
  const done = result as AgentWorkDone;
  expect(done).toMatchObject({ kind: "done", text: "fixed", costUsd: 0.5, unknownCostUsd: 0 });
  expect(endsOf(done)).toEqual(["coder settled", "reviewer settled"]);
  expect(git(fixture.worktree, "log", "--format=%s")).toBe("fix: fix null pointer\nfirst\n");
  expect(textOf(fixture, "work.txt")).toBe("fixed\n");
  expect(git(fixture.worktree, "status", "--porcelain")).toBe("");
  // The crash came between the run's end and that of the step.
  startAgain(fixture, "implement");
  const again = await drive(fixture);
  expect(again).toEqual({ told: [], result: { ...done, isKept: true } });
});

test("an agent that outlives its killed driver is followed, and one that has ended meanwhile is read", async () => {
  const fixture = atImplement();
  const { url: model, dispose } = await aHeldModel();
  await drive(fixture, { kill: ["agent_event", "coder"], model }, 0);
  const [agents] = await findTaskAgents(fixture.taskDir);
  expect(agents?.runId).toMatch(/-implement-1$/u);
  startAgain(fixture, "implement");
  const kill = ["agent_event", "reviewer"] as const;
  const followed = await drive(fixture, { kill, model }, 0, (printed) => {
    if (printed.includes("coder followed")) dispose();
  });
  expect(followed.told).toContain("turn_recovered coder followed");
  while ((await findTaskAgents(fixture.taskDir)).length > 0) await sleep(50);
  startAgain(fixture, "implement");
  const { told, result } = await drive(fixture);
  expect(told).toContain("turn_recovered reviewer read");
  expect(endsOf(result as AgentWorkDone)).toEqual(["coder settled", "reviewer settled"]);
});

test("an agent that was killed with its driver is started again: its work is kept, its cost is counted", async () => {
  const fixture = atImplement();
  const { url: model } = await aHeldModel();
  await drive(fixture, { kill: ["agent_event", "coder"], model }, 0);
  while (textOf(fixture, "begun.txt") === undefined) await sleep(20);
  const open = await taskCost(fixture.taskDir);
  expect(open.runs).toMatchObject([{ name: "implement-1", turns: [], isFinished: false }]);
  expect(open.runs[0]?.openUsd).toBeCloseTo(TURN_USD);
  for (const { pids } of await findTaskAgents(fixture.taskDir)) {
    for (const pid of pids) process.kill(pid, "SIGKILL");
  }
  startAgain(fixture, "implement");
  const { told, result } = await drive(fixture);
  expect(told).toContain("turn_recovered coder restarted");
  expect(told).toContain("snapshot");
  const done = result as AgentWorkDone;
  expect(endsOf(done)).toEqual(["coder lost", "coder settled", "reviewer settled"]);
  expect(done.costUsd).toBeCloseTo(5 / 6 + 0.5);
  const kept = git(fixture.worktree, "for-each-ref", "--format=%(refname)", "refs/quasar");
  expect(kept).toMatch(/^refs\/quasar\/task-[0-9a-f-]+-implement-1\/1\n$/u);
});

test("an agent of a run that was sent back is ended before the new one begins, and counts", async () => {
  const fixture = atImplement();
  await drive(fixture, { kill: ["agent_event", "coder"] }, 3_600_000);
  const [old] = await findTaskAgents(fixture.taskDir);
  happen(
    fixture,
    { type: "human_required", kind: "interrupted", reason: "it was killed" },
    { type: "human_reject", feedback: "not so" },
  );
  start(fixture, "implement");
  const { told, result } = await drive(fixture);
  expect(told[0]).not.toBe("resumed");
  const done = result as AgentWorkDone;
  expect(done.runId).toMatch(/-implement-2$/u);
  expect(endsOf(done)).toEqual(["coder settled", "reviewer settled"]);
  expect(old?.pids.length).toBeGreaterThan(0);
  expect(await findTaskAgents(fixture.taskDir)).toEqual([]);
  const { spentUsd, unknownUsd } = await taskCost(fixture.taskDir);
  expect(spentUsd).toBeCloseTo(TURN_USD + 0.5);
  expect(unknownUsd).toBeCloseTo(TURN_USD);
});

test("whatever a task has left running is found by its run, and ended", async () => {
  const fixture = atImplement();
  expect(await findTaskAgents(fixture.taskDir)).toEqual([]);
  await drive(fixture, { kill: ["agent_event", "coder"] }, 3_600_000);
  const [agents, ...others] = await findTaskAgents(fixture.taskDir);
  expect(others).toEqual([]);
  expect(agents?.pids).toHaveLength(2);
  expect(await endTaskAgents(fixture.taskDir)).toEqual([]);
  expect(await findTaskAgents(fixture.taskDir)).toEqual([]);
  // How it ended can still be read, and what it cost counts.
  startAgain(fixture, "implement");
  const { result } = await drive(fixture);
  expect(result).toMatchObject({ kind: "done", turns: { length: 3 } });
});
