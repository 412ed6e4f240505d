import type { Checkpoint, CheckpointLedgerEntry } from "@quasar/checkpoint";
import { inspectRepository } from "@quasar/git";
import { describe, expect, test } from "vitest";
import { APPROVAL, type FakeAgent, fakeAgent, issue, resultOf } from "../../test/fake-agent.ts";
import { aCheckpoint, aTurn } from "../../test/fixtures.ts";
import { type Harness, harness } from "../../test/harness.ts";
import type { FoundTurn } from "@quasar/agents/turns";
import { assessResume, type Override } from "./assess.ts";
import { runFromCheckpoint } from "../loop.ts";
import { planResume, type ResumePlan } from "./plan.ts";

const ISSUES = issue("needs a test");
const started = aTurn({ id: "run.3", status: "started" });

type Row = readonly [
  name: string,
  change: Partial<Checkpoint>,
  kind: string,
  /** The first events of the resume after `resumed`, without warnings. */
  then: readonly string[],
];

const ROWS: readonly Row[] = [
  ["nothing was begun", { phase: "idle" }, "begins", ["cycle_start 1"]],
  ["a cycle is whole", { reviewOutput: ISSUES }, "reused", ["cycle_start 2"]],
  ["the seed saved a cycle under way", { phase: "coding" }, "run-again", ["cycle_start 1"]],
  [
    "a coder's turn is not known to have ended",
    { phase: "coding", turn: started },
    "run-again",
    ["turn_recovered coder restarted", "agent_start coder run.4 again 2"],
  ],
  [
    "a turn failed",
    { phase: "coding", turn: started, failure: "x" },
    "run-again",
    ["turn_recovered coder restarted", "agent_start coder run.4 again 2"],
  ],
  [
    "the coder's work is not committed",
    { phase: "coding", turn: aTurn({ id: "run.3" }) },
    "reused",
    ["committed nothing", "agent_start reviewer run.4"],
  ],
  [
    "the coder's work is committed",
    { phase: "code_complete", turn: aTurn({ id: "run.3" }) },
    "reused",
    ["agent_start reviewer run.4"],
  ],
  [
    "a reviewer has answered",
    { phase: "reviewing", turn: aTurn({ id: "run.3", role: "reviewer" }), reviewOutput: APPROVAL },
    "reused",
    ["review_complete 1 approved", "task_success 1"],
  ],
  ["the work is approved", { phase: "approved" }, "reused", ["task_success 1"]],
  ["the budget is used up", { phase: "idle", totalCostUsd: 3 }, "refused", []],
  ["the cycles are used up", { phase: "resolving_issues", cycle: 3 }, "refused", []],
];

async function planned(
  loop: Harness,
  checkpoint: Checkpoint,
  found?: FoundTurn,
  accepted: ReadonlySet<Override> = new Set(),
): Promise<ResumePlan> {
  const facts = await inspectRepository(loop.tree.dir, { since: checkpoint.gitSha });
  const assessment = assessResume(facts, { checkpoint, branch: "main" });
  const agents = { coder: loop.options.coder, reviewer: loop.options.reviewer };
  return planResume(checkpoint, assessment, found, { agents, accepted });
}

/** What the event says from which a resume begins. */
function told(loop: Harness): readonly string[] {
  const [resumed] = loop.events;
  return resumed?.type === "resumed" ? resumed.details : [];
}

describe("the plan is what then happens, in the same words, where", () => {
  test.for(ROWS)("%s", async ([, change, kind, then]) => {
    const loop = harness();
    const checkpoint = aCheckpoint({ gitSha: loop.tree.head(), ...change });
    const plan = await planned(loop, checkpoint);
    expect(plan.items.at(-1)?.kind).toBe(kind);
    expect(plan.goesOn).toBe(kind !== "refused");
    await runFromCheckpoint(checkpoint, loop.options);
    expect(plan.items.map(({ message }) => message)).toEqual(told(loop));
    const happened = loop.trace().filter((line) => !line.startsWith("warning"));
    expect(happened.slice(1, 1 + then.length)).toEqual(then);
    if (kind === "refused") expect(happened.join()).not.toContain("agent_start");
  });

  test("own commits are adopted", async () => {
    const loop = harness();
    const turn = started;
    const checkpoint = aCheckpoint({ gitSha: loop.tree.head(), phase: "coding", turn });
    loop.tree.write("work.txt", "done\n");
    loop.tree.git("add", "-A");
    const trailers = "Quasar-Task: t-1\nQuasar-Cycle: 1\nQuasar-Turn: run.3";
    loop.tree.git("commit", "-q", "-m", "the \u202e work", "-m", trailers);
    const plan = await planned(loop, checkpoint);
    expect(plan.items.map(({ kind }) => kind)).toEqual(["adopted", "restored", "reused"]);
    expect(plan.items[0]?.data).toEqual({ sha: loop.tree.head() });
    await runFromCheckpoint(checkpoint, loop.options);
    expect(plan.items.map(({ message }) => message)).toEqual(told(loop));
    expect(loop.trace()).toContain("committed");
    expect(loop.trace().join()).not.toContain("agent_start coder");
  });
});

/** A coder of which an unfinished turn is found in a state. */
function foundCoder(found: FoundTurn, resumesSession = false): FakeAgent {
  return {
    ...fakeAgent(["did it"], { resumesSession }),
    find: async () => found,
    adopt: async () => resultOf({ text: "did it", costUsd: 0.3 }),
  };
}

const died = { state: "died", sessionId: "s-1", costUsd: 0.2, costSource: "partial" } as const;

test.for([
  [{ state: "alive" }, "followed", "turn_recovered coder followed"],
  [{ state: "ended" }, "read", "turn_recovered coder read"],
  [{ state: "unknown" }, "run-again", "turn_recovered coder restarted"],
  [{ state: "not-started" }, "run-again", "turn_recovered coder restarted"],
  [died, "run-again", "turn_recovered coder restarted"],
] as const)("a turn found %j is %s", async ([found, kind, event]) => {
  const loop = harness({ coder: foundCoder(found) });
  const turn = started;
  const checkpoint = aCheckpoint({ gitSha: loop.tree.head(), phase: "coding", turn });
  const plan = await planned(loop, checkpoint, found);
  const item = plan.items.at(-1);
  expect(item).toMatchObject({ kind, data: { turnId: "run.3", role: "coder" } });
  const result = await runFromCheckpoint(checkpoint, loop.options);
  expect(loop.trace()).toContain(event);
  const lost = result.checkpoint.ledger.find(({ turnId }) => turnId === "run.3");
  const { costUsd, unknownUsd } = item?.data ?? {};
  if (found.state === "died" || found.state === "unknown") {
    expect(lost).toMatchObject({ status: "lost", costUsd, unknownUsd });
  }
});

test("an agent that continues in a session is said to, where it was killed in one", async () => {
  const loop = harness({ coder: foundCoder(died, true) });
  const turn = started;
  const checkpoint = aCheckpoint({ gitSha: loop.tree.head(), phase: "coding", turn });
  const { items } = await planned(loop, checkpoint, died);
  expect(items.at(-1)).toMatchObject({ kind: "resumed", data: { sessionId: "s-1" } });
});

test("an agent that was killed with nothing to continue from is said to be started again", async () => {
  const found = { ...died, sessionId: "" };
  const loop = harness({ coder: foundCoder(found, true) });
  const turn = { ...started, sessionId: "s-1" };
  const checkpoint = aCheckpoint({ gitSha: loop.tree.head(), phase: "coding", turn });
  const { items } = await planned(loop, checkpoint, found);
  expect(items.at(-1)).toMatchObject({ kind: "run-again" });
});

test.for([
  [true, "resumed"],
  [false, "run-again"],
] as const)(
  "an agent that ended with a failure is said to be taken again, not to be read (session: %s)",
  async ([resumesSession, kind]) => {
    const failure = { kind: "killed", message: "it was killed", retryable: true } as const;
    const result = { ...resultOf({ costUsd: 0.2, sessionId: "s-1" }), failure };
    const found = { state: "ended", result } as const;
    const loop = harness({ coder: foundCoder(found, resumesSession) });
    const turn = started;
    const checkpoint = aCheckpoint({ gitSha: loop.tree.head(), phase: "coding", turn });
    const { items } = await planned(loop, checkpoint, found);
    expect(items.at(-1)).toMatchObject({ kind, data: { costUsd: 0.2 } });
    await runFromCheckpoint(checkpoint, loop.options);
    expect(loop.trace()).toContain("turn_recovered coder restarted");
    expect(loop.trace().join()).toContain("agent_start coder");
  },
);

test("what stands against a resume comes first, with what can be said about it", async () => {
  const loop = harness();
  const checkpoint = aCheckpoint({ gitSha: "1".repeat(40) });
  loop.tree.write("notes.txt", "mine");
  const plan = await planned(loop, checkpoint);
  expect(plan.goesOn).toBe(false);
  expect(plan.items.slice(0, 2)).toMatchObject([
    { kind: "refused", data: { check: "head", override: "accept-head" } },
    { kind: "refused", data: { check: "dirty", override: "accept-dirty" } },
  ]);
  const accepted = new Set(["accept-head", "accept-dirty"] as const);
  expect((await planned(loop, checkpoint, undefined, accepted)).goesOn).toBe(true);
});

test("an unfinished coder's files are said to be taken", async () => {
  const loop = harness();
  const turn = started;
  const checkpoint = aCheckpoint({ gitSha: loop.tree.head(), phase: "coding", turn });
  loop.tree.write("work.txt", "half");
  const { items } = await planned(loop, checkpoint);
  expect(items[0]).toMatchObject({ kind: "reused", data: { paths: ["work.txt"] } });
});

test("a usage limit that holds is said, one that held is not", async () => {
  const loop = harness();
  const limited = (retryAt: string): Promise<ResumePlan> =>
    planned(loop, aCheckpoint({ gitSha: loop.tree.head(), reviewOutput: ISSUES, retryAt }));
  const kinds = ({ items }: ResumePlan): readonly string[] => items.map(({ kind }) => kind);
  expect(kinds(await limited("2999-01-01T00:00:00Z"))).toEqual(["restored", "waits", "reused"]);
  expect(kinds(await limited("2001-01-01T00:00:00Z"))).toEqual(["restored", "reused"]);
});

describe("the estimate", () => {
  const entry = (role: "coder" | "reviewer", costUsd: number): CheckpointLedgerEntry => ({
    turnId: "run.1",
    role,
    cycle: 1,
    attempt: 1,
    status: "settled",
    source: "reported",
    reservedUsd: 0.5,
    costUsd,
    unknownUsd: 0,
    startedAt: "",
  });
  const both = [entry("coder", 0.4), entry("coder", 0.2), entry("reviewer", 0.1)];
  const unreported = [
    { ...entry("coder", 0.5), source: "unknown" } as const,
    entry("reviewer", 0.1),
  ];
  const review = aTurn({ id: "run.3", role: "reviewer", status: "started" });

  test.for([
    ["a whole cycle", { reviewOutput: ISSUES, ledger: both }, 2.3, 0.4],
    ["a review", { phase: "code_complete", turn: aTurn(), ledger: both }, 2.3, 0.1],
    ["a review again", { phase: "reviewing", turn: review, ledger: both }, 2.3, 0.1],
    ["nothing to judge by", { reviewOutput: ISSUES }, 2.3, undefined],
    ["a coder that does not say", { reviewOutput: ISSUES, ledger: unreported }, 2.3, undefined],
    ["little left", { reviewOutput: ISSUES, ledger: both, maxBudgetUsd: 0.8 }, 0.1, 0.1],
    ["no budget", { reviewOutput: ISSUES, ledger: both, maxBudgetUsd: 0 }, undefined, 0.4],
    ["an approved run", { phase: "approved", ledger: both }, 0, 0],
    ["an approval", { reviewOutput: APPROVAL, ledger: both }, 0, 0],
  ] as const)("of %s", async ([, change, atMostUsd, likelyUsd]) => {
    const loop = harness();
    const gitSha = loop.tree.head();
    const checkpoint = aCheckpoint({ gitSha, totalCostUsd: 0.7, ...change });
    const { estimate } = await planned(loop, checkpoint);
    for (const [found, wanted] of [
      [estimate.atMostUsd, atMostUsd],
      [estimate.likelyUsd, likelyUsd],
    ]) {
      if (wanted === undefined) expect(found).toBeUndefined();
      else expect(found).toBeCloseTo(wanted);
    }
  });
});

test.for([
  ["the budget", { maxBudgetUsd: 3, totalCostUsd: 2 }, 0, "neededBudgetUsd"],
  ["the cap on one turn", { maxBudgetUsd: 100 }, 1, "neededTurnBudgetUsd"],
] as const)(
  "a turn that %s leaves too little is foretold, with the figure that the run then names",
  async ([, change, cap, key]) => {
    const loop = harness({ maxTurnBudgetUsd: cap, maxBudgetUsd: change.maxBudgetUsd });
    const checkpoint = aCheckpoint({
      gitSha: loop.tree.head(),
      phase: "idle",
      ledger: [],
      ...change,
    });
    const coder = { ...loop.options.coder, responseBoundUsd: () => 1 };
    const facts = await inspectRepository(loop.tree.dir, { since: checkpoint.gitSha });
    const assessment = assessResume(facts, { checkpoint, branch: "main" });
    const { reviewer } = loop.options;
    const limits = { agents: { coder, reviewer }, maxTurnBudgetUsd: cap };
    const { goesOn, items } = planResume(checkpoint, assessment, undefined, limits);
    const refused = items.at(-1);
    expect([goesOn, refused?.kind, refused?.data["check"]]).toEqual([
      false,
      "refused",
      "allowance",
    ]);
    const {
      outcome,
      message,
      checkpoint: ended,
    } = await runFromCheckpoint(checkpoint, {
      ...loop.options,
      coder,
    });
    expect(outcome).toBe("budget");
    expect(message).toContain(refused?.message ?? "nothing");
    expect(ended[key]).toBe(refused?.data[key]);
    expect(ended[key]).toBeGreaterThan(0);
  },
);

test.for([
  ["Interrupted. The run can be resumed.", "The coder was interrupted; it restarts."],
  ["interrupted: its agent was killed", "The coder was interrupted; it restarts."],
  ["coder: no net", "The coder's turn failed; it restarts."],
] as const)("a turn that failed (%s): %s", async ([failure, words]) => {
  const { items } = await planned(
    harness(),
    aCheckpoint({ phase: "coding", turn: started, failure }),
  );
  expect(items).toContainEqual(expect.objectContaining({ message: words }));
});
