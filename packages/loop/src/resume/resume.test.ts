import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Checkpoint, createMemoryCheckpointStore, type Phase } from "@quasar/checkpoint";
import { PHASES } from "@quasar/checkpoint/testing";
import { describe, expect, test, vi } from "vitest";
import {
  APPROVAL,
  type FakeAgent,
  fakeAgent,
  issue,
  resultOf,
  writingCoder,
} from "../../test/fake-agent.ts";
import { aCheckpoint, aFinding, aTurn } from "../../test/fixtures.ts";
import { aFolder, aWorkTree, type Harness, harness } from "../../test/harness.ts";
import type { WorkTree } from "../../test/work-tree.ts";
import type { AgentInvoker, AgentResult } from "@quasar/agents";
import type { UnfinishedTurn } from "@quasar/agents/turns";
import { stateFromCheckpoint } from "../convert.ts";
import type { LoopEvent } from "../event.ts";
import { runFromCheckpoint, runTask } from "../loop.ts";
import { type RestartRule, RESTART_RULES, restart } from "./resume.ts";

const OTHER_SHA = "b".repeat(40);
const ISSUES = issue("needs a test");

/** What an invoker is that knows how a turn ended. */
const ended = (result: Partial<AgentResult>): Pick<Required<AgentInvoker>, "find" | "adopt"> => ({
  find: async () => ({ state: "ended" }),
  adopt: async () => ({
    text: "",
    costUsd: 0.3,
    costSource: "reported",
    durationMs: 1,
    ...result,
  }),
});

/** A checkpoint of the harness's work tree as it stands. */
function at({ tree }: Harness, change: Partial<Checkpoint>): Checkpoint {
  return aCheckpoint({ gitSha: tree.head(), ...change });
}

describe("seed 4: Add resume capability to Loop.RunExistingTask", () => {
  test("RunFromCheckpoint reconstructs the state from the checkpoint and enters the loop", async () => {
    const loop = harness();
    const checkpoint = at(loop, {
      cycle: 2,
      phase: "review_complete",
      reviewOutput: ISSUES,
      findings: [aFinding({ description: "needs a test", cycle: 2 })],
      allFindings: [aFinding({ cycle: 1, status: "fixed" })],
      totalCostUsd: 1,
      cycleCommits: [OTHER_SHA, loop.tree.head()],
      childBeadIds: ["child-1"],
      baseCommitSha: OTHER_SHA,
    });
    const result = await runFromCheckpoint(checkpoint, loop.options);
    expect(result).toMatchObject({
      outcome: "approved",
      taskId: "t-1",
      runId: "run",
      cycle: 3,
      baseCommitSha: OTHER_SHA,
      finalCommitSha: loop.tree.head(),
      cycleCommits: [OTHER_SHA, checkpoint.gitSha, loop.tree.head()],
    });
    expect(result.totalCostUsd).toBeCloseTo(1.2);
    expect(result.allFindings.map(({ cycle, status }) => [cycle, status])).toEqual([
      [1, "fixed"],
      [2, "found"],
    ]);
    expect(result.checkpoint.childBeadIds).toEqual(["child-1"]);
  });

  test("resume from review_complete starts the next cycle", async () => {
    const coder = writingCoder();
    const loop = harness({ coder });
    const findings = [aFinding({ description: "needs a test" })];
    await runFromCheckpoint(at(loop, { reviewOutput: ISSUES, findings }), loop.options);
    expect(loop.trace().slice(0, 3)).toEqual([
      "resumed 2",
      "cycle_start 2",
      "agent_start coder run.1",
    ]);
    expect(coder.requests[0]?.prompt).toContain("1. [major] needs a test");
  });

  test("resume from coding restarts the same cycle, and what its coder said is discarded", async () => {
    const coder = writingCoder();
    const loop = harness({ coder, reviewer: fakeAgent([APPROVAL]) });
    const checkpoint = at(loop, {
      cycle: 2,
      phase: "coding",
      coderOutput: "half a thought",
      findings: [aFinding({ description: "needs a test" })],
    });
    await runFromCheckpoint(checkpoint, loop.options);
    expect(loop.trace().slice(0, 2)).toEqual(["resumed 2", "cycle_start 2"]);
    expect(coder.requests[0]?.prompt).toContain("1. [major] needs a test");
    expect(loop.events.map((event) => event.state().coderOutput)).not.toContain("half a thought");
  });

  test("EventResumed is emitted before the loop begins, in these words", async () => {
    const loop = harness();
    await runFromCheckpoint(at(loop, { reviewOutput: ISSUES }), loop.options);
    expect(loop.events[0]).toMatchObject({
      type: "resumed",
      taskId: "t-1",
      cycle: 2,
      message: "resumed from checkpoint",
      details: [
        "cycle 1 of 3, $0.00 of $3.00 spent",
        "cycle 1 is complete; the coder continues with its findings",
      ],
    });
    expect(loop.events.filter(({ type }) => type === "resumed")).toHaveLength(1);
  });

  test("the checkpoint hook is wired by itself when a store is given", async () => {
    const store = createMemoryCheckpointStore();
    const seen: string[] = [];
    const hook = {
      async onEvent(event: LoopEvent) {
        const stored = (await store.load("api"))?.checkpoint;
        if (event.type === "review_complete") {
          seen.push(`${stored?.phase} ${stored?.cycle} ${stored?.nebulaName}`);
        }
      },
    };
    const loop = harness({
      checkpoint: { store, phaseId: "api", nebulaName: "neb" },
      hooks: [hook],
      maxCycles: 1,
      reviewer: fakeAgent([ISSUES]),
    });
    await runTask({ id: "t", title: "Do it" }, loop.options);
    expect(seen, "stored before other hooks are told").toEqual(["review_complete 1 neb"]);
    expect((await store.load("api"))?.checkpoint).toMatchObject({
      phase: "resolving_issues",
      failure: expect.stringContaining("Max cycles reached (1)"),
      gitSha: loop.tree.head(),
    });
  });

  test.for(["runTask", "runFromCheckpoint"])(
    "the checkpoint is removed after the task has succeeded: %s",
    async (way) => {
      const loop = harness();
      const checkpoint = at(loop, { reviewOutput: ISSUES });
      await loop.store.save(checkpoint);
      const running =
        way === "runTask"
          ? runTask({ title: "Do it" }, loop.options)
          : runFromCheckpoint(checkpoint, loop.options);
      expect((await running).outcome).toBe("approved");
      expect(await loop.store.load()).toBeUndefined();
    },
  );

  test.for([
    ["a later version", { version: 2 }, "ERR_INCOMPATIBLE_VERSION"],
    ["another HEAD", { gitSha: OTHER_SHA }, "ERR_GIT_SHA_MISMATCH"],
    ["no cycle", { cycle: 0 }, "ERR_INVALID_CHECKPOINT"],
    ["more cycles than there can be", { cycle: 4e9 }, "ERR_INVALID_CHECKPOINT"],
    ["the phase error", { phase: "error" }, "ERR_INVALID_CHECKPOINT"],
  ] as const)("RunFromCheckpoint refuses %s and starts nothing", async ([, change, code]) => {
    const coder = writingCoder();
    const loop = harness({ coder });
    await expect(runFromCheckpoint(at(loop, change), loop.options)).rejects.toMatchObject({
      name: "CheckpointError",
      code,
    });
    expect(coder.requests).toHaveLength(0);
    expect(loop.events).toHaveLength(0);
  });

  test("nothing changes when no store is given: the same events, the same commits, no file", async () => {
    const traces = await Promise.all(
      [undefined, { store: createMemoryCheckpointStore() }].map(async (checkpoint) => {
        const reviewer = fakeAgent([ISSUES, APPROVAL]);
        const loop = harness({ checkpoint, reviewer });
        const result = await runTask({ id: "t", title: "Do it" }, loop.options);
        expect(existsSync(join(loop.tree.dir, ".quasar"))).toBe(false);
        return { trace: loop.trace(), subjects: loop.tree.subjects(), cost: result.totalCostUsd };
      }),
    );
    expect(traces[0]).toEqual(traces[1]);
  });
});

/** What each phase makes of a checkpoint that has no `turn` entry. */
const RULES: Readonly<Record<Exclude<Phase, "error">, readonly [RestartRule, string]>> = {
  idle: ["same cycle", "resumed 2, cycle_start 2, agent_start coder run.1"],
  bead_created: ["same cycle", "resumed 2, cycle_start 2, agent_start coder run.1"],
  coding: ["same cycle", "resumed 2, cycle_start 2, agent_start coder run.1"],
  code_complete: ["checks", "resumed 2, agent_start reviewer run.1, agent_done reviewer"],
  linting: ["checks", "resumed 2, agent_start reviewer run.1, agent_done reviewer"],
  filtering: ["checks", "resumed 2, agent_start reviewer run.1, agent_done reviewer"],
  reviewing: ["same cycle", "resumed 2, cycle_start 2, agent_start coder run.1"],
  review_complete: ["next cycle", "resumed 3, cycle_start 3, agent_start coder run.1"],
  resolving_issues: ["next cycle", "resumed 3, cycle_start 3, agent_start coder run.1"],
  approved: ["finish", "resumed 2, task_success 2"],
};

test.for(Object.entries(RULES))(
  "resumes a checkpoint of phase %s without a turn by its rule",
  async ([phase, [rule, beginning]]) => {
    const loop = harness();
    const head = loop.tree.head();
    const checkpoint = at(loop, { cycle: 2, phase: phase as Phase, cycleCommits: ["", head] });
    expect(RESTART_RULES[checkpoint.phase]).toBe(rule);
    await runFromCheckpoint(checkpoint, loop.options);
    expect(loop.trace().slice(0, 3).join(", ")).toBe(beginning);
  },
);

test("has a rule for every phase", () => {
  expect(Object.keys(RESTART_RULES)).toEqual([...PHASES]);
});

test.for(["code_complete", "linting", "filtering"] as const)(
  "restarts the cycle of a checkpoint of phase %s whose commit is not HEAD",
  async (phase) => {
    const loop = harness();
    await runFromCheckpoint(
      at(loop, { cycle: 2, phase, cycleCommits: [loop.tree.head()] }),
      loop.options,
    );
    expect(loop.trace()[1]).toBe("cycle_start 2");
  },
);

test("puts findings on record that a foreign file did not yet accumulate, once", () => {
  const findings = [aFinding({ cycle: 2 })];
  const state = stateFromCheckpoint(aCheckpoint({ cycle: 2, findings }));
  const once = restart(state, "");
  expect(once.allFindings).toEqual(findings);
  expect(restart(once, "").allFindings).toEqual(findings);
});

describe("approved means finished", () => {
  const finished: readonly Partial<Checkpoint>[] = [
    { cycle: 3, phase: "approved", reviewOutput: APPROVAL },
    { cycle: 3, phase: "review_complete", reviewOutput: APPROVAL },
    { cycle: 3, phase: "review_complete", reviewOutput: APPROVAL, totalCostUsd: 9 },
  ];
  test.for(finished)("a checkpoint of %o is completed and not run again", async (change) => {
    const coder = writingCoder();
    const loop = harness({ coder });
    const checkpoint = at(loop, { maxCycles: 3, ...change });
    await loop.store.save(checkpoint);
    const result = await runFromCheckpoint(checkpoint, loop.options);
    expect(result).toMatchObject({ outcome: "approved", cycle: 3, report: { summary: "fine" } });
    expect(loop.trace()).toEqual(["resumed 3", "task_success 3"]);
    expect(coder.requests).toHaveLength(0);
    expect(await loop.store.load()).toBeUndefined();
  });
});

describe("limits", () => {
  const ended: readonly (readonly [Partial<Checkpoint>, string])[] = [
    [{ cycle: 3, reviewOutput: ISSUES }, "max_cycles"],
    [{ cycle: 3, phase: "resolving_issues" }, "max_cycles"],
    [{ totalCostUsd: 3, reviewOutput: ISSUES }, "budget"],
    [{ totalCostUsd: 3, phase: "code_complete", turn: aTurn() }, "budget"],
  ];
  test.for(ended)(
    "a resume of %o buys nothing, says why and keeps the file",
    async ([change, outcome]) => {
      const coder = writingCoder();
      const reviewer = fakeAgent([APPROVAL]);
      const loop = harness({ coder, reviewer });
      const result = await runFromCheckpoint(at(loop, change), loop.options);
      expect(result.outcome).toBe(outcome);
      expect(result.message).toMatch(/resume with (?:a budget of \$|more cycles)/iu);
      expect([...coder.requests, ...reviewer.requests]).toHaveLength(0);
      expect((await loop.stored()).failure).toBe(result.message);
    },
  );

  test.for(ended)("a resume of %o with raised limits continues", async ([change]) => {
    const loop = harness({ maxCycles: 5, maxBudgetUsd: 9 });
    const result = await runFromCheckpoint(at(loop, change), loop.options);
    expect(result.outcome).toBe("approved");
    expect(result.checkpoint).toMatchObject({ maxCycles: 5, maxBudgetUsd: 9, failure: "" });
  });

  test("a run that went in circles continues when it is resumed, as it says, and may end so again", async () => {
    const reviewer = fakeAgent([issue("the same")]);
    const loop = harness({ reviewer, detectStruggle: true, maxBudgetUsd: 0.6, maxCycles: 3 });
    const ended = await runTask({ id: "t-1", title: "Do it" }, loop.options);
    expect(ended).toMatchObject({ outcome: "struggling", cycle: 2 });
    loop.events.length = 0;
    const options = { ...loop.options, maxCycles: 6, maxBudgetUsd: 1.2 };
    const resumed = await runFromCheckpoint(await loop.stored(), options);
    expect(resumed).toMatchObject({ outcome: "struggling", cycle: 3 });
    expect(loop.events[0]).toMatchObject({
      type: "resumed",
      details: [expect.any(String), "cycle 2 is complete; the coder continues with its findings"],
    });
    expect(loop.trace()[1]).toBe("cycle_start 3");
  });

  test("the file's limits hold when the caller says nothing", async () => {
    const coder = writingCoder();
    const loop = harness({ coder, maxCycles: undefined, maxBudgetUsd: undefined });
    const checkpoint = at(loop, { maxCycles: 2, maxBudgetUsd: 8, reviewOutput: ISSUES });
    const result = await runFromCheckpoint(checkpoint, loop.options);
    expect(result.checkpoint).toMatchObject({ maxCycles: 2, maxBudgetUsd: 8 });
    expect(coder.requests[0]?.maxCostUsd).toBeCloseTo(8 - checkpoint.totalCostUsd - 0.8);
  });
});

function commitAs(
  tree: WorkTree,
  subject: string,
  trailers: Record<string, string>,
  reflogAction?: string,
): string {
  tree.write("work.txt", `${subject}\n`);
  tree.git("add", "-A");
  const lines = Object.entries(trailers).map(([name, value]) => `${name}: ${value}`);
  vi.stubEnv("GIT_REFLOG_ACTION", reflogAction);
  tree.git("commit", "-q", "-m", subject, "-m", lines.join("\n"));
  vi.unstubAllEnvs();
  return tree.head();
}

describe("commits after the checkpoint", () => {
  const own = (cycle: number, n: number): Record<string, string> => ({
    "Quasar-Task": "t-1",
    "Quasar-Cycle": String(cycle),
    "Quasar-Turn": `run.${n}`,
  });

  test("the run's own are adopted: their turns are not run again, and their cost is not forgotten", async () => {
    const coder = writingCoder();
    const loop = harness({ coder });
    const checkpoint = at(loop, {
      cycle: 1,
      reviewOutput: ISSUES,
      turn: aTurn({ id: "run.2", role: "reviewer" }),
      totalCostUsd: 1,
    });
    commitAs(loop.tree, "t-1/cycle-2: Do it", own(2, 3));
    const sha = commitAs(loop.tree, "t-1/cycle-2: Do it (lint fix)", own(2, 4));
    const result = await runFromCheckpoint(checkpoint, loop.options);
    expect(result).toMatchObject({ outcome: "approved", cycle: 2, cycleCommits: ["", sha] });
    expect(coder.requests).toHaveLength(0);
    expect(result.totalCostUsd, "two turns at half a dollar, and the review").toBeCloseTo(2.1);
    expect(result.unknownCostUsd).toBeCloseTo(1);
    expect(result.checkpoint.ledger).toMatchObject([
      { turnId: "", costUsd: 1, unknownUsd: 0 },
      { turnId: "run.3", status: "settled", source: "unknown", costUsd: 0.5, unknownUsd: 0.5 },
      { turnId: "run.4", status: "settled", source: "unknown", costUsd: 0.5, unknownUsd: 0.5 },
      { turnId: "run.5", status: "settled", source: "reported", costUsd: 0.1 },
    ]);
    expect(loop.trace().slice(0, 5)).toEqual([
      "resumed 2",
      "committed",
      "committed",
      "committed nothing",
      "agent_start reviewer run.5",
    ]);
    expect(loop.events.slice(1, 3)).toMatchObject([
      { type: "committed", cycle: 2, turnId: "run.3" },
      { type: "committed", cycle: 2, turnId: "run.4", sha },
    ]);
    const [resumed] = loop.events;
    expect(resumed?.type === "resumed" && resumed.details[0]).toContain("t-1/cycle-2: Do it");
  });

  test.for([
    ["settled", 0.1],
    ["started", 0.6],
  ] as const)(
    "that of a %s turn is its end; what lies there then is a commit of its own",
    async ([status, usd]) => {
      const coder = writingCoder();
      const loop = harness({ coder });
      const turn = aTurn({ id: "run.3", status, reservedUsd: 0.5 });
      const checkpoint = at(loop, { cycle: 2, phase: "coding", turn });
      const sha = commitAs(loop.tree, "t-1/cycle-2: Do it", own(2, 3));
      loop.tree.write("notes.txt", "written by a person since\n");
      const result = await runFromCheckpoint(checkpoint, loop.options);
      const head = loop.tree.head();
      expect(result).toMatchObject({ outcome: "approved", cycleCommits: ["", head] });
      expect(loop.trace().slice(0, 4)).toEqual([
        "resumed 2",
        "committed",
        "committed",
        "agent_start reviewer run.4",
      ]);
      expect(loop.events[2]).toMatchObject({ by: "checks", paths: ["notes.txt"], sha: head });
      expect(coder.requests).toHaveLength(0);
      expect(loop.tree.git("rev-parse", "HEAD^").trim()).toBe(sha);
      expect(result.totalCostUsd).toBeCloseTo(usd);
    },
  );

  test("those that an agent made itself are known by the reflog, and finish no turn", async () => {
    const coder = writingCoder();
    const loop = harness({ coder });
    const turn = aTurn({ id: "run.3", status: "started", reservedUsd: 0.5 });
    const checkpoint = at(loop, { cycle: 2, phase: "coding", turn });
    commitAs(loop.tree, "t-1/cycle-2: Do it", own(2, 3), "quasar:run/3");
    const theirs = commitAs(loop.tree, "wip", {}, "quasar:run/3");
    const started = at(loop, {
      ...checkpoint,
      gitSha: loop.tree.git("rev-parse", "HEAD~2").trim(),
    });
    const half = { ...started, gitSha: loop.tree.git("rev-parse", "HEAD~1").trim() };
    const result = await runFromCheckpoint(half, loop.options);
    expect(result.outcome).toBe("approved");
    expect(loop.trace().slice(0, 3)).toEqual([
      "resumed 2",
      "turn_recovered coder restarted",
      "agent_start coder run.4 again 2",
    ]);
    expect(loop.events[0]).toMatchObject({
      details: expect.arrayContaining([
        expect.stringMatching(/\(wip\) is kept: an agent of this/u),
      ]),
    });
    expect(loop.tree.subjects()).toEqual(["t-1/cycle-2: Do it", "wip", "t-1/cycle-2: Do it"]);
    loop.tree.git("reset", "-q", "--hard", theirs);
    expect((await runFromCheckpoint(started, loop.options)).cycleCommits).toEqual([
      "",
      half.gitSha,
    ]);
  });

  test.for([
    ["by the reflog of another run", "quasar:run-2/3"],
    ["by the reflog of a run whose id begins the same", "quasar:ru/3"],
    ["by a person in the middle", "commit"],
  ] as const)("one %s is refused", async ([, action]) => {
    const loop = harness();
    const turn = aTurn({ id: "run.3", status: "started" });
    const checkpoint = at(loop, { cycle: 2, phase: "coding", turn });
    commitAs(loop.tree, "wip", {}, action);
    commitAs(loop.tree, "more", {}, "quasar:run/3");
    await expect(runFromCheckpoint(checkpoint, loop.options)).rejects.toMatchObject({
      code: "ERR_GIT_SHA_MISMATCH",
    });
  });

  test.for([
    ["of nobody", {}],
    ["of another run", { ...own(2, 1), "Quasar-Turn": "other.1" }],
    ["of another task", { ...own(2, 1), "Quasar-Task": "t-2" }],
  ] as const)("one %s is refused, and taken with acceptHead", async ([, trailers]) => {
    const loop = harness();
    const checkpoint = at(loop, { reviewOutput: ISSUES });
    const head = commitAs(loop.tree, "something", trailers);
    await expect(runFromCheckpoint(checkpoint, loop.options)).rejects.toMatchObject({
      code: "ERR_GIT_SHA_MISMATCH",
      message: expect.stringMatching(new RegExp(`${checkpoint.gitSha}.*${head}`, "u")),
    });
    const result = await runFromCheckpoint(checkpoint, { ...loop.options, acceptHead: true });
    expect(result.outcome).toBe("approved");
    expect(loop.trace().slice(0, 2)).toEqual([
      "resumed 2",
      `warning checkpoint is of commit ${checkpoint.gitSha}, but HEAD is ${head}: accepted`,
    ]);
  });

  test("a foreign one on top of an own one is refused", async () => {
    const loop = harness();
    const checkpoint = at(loop, { reviewOutput: ISSUES });
    commitAs(loop.tree, "t-1/cycle-2: Do it", own(2, 1));
    commitAs(loop.tree, "something", {});
    await expect(runFromCheckpoint(checkpoint, loop.options)).rejects.toMatchObject({
      code: "ERR_GIT_SHA_MISMATCH",
    });
  });

  test("trailers that anybody may have written take a run nowhere", async () => {
    const loop = harness();
    const checkpoint = at(loop, { reviewOutput: ISSUES, turn: aTurn({ role: "reviewer" }) });
    commitAs(loop.tree, "t-1/cycle-9: Do it", own(999_999_999, 999_999_999));
    const result = await runFromCheckpoint(checkpoint, loop.options);
    expect(result).toMatchObject({ outcome: "approved", cycle: 2 });
    expect(result.cycleCommits).toHaveLength(2);
  });

  test("turns that they tell of cost no more than the budget", async () => {
    const loop = harness();
    const checkpoint = at(loop, { reviewOutput: ISSUES, totalCostUsd: 1 });
    commitAs(loop.tree, "t-1/cycle-2: Do it", own(2, 999_999_999));
    const result = await runFromCheckpoint(checkpoint, loop.options);
    expect(result).toMatchObject({ outcome: "budget", totalCostUsd: 3 });
  });

  test("the turns between, of which nothing is known, are one entry in the ledger", async () => {
    const loop = harness();
    const turn = aTurn({ id: "run.2", status: "started" });
    const checkpoint = at(loop, { phase: "coding", turn });
    commitAs(loop.tree, "t-1/cycle-2: Do it", own(2, 5));
    const { checkpoint: last, totalCostUsd } = await runFromCheckpoint(checkpoint, loop.options);
    expect(last.ledger).toMatchObject([
      { turnId: "run.2", status: "lost", costUsd: 0.5 },
      { turnId: "", status: "lost", costUsd: 1, unknownUsd: 1 },
      { turnId: "run.5", status: "settled", costUsd: 0.5 },
      { turnId: "run.6", status: "settled", costUsd: 0.1 },
    ]);
    expect(last.ledger.reduce((sum, { costUsd }) => sum + costUsd, 0)).toBe(totalCostUsd);
  });

  test("turns that only they know count with all that they were allowed, where an agent can be held to that", async () => {
    const bounded = (agent: FakeAgent, usd: number) =>
      Object.assign(agent, { responseBoundUsd: () => usd });
    const [coder, reviewer] = [fakeAgent([]), fakeAgent([{ text: APPROVAL, costUsd: 0.1 }])];
    const loop = harness({ coder: bounded(coder, 0.2), reviewer: bounded(reviewer, 0.3) });
    const checkpoint = at(loop, { reviewOutput: ISSUES, turn: aTurn({ id: "run.4" }) });
    commitAs(loop.tree, "t-1/cycle-2: Do it", own(2, 5));
    const stopped = await runFromCheckpoint(checkpoint, loop.options);
    const { maxBudgetUsd, totalCostUsd, neededBudgetUsd, ledger } = stopped.checkpoint;
    const costUsd = maxBudgetUsd * 0.9 - checkpoint.totalCostUsd;
    expect(ledger).toMatchObject([
      { turnId: "run.5", status: "settled", source: "unknown", costUsd, unknownUsd: costUsd },
    ]);
    expect(stopped.outcome).toBe("budget");
    const more = { ...loop.options, maxBudgetUsd: neededBudgetUsd };
    const result = await runFromCheckpoint(stopped.checkpoint, more);
    expect(result.outcome).toBe("approved");
    expect(result.checkpoint.totalCostUsd).toBeCloseTo(totalCostUsd + 0.1);
  });

  test("an own one on another base is refused", async () => {
    const loop = harness();
    commitAs(loop.tree, "t-1/cycle-1: Do it", own(1, 1));
    const checkpoint = at(loop, { reviewOutput: ISSUES });
    loop.tree.git("reset", "-q", "--hard", "HEAD~1");
    commitAs(loop.tree, "t-1/cycle-2: Do it", own(2, 3));
    await expect(runFromCheckpoint(checkpoint, loop.options)).rejects.toMatchObject({
      code: "ERR_GIT_SHA_MISMATCH",
    });
  });

  test("a HEAD that went back is refused", async () => {
    const loop = harness();
    const sha = commitAs(loop.tree, "t-1/cycle-1: Do it", own(1, 1));
    loop.tree.git("reset", "-q", "--hard", "HEAD~1");
    const checkpoint = at(loop, { gitSha: sha, reviewOutput: ISSUES });
    await expect(runFromCheckpoint(checkpoint, loop.options)).rejects.toMatchObject({
      code: "ERR_GIT_SHA_MISMATCH",
    });
  });

  test("a checkpoint of a repository is refused outside of one", async () => {
    const loop = harness();
    const dir = aFolder();
    const checkpoint = at(loop, { reviewOutput: ISSUES });
    await expect(
      runFromCheckpoint(checkpoint, { ...loop.options, workTree: dir }),
    ).rejects.toMatchObject({ code: "ERR_GIT_SHA_MISMATCH" });
  });
});

describe("a turn entry", () => {
  test("a settled coder turn is committed and continues to the checks", async () => {
    const coder = writingCoder();
    const loop = harness({ coder });
    loop.tree.write("work.txt", "done\n");
    const turn = aTurn({ id: "run.3" });
    const checkpoint = at(loop, { cycle: 2, phase: "coding", turn, coderOutput: "did it" });
    const result = await runFromCheckpoint(checkpoint, loop.options);
    expect(loop.trace().slice(0, 3)).toEqual([
      "resumed 2",
      "committed",
      "agent_start reviewer run.4",
    ]);
    expect(coder.requests).toHaveLength(0);
    expect(result.totalCostUsd).toBeCloseTo(0.1);
    expect(loop.tree.subjects()).toEqual(["t-1/cycle-2: Do it"]);
  });

  test("a settled reviewer turn is processed and not paid for again", async () => {
    const reviewer = fakeAgent([APPROVAL]);
    const loop = harness({ reviewer });
    const turn = aTurn({ id: "run.2", role: "reviewer" });
    const checkpoint = at(loop, { phase: "reviewing", turn, reviewOutput: ISSUES });
    await runFromCheckpoint(checkpoint, loop.options);
    expect(loop.trace().slice(0, 3)).toEqual([
      "resumed 1",
      "review_complete 1 1 found",
      "cycle_start 2",
    ]);
    expect(reviewer.requests).toHaveLength(1);
  });

  describe("with other checks than those that passed", () => {
    const review = aTurn({ id: "run.2", role: "reviewer" });
    /** A run whose tree was approved without a check. */
    const approved = (loop: Harness): Checkpoint => {
      const tree = loop.tree.git("rev-parse", "HEAD^{tree}").trim();
      const trees = { checkedTree: tree, reviewedTree: tree };
      return at(loop, { phase: "reviewing", turn: review, reviewOutput: APPROVAL, ...trees });
    };

    test("has them pass first, and needs no other review of the same tree", async () => {
      const reviewer = fakeAgent([APPROVAL]);
      const filters = [{ name: "tests", command: "true" }];
      const loop = harness({ reviewer, filters });
      const result = await runFromCheckpoint(approved(loop), loop.options);
      expect(result).toMatchObject({ outcome: "approved", cycle: 1 });
      expect(loop.events).toContainEqual(expect.objectContaining({ name: "tests", passed: true }));
      expect(reviewer.requests).toHaveLength(0);
      const [resumed] = loop.events;
      expect(resumed).toMatchObject({
        details: expect.arrayContaining([expect.stringContaining("not those that passed")]),
      });
    });

    test.for(["filters", "lint"] as const)("is not approved where they fail (%s)", async (kind) => {
      const coder = writingCoder();
      const checks = [{ name: "tests", command: "grep -q nothere README.md" }];
      const loop = harness({ coder, [kind]: checks, maxCycles: 1, maxLintRetries: 1 });
      const result = await runFromCheckpoint(approved(loop), loop.options);
      expect(loop.events).toContainEqual(expect.objectContaining({ name: "tests", passed: false }));
      if (kind === "filters") expect(result.outcome).toBe("max_cycles");
      else expect(coder.requests).toHaveLength(1);
    });

    test("has them pass before a reviewer is paid", async () => {
      const reviewer = fakeAgent([APPROVAL]);
      const filters = [{ name: "tests", command: "exit 1" }];
      const loop = harness({ reviewer, filters, maxCycles: 1 });
      const turn = aTurn({ id: "run.1" });
      const checkpoint = at(loop, { phase: "reviewing", turn });
      const result = await runFromCheckpoint(checkpoint, loop.options);
      expect(result.outcome).toBe("max_cycles");
      expect(reviewer.requests).toHaveLength(0);
    });
  });

  test("an unfinished turn starts again, is told so, and counts with its reservation", async () => {
    const coder = writingCoder();
    const loop = harness({ coder });
    const turn = aTurn({ id: "run.3", status: "started", reservedUsd: 0.5 });
    const result = await runFromCheckpoint(at(loop, { phase: "coding", turn }), loop.options);
    expect(loop.trace().slice(0, 3)).toEqual([
      "resumed 1",
      "turn_recovered coder restarted",
      "agent_start coder run.4 again 2",
    ]);
    expect(coder.requests[0]?.prompt).toMatch(
      /^An earlier attempt.*Nothing in the work tree is uncommitted/u,
    );
    expect(result.totalCostUsd).toBeCloseTo(0.7);
  });

  test.for([
    [3, false, "The coder was mid-turn. It restarts (the lost attempt counts as $0.50)."],
    [
      3,
      true,
      "The coder was mid-turn. Checking whether it finished; if not, it restarts (the lost attempt counts as $0.50).",
    ],
    [0, false, "It restarts (what it has cost cannot be counted)."],
  ] as const)("what becomes of it is told, with a budget of %s (adopted: %s)", async (row) => {
    const [maxBudgetUsd, adopts, words] = row;
    const find = async () => ({ state: "unknown" }) as const;
    const coder = adopts ? { ...writingCoder(), ...ended({}), find } : writingCoder();
    const loop = harness({ coder, maxBudgetUsd });
    const reservedUsd = maxBudgetUsd === 0 ? 0 : 0.5;
    const turn = aTurn({ id: "run.3", status: "started", reservedUsd });
    const spent = { totalCostUsd: 0.6, unknownCostUsd: 0.2 };
    const checkpoint = at(loop, { phase: "coding", turn, maxBudgetUsd, ...spent });
    const result = await runFromCheckpoint(checkpoint, loop.options);
    const details = loop.events[0]?.type === "resumed" ? loop.events[0].details : [];
    expect(details[0]).toContain("$0.40 known + up to $0.20");
    expect(details[1]).toContain(words);
    expect(result.unknownCostUsd).toBeCloseTo(0.2 + reservedUsd);
  });

  test("an unfinished turn whose agent outlived its runner is adopted", async () => {
    const invoked = writingCoder();
    const adopted: UnfinishedTurn[] = [];
    const coder: FakeAgent = {
      ...invoked,
      ...ended({}),
      adopt: async (unfinished) => {
        adopted.push(unfinished);
        return resultOf({ text: "did it", costUsd: 0.3 });
      },
    };
    const loop = harness({ coder });
    loop.tree.write("work.txt", "done\n");
    const process = { pid: 42, processStart: 7, host: "here" };
    const turn = aTurn({ id: "run.3", status: "started", sessionId: "s-1", ...process });
    const result = await runFromCheckpoint(at(loop, { phase: "coding", turn }), loop.options);
    expect(adopted).toMatchObject([
      {
        request: {
          runId: "run",
          turnId: "run.3",
          role: "coder",
          prompt: "",
          workTree: loop.tree.dir,
          maxCostUsd: 0.5,
          sessionId: "s-1",
          resumesSession: false,
        },
        process: { pid: 42, startTime: 7, bootId: undefined, host: "here" },
      },
    ]);
    expect(invoked.requests).toHaveLength(0);
    expect(result.totalCostUsd).toBeCloseTo(0.4);
    expect(loop.tree.subjects()).toEqual(["t-1/cycle-1: Do it"]);
  });

  test("an adopted turn that had failed is counted and started again", async () => {
    const invoked = writingCoder();
    const failure = { kind: "overloaded", message: "busy", retryable: true } as const;
    const coder = { ...invoked, ...ended({ failure }) };
    const loop = harness({ coder });
    const turn = aTurn({ id: "run.3", status: "started" });
    const result = await runFromCheckpoint(at(loop, { phase: "coding", turn }), loop.options);
    expect(result.outcome).toBe("approved");
    expect(invoked.requests).toHaveLength(1);
    expect(result.totalCostUsd).toBeCloseTo(0.5);
  });

  test("a turn that is known to have failed is started again without counting it twice", async () => {
    const coder = writingCoder();
    const loop = harness({ coder });
    const turn = aTurn({ id: "run.3", status: "started", attempt: 2 });
    const checkpoint = at(loop, { phase: "coding", turn, failure: "coder: busy", totalCostUsd: 1 });
    const result = await runFromCheckpoint(checkpoint, loop.options);
    expect(loop.trace()[2]).toBe("agent_start coder run.4 again 3");
    expect(result.totalCostUsd).toBeCloseTo(1.2);
  });

  test("a resume that is interrupted before it searched for a turn's end leaves it unknown", async () => {
    const loop = harness({ signal: AbortSignal.abort() });
    const turn = aTurn({ id: "run.3", status: "started", reservedUsd: 0.5 });
    const result = await runFromCheckpoint(at(loop, { phase: "coding", turn }), loop.options);
    expect(result.outcome).toBe("interrupted");
    expect(await loop.stored()).toMatchObject({ failure: "", turn: { status: "started" } });
    const resumed = await runFromCheckpoint(await loop.stored(), {
      ...loop.options,
      signal: undefined,
    });
    expect(resumed.totalCostUsd).toBeCloseTo(0.7);
  });
});

test("a file of somebody else gets a run id, and its commits carry it", async () => {
  const loop = harness({ runId: undefined });
  const result = await runFromCheckpoint(
    at(loop, { runId: "", reviewOutput: ISSUES }),
    loop.options,
  );
  expect(result.runId).toMatch(/^[0-9a-f]{12}$/u);
  expect(loop.tree.git("log", "-1", "--format=%(trailers)")).toContain(
    `Quasar-Turn: ${result.runId}.1`,
  );
});

test("works outside a repository, without commits, and resumes there", async () => {
  const dir = aFolder();
  const failing = fakeAgent([{ failure: { kind: "network", message: "no net", retryable: true } }]);
  const loop = harness({ workTree: dir, reviewer: failing });
  const failed = await runTask({ id: "t-1", title: "Do it" }, loop.options);
  expect(failed).toMatchObject({ outcome: "agent", baseCommitSha: "", cycleCommits: [] });
  expect(loop.trace()[0]).toBe("warning not in a git repository: nothing is committed");
  const options = { ...loop.options, reviewer: fakeAgent([APPROVAL]) };
  const result = await runFromCheckpoint(await loop.stored(), options);
  expect(result).toMatchObject({ outcome: "approved", finalCommitSha: "" });
});

test("begins in a repository without a commit", async () => {
  const tree = aWorkTree();
  tree.git("update-ref", "-d", "HEAD");
  const result = await runTask({ title: "Do it" }, { ...harness().options, workTree: tree.dir });
  expect(result).toMatchObject({
    outcome: "approved",
    baseCommitSha: "",
    finalCommitSha: tree.head(),
  });
});
