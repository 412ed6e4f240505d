import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import {
  createMemoryCheckpointStore,
  type CheckpointStore,
  decodeCheckpoint,
  encodeCheckpoint,
} from "@quasar/checkpoint";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { APPROVAL, fakeAgent, issue, writingCoder } from "../../test/fake-agent.ts";
import { aCheckpoint, aTurn } from "../../test/fixtures.ts";
import { type Harness, harness, TREE_EDITS } from "../../test/harness.ts";
import type { WorkTree } from "../../test/work-tree.ts";
import type { AgentRequest, AgentResult } from "@quasar/agents";
import type { Hook } from "../event.ts";
import { runFromCheckpoint, runTask } from "../loop.ts";
import { openTurnUsd } from "../money/open-turn.ts";
import { REVIEW_SCHEMA } from "../review/review-schema.ts";

const TASK = { id: "t", title: "Do it" };
const BUSY = { kind: "overloaded", message: "too busy", retryable: true } as const;

test.for([
  ["well", {}, 0],
  ["badly", { failure: { kind: "unknown", message: "It broke.", retryable: false } }, 1],
] as const)(
  "what a person should know of an output is reported where a turn ends %s",
  async ([, how, count]) => {
    const notices = ["fake printed a line that is too long: it was cut."];
    const coder = fakeAgent([{ text: "done", notices, ...how }]);
    const loop = harness({ coder, reviewer: fakeAgent([APPROVAL]) });
    const { outcome } = await runTask(TASK, loop.options);
    expect(outcome === "approved").toBe(count === 0);
    const told = loop.trace().filter((line) => line.includes("too long"));
    expect(told).toEqual(notices.map((notice) => `warning ${notice}`));
  },
);

describe("what an agent is given", () => {
  test("the coder writes and the reviewer reads, each with its turn, its instructions and its cap", async () => {
    const coder = writingCoder();
    const reviewer = fakeAgent([APPROVAL]);
    const options = {
      coder,
      reviewer,
      maxBudgetUsd: 6,
      maxCycles: 3,
      projectContext: "GOAL: speed",
    };
    const loop = harness(options);
    await runTask(TASK, loop.options);
    expect(coder.requests[0]).toMatchObject({
      runId: "run",
      turnId: "run.1",
      role: "coder",
      access: "write",
      workTree: loop.tree.dir,
      maxCostUsd: 5.4,
      systemPrompt: expect.stringMatching(/^GOAL: speed\n\n---\n\nYou are the coder/u),
    });
    expect(coder.requests[0]?.outputSchema).toBeUndefined();
    expect(reviewer.requests[0]).toMatchObject({
      turnId: "run.2",
      role: "reviewer",
      access: "read",
    });
  });

  test("a schema and a session id, if it can do something with them", async () => {
    const able = { structuredOutput: true, choosesSessionId: true };
    const coder = fakeAgent(["done"], able);
    const reviewer = fakeAgent([APPROVAL], able);
    await runTask(TASK, harness({ coder, reviewer }).options);
    expect(coder.requests[0]?.outputSchema).toBeUndefined();
    expect(reviewer.requests[0]?.outputSchema).toBe(REVIEW_SCHEMA);
    const ids = [coder, reviewer].map(({ requests }) => requests[0]?.sessionId);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u);
  });

  test("no cap when there is no budget", async () => {
    const coder = writingCoder();
    await runTask(TASK, harness({ coder, maxBudgetUsd: 0 }).options);
    expect(coder.requests[0]?.maxCostUsd).toBeUndefined();
  });

  test("no more than what is left of the budget", async () => {
    const coder = fakeAgent([{ text: "done", costUsd: 1.9 }]);
    const reviewer = fakeAgent([APPROVAL]);
    await runTask(TASK, harness({ coder, reviewer, maxBudgetUsd: 2, maxCycles: 1 }).options);
    expect(coder.requests[0]?.maxCostUsd).toBe(1.8);
    expect(reviewer.requests[0]?.maxCostUsd).toBeCloseTo(0.1);
  });

  test("no more than a turn may spend, whatever is left of the budget", async () => {
    const coder = writingCoder();
    const options = { coder, maxBudgetUsd: 6, maxTurnBudgetUsd: 2 };
    const result = await runTask(TASK, harness(options).options);
    expect(coder.requests[0]?.maxCostUsd).toBe(2);
    expect(result.checkpoint.turn?.allowanceUsd).toBe(2);
  });
});

describe("what a turn costs", () => {
  type Row = readonly [name: string, result: Partial<AgentResult>, usd: number, unknown: number];
  const rows: readonly Row[] = [
    ["what was reported", { costUsd: 0.2, costSource: "reported" }, 0.2, 0],
    ["what was computed", { costUsd: 0.2, costSource: "computed" }, 0.2, 0],
    ["nothing, when that is known", { costUsd: 0, costSource: "reported" }, 0, 0],
    [
      "its reservation, when it is unknown",
      { costUsd: undefined, costSource: "unknown" },
      0.5,
      0.5,
    ],
    ["its reservation, when it is a guess", { costUsd: 0.2, costSource: "unknown" }, 0.5, 0.5],
    ["its reservation, when a part is known", { costUsd: 0.2, costSource: "partial" }, 0.5, 0.3],
    [
      "what may have been under way, where its agent says that",
      { costUsd: 0.2, costSource: "partial", unknownUsd: 0.1 },
      0.3,
      0.1,
    ],
    [
      "what its agent says that it may have cost, when it is unknown",
      { costUsd: undefined, costSource: "unknown", unknownUsd: 0.1 },
      0.1,
      0.1,
    ],
    ["the known part, when that is more", { costUsd: 0.7, costSource: "partial" }, 0.7, 0],
    ["its reservation, when it is no number", { costUsd: Number.NaN }, 0.5, 0.5],
    ["its reservation, when it is below zero", { costUsd: -1 }, 0.5, 0.5],
    ["its reservation, when it is endless", { costUsd: Number.POSITIVE_INFINITY }, 0.5, 0.5],
  ];
  test.for(rows)("counts %s, and how much of that is reserved only", async (row) => {
    const [, result, usd, unknown] = row;
    const coder = fakeAgent([{ text: "done", ...result, failure: BUSY }]);
    const loop = harness({ coder, maxBudgetUsd: 3 });
    const { totalCostUsd, unknownCostUsd } = await runTask(TASK, loop.options);
    expect(totalCostUsd).toBeCloseTo(usd);
    expect(unknownCostUsd).toBeCloseTo(unknown);
    expect((await loop.stored()).unknownCostUsd).toBeCloseTo(unknown);
  });

  test.for([
    [true, 2.7],
    [false, 0.5],
  ] as const)(
    "counts while it runs with what it may spend, or with its reservation where its agent reports no cost",
    async ([reportsCost, openUsd]) => {
      let open: number | undefined;
      const coder = fakeAgent(
        [
          async () => {
            open = openTurnUsd(await loop.stored());
            return { costUsd: undefined, costSource: "unknown", failure: BUSY };
          },
        ],
        { reportsCost },
      );
      const loop: Harness = harness({ coder, maxBudgetUsd: 3 });
      const { unknownCostUsd } = await runTask(TASK, loop.options);
      expect(open).toBeCloseTo(openUsd);
      expect(unknownCostUsd).toBeCloseTo(0.5);
    },
  );

  test("is told as what is known and what it may be at most", async () => {
    const coder = fakeAgent([{ costUsd: undefined, costSource: "unknown" }]);
    const reviewer = fakeAgent([issue("bad")]);
    const loop = harness({ coder, reviewer, maxBudgetUsd: 0.2, maxCycles: 2 });
    const { message } = await runTask(TASK, loop.options);
    expect(message).toContain("The budget is used up: $0.10 known + up to $0.10 of $0.20 spent.");
  });

  test.for([
    [3, "counts as $0.50", 0.6],
    [0, "is not counted", 0.1],
  ] as const)("is said to be unknown at the start, with a budget of %s", async (row) => {
    const [maxBudgetUsd, words, usd] = row;
    const coder = fakeAgent([{ costUsd: undefined, costSource: "unknown" }], {
      reportsCost: false,
      streamsUsage: false,
      resumesSession: false,
    });
    const loop = harness({ coder, maxBudgetUsd });
    const result = await runTask(TASK, loop.options);
    const warnings = loop.trace().filter((line) => line.startsWith("warning"));
    expect(warnings).toEqual([
      `warning fake is not known to report what it costs: its time limits a turn, not its cost, and a turn without a report ${words}`,
    ]);
    expect(result.totalCostUsd).toBeCloseTo(usd);
  });

  test.for([
    [
      3,
      [
        "warning fake does not report what it uses while it works: its time limits a turn, not its cost",
      ],
    ],
    [0, []],
  ] as const)("is watched between turns only where an agent says nothing, at $%s", async (row) => {
    const [maxBudgetUsd, warnings] = row;
    const coder = fakeAgent(["done"], { streamsUsage: false });
    const loop = harness({ coder, maxBudgetUsd });
    await runTask(TASK, loop.options);
    expect(loop.trace().filter((line) => line.startsWith("warning"))).toEqual(warnings);
  });

  test("an invoker that rejects is a failed turn of unknown cost", async () => {
    const coder = fakeAgent([() => Promise.reject(new Error("oops"))]);
    const result = await runTask(TASK, harness({ coder, maxBudgetUsd: 3 }).options);
    expect(result).toMatchObject({
      outcome: "agent",
      message: "the agent could not be used: oops",
      totalCostUsd: 0.5,
      agentFailure: { kind: "unknown" },
    });
  });
});

describe("a failed turn", () => {
  test("ends the run with the agent's reason, the real cycle and a file that resumes there", async () => {
    const coder = writingCoder();
    const reviewer = fakeAgent([issue("bad"), { failure: BUSY }, APPROVAL]);
    const loop = harness({ coder, reviewer });
    const failed = await runTask(TASK, loop.options);
    expect(failed).toMatchObject({
      outcome: "agent",
      cycle: 2,
      agentFailure: BUSY,
      message: "too busy",
    });
    expect(loop.events.at(-1)).toMatchObject({ type: "task_failed", cycle: 2, reason: "agent" });
    expect(await loop.stored()).toMatchObject({
      phase: "reviewing",
      cycle: 2,
      failure: "too busy",
      turn: { id: "run.4", role: "reviewer", status: "started" },
      gitSha: loop.tree.head(),
    });
    const result = await runFromCheckpoint(await loop.stored(), loop.options);
    expect(result).toMatchObject({ outcome: "approved", cycle: 2 });
    expect(coder.requests).toHaveLength(2);
    expect(result.totalCostUsd).toBeCloseTo(0.5);
  });

  test("leaves a resumable file with the seed's granularity too", async () => {
    const store = createMemoryCheckpointStore();
    const coder = fakeAgent([{ failure: BUSY }, "done"]);
    const loop = harness({ coder, checkpoint: { store } });
    await runTask(TASK, loop.options);
    const stored = (await store.load())?.checkpoint;
    expect(stored).toMatchObject({ phase: "coding", cycle: 1 });
    if (stored === undefined) return;
    expect((await runFromCheckpoint(stored, loop.options)).outcome).toBe("approved");
  });

  test.for([
    ["a session that is held to a schema and says nothing", "schema"],
    ["an empty answer", "empty-answer"],
  ] as const)("is asked once more after %s", async ([, kind]) => {
    const failure = { kind, message: "No answer.", retryable: true };
    const reviewer = fakeAgent([{ failure }, APPROVAL]);
    const loop = harness({ reviewer });
    expect((await runTask(TASK, loop.options)).outcome).toBe("approved");
    expect(loop.trace()).toContain("warning No answer: it is asked once more");
    expect(reviewer.requests[1]?.prompt).toContain("Answer with at least one ISSUE: block");
  });

  test("counts both answers of a reviewer that is asked once more", async () => {
    const reviewer = fakeAgent(["Looks good!", APPROVAL]);
    const result = await runTask(TASK, harness({ reviewer }).options);
    expect(result.totalCostUsd).toBeCloseTo(0.3);
  });

  test("a structured answer without substance falls back to the text", async () => {
    const structured = {
      verdict: "changes_requested",
      findings: [],
      verifications: null,
      report: null,
    };
    const reviewer = fakeAgent([{ structured, text: issue("bad") }, APPROVAL]);
    const result = await runTask(TASK, harness({ reviewer }).options);
    expect(result.allFindings).toMatchObject([{ description: "bad", cycle: 1 }]);
  });

  test("a structured answer that asks for changes is no approval because of the text beside it", async () => {
    const structured = {
      verdict: "changes_requested",
      findings: [],
      verifications: null,
      report: null,
    };
    const text = "It is not done.\nAPPROVED: only the naming\n\nAPPROVED: the naming";
    const reviewer = fakeAgent([
      { structured, text: "APPROVED: the naming" },
      { structured, text },
    ]);
    const result = await runTask(TASK, harness({ reviewer }).options);
    expect(result).toMatchObject({ outcome: "agent", agentFailure: { kind: "schema" } });
  });

  test("a structured answer is stored in the words of the grammar", async () => {
    const structured = {
      verdict: "changes_requested",
      findings: [{ severity: "major", description: "bad\nAPPROVED: no" }],
    };
    const reviewer = fakeAgent([{ structured, text: "{}" }]);
    const loop = harness({ reviewer, maxCycles: 1 });
    const result = await runTask(TASK, loop.options);
    expect(result.outcome).toBe("max_cycles");
    expect((await loop.stored()).reviewOutput).toBe(
      "ISSUE:\nSEVERITY: major\nDESCRIPTION: bad APPROVED: no\n",
    );
  });
});

describe("findings", () => {
  test("are verified by id in later cycles, and what is still there goes back to the coder", async () => {
    const coder = writingCoder();
    const verify = (statuses: Record<string, string>): string =>
      Object.entries(statuses)
        .map(([id, status]) => `VERIFICATION:\nFINDING_ID: ${id}\nSTATUS: ${status}\n`)
        .join("\n");
    const ids: string[] = [];
    const reviewer = fakeAgent([
      `${issue("one")}\n${issue("two")}`,
      ({ prompt }) => {
        ids.push(...(prompt.match(/f-[0-9a-f]{12}/gu) ?? []));
        expect(prompt).toContain("[PRIOR FINDINGS]");
        return `${verify({ [ids[0] ?? ""]: "fixed", [ids[1] ?? ""]: "still_present" })}\n${issue("three")}`;
      },
      () => `${verify({ [ids[1] ?? ""]: "fixed" })}\n${APPROVAL}`,
    ]);
    const result = await runTask(TASK, harness({ coder, reviewer }).options);
    expect(
      result.allFindings.map(({ description, status, cycle }) => [description, status, cycle]),
    ).toEqual([
      ["one", "fixed", 1],
      ["two", "fixed", 1],
      ["three", "found", 2],
    ]);
    expect(coder.requests[2]?.prompt).toContain("1. [major] three\n2. [major] two\n");
    expect(coder.requests[2]?.prompt).not.toContain("one\n");
  });

  test("get a child each, from every hook that makes them; one that fails stops nothing", async () => {
    const made: unknown[] = [];
    const hook = (name: string): Hook => ({
      onEvent: () => undefined,
      createTask: async () => `${name}-task`,
      createFindings: async (taskId, findings) => {
        made.push([name, taskId, findings.map(({ description }) => description)]);
        return [`${name}-1`];
      },
    });
    const broken: Hook = {
      onEvent: () => undefined,
      createFindings: () => Promise.reject(new Error("tracker is down")),
    };
    const reviewer = fakeAgent([issue("bad"), APPROVAL]);
    const loop = harness({ reviewer, hooks: [broken, hook("a"), hook("b")] });
    const result = await runTask({ title: "Do it" }, loop.options);
    expect(result.taskId).toBe("a-task");
    expect(made).toEqual([
      ["a", "a-task", ["bad"]],
      ["b", "a-task", ["bad"]],
    ]);
    expect(result.checkpoint.childBeadIds).toEqual(["a-1", "b-1"]);
    expect(loop.trace()).toContain("warning findings could not be put on record: tracker is down");
  });
});

describe("an interruption", () => {
  test("cancels the agent, stores what there is and resumes with a note about partial work", async () => {
    const controller = new AbortController();
    const coder = fakeAgent([
      ({ workTree }, { signal }) => {
        appendFileSync(join(workTree, "work.txt"), "half\n");
        controller.abort();
        expect(signal?.aborted).toBe(true);
        return {
          failure: { kind: "cancelled", message: "cancelled", retryable: true },
          costUsd: 0.05,
        };
      },
      "done",
    ]);
    const loop = harness({ coder, signal: controller.signal });
    const stopped = await runTask(TASK, loop.options);
    expect(stopped).toMatchObject({ outcome: "interrupted", cycle: 1, totalCostUsd: 0.05 });
    expect(stopped.checkpoint.ledger).toMatchObject([{ turnId: "run.1", status: "lost" }]);
    expect(loop.trace().at(-1)).toBe("task_failed 1 interrupted");
    const result = await runFromCheckpoint(await loop.stored(), {
      ...loop.options,
      signal: undefined,
    });
    expect(result.outcome).toBe("approved");
    expect(result.totalCostUsd).toBeCloseTo(0.25);
    expect(coder.requests[1]?.prompt).toContain("The work tree holds uncommitted changes");
  });

  test.for(["cycle_start", "agent_start", "agent_done", "committed", "review_complete"])(
    "at %s leaves a file from which nothing is paid for twice",
    async (type) => {
      const controller = new AbortController();
      const coder = writingCoder();
      const reviewer = fakeAgent([issue("bad"), APPROVAL]);
      const loop = harness({ coder, reviewer, signal: controller.signal });
      const onEvent: Hook["onEvent"] = (event) => {
        if (event.type === type) controller.abort();
      };
      const stopped = await runTask(TASK, { ...loop.options, hooks: [{ onEvent }] });
      expect(stopped.outcome).toBe("interrupted");
      const stored = await loop.stored();
      const result = await runFromCheckpoint(stored, { ...loop.options, signal: undefined });
      expect(result.outcome).toBe("approved");
      expect(loop.tree.subjects()).toEqual(["t/cycle-1: Do it", "t/cycle-2: Do it"]);
      expect([...coder.requests, ...reviewer.requests]).toHaveLength(4);
    },
  );

  test("before anything began leaves a file that resumes", async () => {
    const loop = harness({ signal: AbortSignal.abort() });
    expect((await runTask(TASK, loop.options)).outcome).toBe("interrupted");
    const result = await runFromCheckpoint(await loop.stored(), {
      ...loop.options,
      signal: undefined,
    });
    expect(result.outcome).toBe("approved");
  });

  test("ends a check that runs", async () => {
    const controller = new AbortController();
    const filters = [{ name: "slow", command: "touch started; exec sleep 60" }];
    const loop = harness({ filters, signal: controller.signal });
    const watching = setInterval(() => {
      if (existsSync(join(loop.tree.dir, "started"))) controller.abort();
    }, 20);
    onTestFinished(() => clearInterval(watching));
    const result = await runTask(TASK, loop.options);
    expect(result.outcome).toBe("interrupted");
    expect((await loop.stored()).phase).toBe("filtering");
  });
});

/** A store whose nth save fails, counted from 1; it keeps all that it was given. */
function failingStore(fails: (n: number) => boolean): CheckpointStore & { saves: string[] } {
  const store = createMemoryCheckpointStore();
  const saves: string[] = [];
  return {
    ...store,
    saves,
    async save(checkpoint) {
      const { phase, cycle, turn } = checkpoint;
      saves.push(`${phase} ${cycle} ${turn?.status ?? "-"} ${turn?.sessionId ?? ""}`.trim());
      if (fails(saves.length)) throw new Error("disk full");
      await store.save(checkpoint);
    },
  };
}

describe("saves around turns", () => {
  test("come before a turn, with its session, after it, and when a cycle or the task ends", async () => {
    const store = failingStore(() => false);
    const coder = fakeAgent([
      (_request, { onEvent }) => {
        onEvent?.({ type: "session", sessionId: "s-1" });
        onEvent?.({ type: "session", sessionId: "s-1" });
        onEvent?.({ type: "session", sessionId: "x".repeat(300) });
        return { text: "done", sessionId: "s-1" };
      },
    ]);
    await runTask(TASK, harness({ coder, checkpoint: { store, granularity: "turn" } }).options);
    expect(store.saves).toEqual([
      "coding 1 started",
      "coding 1 started s-1",
      "coding 1 settled s-1",
      "reviewing 1 started",
      "reviewing 1 settled",
      "review_complete 1 settled",
      "approved 1 settled",
    ]);
  });

  test("are the hook's three alone with the seed's granularity", async () => {
    const store = failingStore(() => false);
    await runTask(TASK, harness({ checkpoint: { store } }).options);
    expect(store.saves).toEqual(["review_complete 1 settled", "approved 1 settled"]);
  });

  test("stop the run before the agent starts when they fail", async () => {
    const store = failingStore((n) => n === 1);
    const coder = writingCoder();
    const loop = harness({ coder, checkpoint: { store, granularity: "turn" } });
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({ outcome: "checkpoint", totalCostUsd: 0 });
    expect(result.message).toBe("the checkpoint could not be saved: disk full");
    expect(coder.requests).toHaveLength(0);
    expect((await store.load())?.checkpoint).toMatchObject({ phase: "bead_created", cycle: 1 });
  });

  test("stop the run before the commit when they fail, and the finished turn is not lost", async () => {
    const store = failingStore((n) => n === 2);
    const coder = writingCoder();
    const loop = harness({ coder, checkpoint: { store, granularity: "turn" } });
    const result = await runTask(TASK, loop.options);
    expect(result.outcome).toBe("checkpoint");
    expect(loop.tree.subjects()).toEqual([]);
    const resumed = await runFromCheckpoint(result.checkpoint, loop.options);
    expect(resumed.outcome).toBe("approved");
    expect(coder.requests).toHaveLength(1);
  });

  test("of a session are only reported when they fail", async () => {
    const store = failingStore((n) => n === 2);
    const coder = fakeAgent([
      (_request, { onEvent }) => {
        onEvent?.({ type: "session", sessionId: "s-1" });
        return "done";
      },
    ]);
    const loop = harness({ coder, checkpoint: { store, granularity: "turn" } });
    expect((await runTask(TASK, loop.options)).outcome).toBe("approved");
    expect(loop.trace()).toContain("warning the checkpoint could not be saved: disk full");
  });

  test("of the hook are reported when they fail, and the loop continues", async () => {
    const loop = harness({ checkpoint: { store: failingStore(() => true) } });
    const result = await runTask(TASK, loop.options);
    expect(result.outcome).toBe("approved");
    const warnings = loop.trace().filter((line) => line.startsWith("warning"));
    expect(warnings).toEqual(Array(2).fill("warning the checkpoint could not be saved: disk full"));
  });

  test("of the hook stop the loop when they fail and the caller wants that", async () => {
    const store = failingStore((n) => n === 1);
    const reviewer = fakeAgent([issue("bad"), APPROVAL]);
    const loop = harness({ reviewer, checkpoint: { store, onSaveError: "stop" } });
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({ outcome: "checkpoint", cycle: 1 });
    expect(reviewer.requests).toHaveLength(1);
  });

  test.for(["save", "removal"] as const)(
    "say that an approved run is not at its end when its last %s fails, and a resume ends it",
    async (failing) => {
      const memory = createMemoryCheckpointStore();
      let failures = 0;
      const failOnce = (): void => {
        failures += 1;
        if (failures === 1) throw new Error("disk full");
      };
      const store: CheckpointStore = {
        ...memory,
        async save(checkpoint) {
          if (failing === "save" && checkpoint.phase === "approved") failOnce();
          await memory.save(checkpoint);
        },
        async remove(phaseId) {
          if (failing === "removal") failOnce();
          await memory.remove(phaseId);
        },
      };
      const coder = fakeAgent(["done"]);
      const reviewer = fakeAgent([APPROVAL]);
      const loop = harness({ coder, reviewer, checkpoint: { store, granularity: "turn" } });
      const result = await runTask(TASK, loop.options);
      expect(result).toMatchObject({
        outcome: "checkpoint",
        message: "the work is approved and committed, but that could not be saved: disk full",
      });
      const saved = (await store.load())?.checkpoint ?? expect.unreachable();
      const resumed = await runFromCheckpoint(saved, loop.options);
      expect(resumed).toMatchObject({ outcome: "approved", finalCommitSha: result.finalCommitSha });
      expect(resumed.totalCostUsd).toBe(result.totalCostUsd);
      expect([coder.requests.length, reviewer.requests.length]).toEqual([1, 1]);
      expect(await store.load()).toBeUndefined();
    },
  );

  test("store what can be read back", async () => {
    const result = await runTask(TASK, harness().options);
    expect(decodeCheckpoint(encodeCheckpoint(result.checkpoint))).toEqual(result.checkpoint);
  });
});

describe("commits", () => {
  test("and checks run with the run's and the turn's ids, by which their processes are found", async () => {
    const say = (what: string): string =>
      `echo ${what} $QUASAR_RUN_ID $QUASAR_TURN_ID >> .git/said`;
    const lint = [{ name: "style", command: say("lint") }];
    const loop = harness({ lint, filters: [{ name: "tests", command: say("filter") }] });
    const hook = join(loop.tree.dir, ".git", "hooks", "pre-commit");
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\n${say("hook")}\n`, { mode: 0o755 });
    await runTask(TASK, loop.options);
    expect(readFileSync(join(loop.tree.dir, ".git", "said"), "utf8")).toBe(
      "hook run run.1\nlint run run.1\nfilter run run.1\n",
    );
  });

  test("that a git hook amends are known as they are then", async () => {
    const loop = harness();
    const hook = join(loop.tree.dir, ".git", "hooks", "post-commit");
    mkdirSync(dirname(hook), { recursive: true });
    const once =
      "[ -e .git/once ] || { touch .git/once; git commit -q --amend --no-edit --date=2020-01-01T00:00:00Z; }";
    writeFileSync(hook, `#!/bin/sh\n${once}\n`, { mode: 0o755 });
    const result = await runTask(TASK, loop.options);
    const head = loop.tree.head();
    expect(result).toMatchObject({ finalCommitSha: head, cycleCommits: [head] });
    expect(loop.events.find(({ type }) => type === "committed")).toMatchObject({ sha: head });
    expect(result.checkpoint.gitSha).toBe(head);
  });

  test("that a process of the agent's has made since the turn are found when nothing is left to commit", async () => {
    const loop = harness();
    const { tree } = loop;
    const onEvent: Hook["onEvent"] = ({ type }) => {
      if (type !== "agent_done" || tree.subjects().length > 0) return;
      tree.git("add", "-A");
      vi.stubEnv("GIT_REFLOG_ACTION", "quasar:run/1");
      tree.git("commit", "-q", "-m", "by a daemon of the agent's");
      vi.unstubAllEnvs();
    };
    const result = await runTask(TASK, { ...loop.options, hooks: [{ onEvent }] });
    expect(tree.subjects()).toEqual(["by a daemon of the agent's"]);
    expect(result).toMatchObject({ finalCommitSha: tree.head(), cycleCommits: [tree.head()] });
  });

  test("leave out what was there before, and what is the loop's own", async () => {
    const loop = harness({ untouchablePaths: ["notes.txt"] });
    loop.tree.write("notes.txt", "mine\n");
    mkdirSync(join(loop.tree.dir, ".quasar"));
    loop.tree.write(".quasar/checkpoint.toml", "x\n");
    await runTask(TASK, loop.options);
    expect(loop.tree.git("show", "--stat", "--format=", "--name-only", "HEAD").trim()).toBe(
      "work.txt",
    );
  });

  /** A coder that commits a file by itself. */
  const committing = (tree: () => WorkTree, file: string) =>
    fakeAgent([
      () => {
        tree().write(file, "changed\n");
        tree().git("add", file);
        vi.stubEnv("GIT_REFLOG_ACTION", "quasar:run/1");
        tree().git("commit", "-q", "-m", "by the agent");
        vi.unstubAllEnvs();
        return "done";
      },
    ]);

  test.for([
    ["notes.txt", ["notes.txt"]],
    ["work.txt", []],
    ["notes.txt.bak", []],
  ] as const)("that the agent makes itself of %s are warned of where it may not", async (row) => {
    const [file, names] = row;
    const loop: Harness = harness({
      coder: committing(() => loop.tree, file),
      untouchablePaths: ["notes.txt"],
    });
    const first = loop.tree.head();
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({ outcome: "approved", finalCommitSha: loop.tree.head() });
    const warnings = loop.trace().filter((line) => line.includes("had changes before the run"));
    expect(warnings).toHaveLength(names.length);
    for (const name of names) {
      expect(warnings[0]).toContain(`: ${name}. See git log ${first.slice(0, 12)}..`);
    }
  });

  test("that an agent made before its runner was killed are warned of at the resume", async () => {
    const loop: Harness = harness({
      coder: fakeAgent(["done"]),
      untouchablePaths: ["notes.txt"],
    });
    const turn = aTurn({ id: "run.1", status: "started" });
    const checkpoint = aCheckpoint({ gitSha: loop.tree.head(), phase: "coding", turn });
    await committing(() => loop.tree, "notes.txt").invoke({} as AgentRequest);
    await runFromCheckpoint(checkpoint, loop.options);
    expect(loop.trace()[0]).toBe("resumed 1");
    expect(loop.trace().join("\n")).toContain("had changes before the run: notes.txt.");
  });

  test("that would hold nothing but what may not be touched are not made, which is said", async () => {
    const loop = harness({ coder: fakeAgent(["done"]), untouchablePaths: ["notes.txt"] });
    loop.tree.write("notes.txt", "mine\n");
    await runTask(TASK, loop.options);
    expect(loop.tree.subjects()).toEqual([]);
    expect(loop.trace()).toContain(
      "warning cycle 1 has nothing to commit: uncommitted changes in notes.txt are not the run's",
    );
  });

  test("carry the task, the cycle and the turn as trailers", async () => {
    const loop = harness();
    await runTask({ id: "t\nX-Evil: 1", title: "Do\u0000 it\r\nsecond" }, loop.options);
    expect(loop.tree.git("log", "-1", "--format=%B").trim().split("\n").slice(2)).toEqual([
      "Quasar-Task: t X-Evil: 1",
      "Quasar-Cycle: 1",
      "Quasar-Turn: run.1",
    ]);
  });

  test("that fail end the run, and a resume commits the same work", async () => {
    const coder = writingCoder();
    const loop = harness({ coder });
    const lock = join(loop.tree.dir, ".git", "index.lock");
    writeFileSync(lock, "");
    const result = await runTask(TASK, loop.options);
    expect(result.outcome).toBe("git");
    expect(loop.trace().at(-1)).toBe("task_failed 1 git");
    rmSync(lock);
    const resumed = await runFromCheckpoint(await loop.stored(), loop.options);
    expect(resumed.outcome).toBe("approved");
    expect(coder.requests).toHaveLength(1);
    expect(loop.tree.subjects()).toEqual(["t/cycle-1: Do it"]);
  });
});

test("a new run in a repository says once that edits are taken for the agent's", async () => {
  const reviewer = fakeAgent([{ failure: BUSY }, APPROVAL]);
  const loop = harness({ reviewer });
  await runTask(TASK, loop.options);
  await runFromCheckpoint(await loop.stored(), loop.options);
  const said = loop.events.filter(
    (event) => event.type === "warning" && event.message.startsWith(TREE_EDITS),
  );
  expect(said).toEqual([loop.events[0]]);
});

test("seed 2: checkpoint write errors are logged to stderr, not returned (non-fatal)", async () => {
  // A library does not print: each is a `warning` event, which the command line puts on stderr.
  const store = failingStore(() => true);
  const loop = harness({ checkpoint: { store } });
  const result = await runTask(TASK, loop.options);
  expect(result.outcome).toBe("approved");
  expect(loop.trace()).toContain("warning the checkpoint could not be saved: disk full");
  expect(store.saves).toEqual(["review_complete 1 settled", "approved 1 settled"]);
});

test("a listener that throws is reported, and the others are told", async () => {
  const told: string[] = [];
  const broken: Hook = {
    onEvent() {
      throw new Error("oops");
    },
  };
  const other: Hook = { onEvent: (event) => void told.push(event.type) };
  const loop = harness({ hooks: [broken, other] });
  expect((await runTask(TASK, loop.options)).outcome).toBe("approved");
  expect(told).toContain("task_success");
  expect(loop.trace()).toContain("warning a hook could not do its work at task_success: oops");
});

test("an event's state is what it was then, and cannot be changed", async () => {
  const loop = harness({ reviewer: fakeAgent([issue("bad"), APPROVAL]) });
  await runTask(TASK, loop.options);
  const phases = loop.events.map((event) => `${event.type} ${event.state().phase}`);
  expect(phases).toContain("cycle_start bead_created");
  expect(phases).toContain("agent_start coding");
  expect(phases).toContain("committed code_complete");
  expect(phases).toContain("review_complete review_complete");
  expect(phases.at(-1)).toBe("task_success approved");
  const state = loop.events[0]?.state();
  expect(Object.isFrozen(state)).toBe(true);
  expect(state).toBe(loop.events[0]?.state());
});

test.for([
  [{ maxCycles: 0 }, "maxCycles"],
  [{ maxCycles: 1.5 }, "maxCycles"],
  [{ maxCycles: 10_001 }, "maxCycles"],
  [{ maxBudgetUsd: Number.NaN }, "maxBudgetUsd"],
  [{ maxBudgetUsd: -1 }, "maxBudgetUsd"],
  [{ maxBudgetUsd: Number.POSITIVE_INFINITY }, "maxBudgetUsd"],
  [{ maxLintRetries: -1 }, "maxLintRetries"],
  [{ checkTimeoutMs: 0 }, "checkTimeoutMs"],
  [{ checkTimeoutMs: 2 ** 31 }, "checkTimeoutMs"],
  [{ runId: "../x" }, "runId"],
  [{ runId: "" }, "runId"],
] as const)("refuses the options %o before anything is spent", async ([change, name]) => {
  const coder = writingCoder();
  const loop = harness({ coder });
  await expect(runTask(TASK, { ...loop.options, ...change })).rejects.toMatchObject({
    name: "LoopError",
    code: "ERR_INVALID_OPTIONS",
    message: expect.stringContaining(name),
  });
  expect(coder.requests).toHaveLength(0);
});

test("refuses a task that says nothing", async () => {
  await expect(runTask({ title: " \n" }, harness().options)).rejects.toMatchObject({
    code: "ERR_INVALID_TASK",
  });
});
