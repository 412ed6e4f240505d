import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  APPROVAL,
  ISSUE,
  lastingAgent,
  type LastingAgent,
  writingCoder,
} from "../../test/lasting-agent.ts";
import {
  aRecord,
  type Agents,
  commits,
  createFixture,
  git,
  happen,
  removeFixture,
  start,
  startAgain,
  type StepFixture,
  storeOf,
  type Working,
  working,
} from "../../test/step-fixture.ts";
import { TASK_ID } from "../../test/task-id.ts";
import type { RunningStep } from "../steps/step.ts";
import type { TaskEvent } from "../task-event.ts";
import type { AgentWork } from "./agent-work.ts";
import { endRun } from "./step-runs.ts";
import { taskCost } from "./task-cost.ts";
import { workOnStep } from "./work-on-step.ts";

/** Waits at usage limits take no time here. */
vi.mock(import("@quasar/loop/internal"), async (original) => ({
  ...(await original()),
  waitUntil: async (_until, _mostMs, signal) => ({
    waitedMs: 0,
    isOver: signal?.aborted !== true,
  }),
}));

function aFixture(): StepFixture {
  const fixture = createFixture();
  onTestFinished(() => removeFixture(fixture));
  return fixture;
}

const LOOP: AgentWork = { kind: "loop", prompt: "Fix it." };
const READ: AgentWork = { kind: "turn", prompt: "Find out why it fails." };

interface Asked extends Agents {
  readonly coder: LastingAgent;
  readonly reviewer: LastingAgent;
}

function someAgents(change: Partial<Asked> = {}): Asked {
  return { coder: writingCoder(), reviewer: lastingAgent([ISSUE, APPROVAL]), ...change };
}

/** A task whose next step is `implement`. */
function atImplement(): StepFixture {
  const fixture = aFixture();
  happen(fixture, { type: "start_step" }, { type: "step_complete" });
  start(fixture, "implement");
  return fixture;
}

describe("a loop in a step", () => {
  test("ends done, with what was said, found, committed and spent", async () => {
    const fixture = atImplement();
    const { input, events, notes } = working(fixture, someAgents());
    const done = await workOnStep(input, LOOP);
    expect(done).toMatchObject({
      kind: "done",
      runId: `${TASK_ID}-implement-1`,
      text: "wrote line 2",
      review: APPROVAL,
      report: { summary: "fine" },
      findings: [],
      cycles: 2,
      costUsd: 1,
      unknownCostUsd: 0,
      isKept: false,
    });
    expect(done).toHaveProperty("turns.length", 4);
    expect(done).toHaveProperty("commits.length", 2);
    const run = `${TASK_ID}-implement-1`;
    expect(commits(fixture)).toEqual([
      `fix: fix null pointer|${run}.1`,
      `fix: fix null pointer (cycle 2)|${run}.3`,
    ]);
    const body = git(fixture.worktree, "log", "-1", "--format=%B");
    expect(body).toContain("Quasar-Step: implement\nQuasar-Attempt: 1\n");
    const told = events.flatMap((each) => (each.type === "loop" ? [each] : []));
    expect(told.map(({ event }) => event.type)).toContain("review_complete");
    expect(told.every((each) => !("state" in each.event) && !("headSha" in each.event))).toBe(true);
    expect(told.at(-1)).toMatchObject({ step: "implement", spentUsd: 1 });
    expect(notes.at(-1)?.lastOutput).toContain("APPROVED: well done");
  });

  // SPEC.md, statements 237.
  test("puts the synopsis before each prompt, once", async () => {
    const fixture = atImplement();
    const agents = someAgents();
    const { input } = working(fixture, agents);
    const synopsis = `[ATLAS RECOVERY] Task '${TASK_ID}' in progress. State: step_running, Step: implement (2/3).`;
    await workOnStep(input, { ...LOOP, prompt: `${synopsis} READ x\n\nFix it.` });
    const prompts = [...agents.coder.requests, ...agents.reviewer.requests].map((r) => r.prompt);
    expect(prompts).toHaveLength(4);
    for (const prompt of prompts) {
      expect(prompt.startsWith(`${synopsis} READ ${fixture.home}/workspaces/`)).toBe(true);
      expect(prompt.match(/ATLAS RECOVERY/gu)).toHaveLength(1);
    }
  });

  test("is not begun again once it has ended: nobody is asked, whatever became of the tree", async () => {
    const fixture = atImplement();
    const agents = someAgents();
    const first = await workOnStep(working(fixture, agents).input, LOOP);
    git(fixture.worktree, "commit", "--allow-empty", "-q", "-m", "by a person");
    startAgain(fixture, "implement");
    const again = await workOnStep(working(fixture, agents).input, LOOP);
    expect(again).toEqual({ ...first, isKept: true });
    expect(agents.coder.requests).toHaveLength(2);
    expect(agents.reviewer.requests).toHaveLength(2);
  });

  test("leaves the seed's checkpoint in cycles/ while it continues, and none when it is done", async () => {
    const fixture = atImplement();
    const seed = join(fixture.taskDir, "cycles", "checkpoint.implement.toml");
    const seen: boolean[] = [];
    const reviewer = lastingAgent([ISSUE, () => (seen.push(existsSync(seed)), APPROVAL)]);
    await workOnStep(working(fixture, someAgents({ reviewer })).input, LOOP);
    expect(seen).toEqual([true]);
    expect(existsSync(seed)).toBe(false);
  });
});

describe("a single turn in a step", () => {
  test("that reads gives its answer, and touches nothing", async () => {
    const fixture = aFixture();
    start(fixture, "analyze");
    writeFileSync(join(fixture.worktree, "mine"), "not committed\n");
    const agents = someAgents({ coder: lastingAgent(["it is line 3"]) });
    const done = await workOnStep(working(fixture, agents).input, READ);
    expect(done).toMatchObject({ kind: "done", text: "it is line 3", review: "", commits: [] });
    expect(agents.coder.requests[0]?.access).toBe("read");
    expect(agents.reviewer.requests).toHaveLength(0);
    expect(git(fixture.worktree, "status", "--porcelain")).toBe("?? mine\n");
    expect(git(fixture.worktree, "for-each-ref", "refs/quasar")).toBe("");
  });

  test("that writes is committed, in a run of its own name beside the step's", async () => {
    const fixture = atImplement();
    const agents = someAgents();
    const { input } = working(fixture, agents);
    const work = { kind: "turn", access: "write", prompt: "Fix lint." } as const;
    const results = [
      await workOnStep(input, { ...work, suffix: "fix-1" }),
      await workOnStep(input, { ...work, suffix: "fix-2" }),
      await workOnStep(input, { ...work, suffix: "fix-2" }),
    ];
    expect(results.map((each) => each.kind === "done" && [each.runId, each.isKept])).toEqual([
      [`${TASK_ID}-implement-1.fix-1`, false],
      [`${TASK_ID}-implement-1.fix-2`, false],
      [`${TASK_ID}-implement-1.fix-2`, true],
    ]);
    expect(agents.coder.requests).toHaveLength(2);
    expect(commits(fixture)).toHaveLength(2);
    expect(git(fixture.worktree, "status", "--porcelain")).toBe("");
  });

  test("of the reviewer is done whatever it finds", async () => {
    const fixture = atImplement();
    const agents = someAgents({ reviewer: lastingAgent([ISSUE]) });
    const work = { kind: "review", prompt: "Is it safe?" } as const;
    const done = await workOnStep(working(fixture, agents).input, work);
    expect(done).toMatchObject({ kind: "done", text: ISSUE, findings: [{ description: "bad" }] });
    expect(agents.coder.requests).toHaveLength(0);
  });

  test.for(["", "../x", "Fix", "1", "a.b", "a".repeat(31)])(
    "has no run of the name %j",
    async (suffix) => {
      const fixture = atImplement();
      const act = workOnStep(working(fixture, someAgents()).input, { ...READ, suffix });
      if (suffix === "") await expect(act).resolves.toHaveProperty("kind", "done");
      else await expect(act).rejects.toMatchObject({ code: "ERR_UNSAFE_ID" });
    },
  );
});

describe("a step that is sent back or has failed", () => {
  test("gets a new run after a reject, and the old one stays as it was", async () => {
    const fixture = atImplement();
    const agents = someAgents({ reviewer: lastingAgent([APPROVAL]) });
    await workOnStep(working(fixture, agents).input, LOOP);
    happen(
      fixture,
      { type: "step_complete" },
      { type: "start_step" },
      { type: "human_required", kind: "review", reason: "look" },
      { type: "human_reject", feedback: "the name is wrong" },
    );
    start(fixture, "implement");
    const { input } = working(fixture, agents);
    const again = await workOnStep(input, { ...LOOP, prompt: "Fix it. The name is wrong." });
    expect(again).toMatchObject({ kind: "done", isKept: false });
    expect(agents.coder.requests).toHaveLength(2);
    expect(agents.coder.requests[1]?.prompt).toContain("The name is wrong.");
    const runs = readdirSync(join(fixture.taskDir, "runs"));
    expect(runs.toSorted()).toEqual(["implement-1", "implement-2"]);
    expect(git(fixture.worktree, "log", "-1", "--format=%B")).toContain("Quasar-Attempt: 2");
  });

  test("whose cycles are used up asks for a new run, and gets one", async () => {
    const fixture = atImplement();
    const agents = someAgents({ reviewer: lastingAgent([ISSUE, "ISSUE: other", APPROVAL]) });
    const task = aRecord(fixture, { config: { maxCycles: 1 } });
    const failed = await workOnStep(working(fixture, agents, { task }).input, LOOP);
    expect(failed).toMatchObject({
      kind: "failed",
      awaiting: "attempts",
      retryable: false,
      endsRun: true,
      reason: expect.stringContaining("Max cycles reached"),
    });
    storeOf(fixture).update((hook) => ({ hook: endRun(hook, "implement"), events: [] }));
    happen(
      fixture,
      { type: "human_required", kind: "attempts", reason: "no cycles left" },
      { type: "retry_step" },
    );
    start(fixture, "implement");
    await workOnStep(working(fixture, agents, { task }).input, LOOP);
    expect(readdirSync(join(fixture.taskDir, "runs"))).toContain("implement-2");
  });

  type Row = readonly [kind: string, retryable: boolean, outcome: object];
  const rows: readonly Row[] = [
    ["auth", false, { kind: "failed", awaiting: "attempts", retryable: false }],
    ["billing", false, { kind: "failed", awaiting: "attempts", retryable: false }],
    ["overloaded", true, { kind: "failed", awaiting: "attempts", retryable: true }],
    ["unknown", false, { kind: "failed", awaiting: "attempts", retryable: false }],
    ["budget", false, { kind: "stopped", why: "budget" }],
    ["rate-limit", true, { kind: "stopped", why: "limit", retryAt: "2030-01-01T00:00:00Z" }],
  ];
  test.for(rows)("by an agent's failure of kind %s", async ([kind, retryable, outcome]) => {
    const fixture = atImplement();
    const failure = { kind, message: "it said no", retryable, retryAt: "2030-01-01T00:00:00Z" };
    const once = { failure } as ReturnType<Exclude<Parameters<typeof lastingAgent>[0][0], string>>;
    const agents = someAgents({ coder: lastingAgent([() => once, "fixed"]) });
    const stopped = await workOnStep(working(fixture, agents).input, LOOP);
    expect(stopped).toMatchObject(outcome);
    expect(stopped).not.toHaveProperty("endsRun");
    startAgain(fixture, "implement");
    // The same run continues with another attempt at its turn.
    const done = await workOnStep(working(fixture, agents).input, LOOP);
    expect(done).toMatchObject({ kind: "done", runId: `${TASK_ID}-implement-1` });
  });

  test("by a person who stops it is stopped, and by its time it has failed", async () => {
    const fixture = atImplement();
    const stop = new AbortController();
    const slow = (signal: AbortSignal): LastingAgent => ({
      ...lastingAgent([""]),
      invoke: (_request, options) =>
        new Promise((resolve) => {
          const failure = { kind: "cancelled", message: "cancelled", retryable: true } as const;
          const cost = { costUsd: 0.1, costSource: "reported" } as const;
          options?.signal?.addEventListener("abort", () => {
            resolve({ failure, text: "", durationMs: 1, ...cost });
          });
          if (signal === stop.signal) stop.abort();
        }),
    });
    const change = { signal: stop.signal };
    const byPerson = working(fixture, someAgents({ coder: slow(stop.signal) }), change).input;
    const work = { ...LOOP, timeoutMs: 60_000 };
    expect(await workOnStep(byPerson, work)).toMatchObject({ kind: "stopped", why: "interrupted" });
    startAgain(fixture, "implement");
    const never = new AbortController();
    const late = working(fixture, someAgents({ coder: slow(never.signal) })).input;
    expect(await workOnStep(late, { ...LOOP, timeoutMs: 50 })).toMatchObject({
      kind: "failed",
      awaiting: "attempts",
      retryable: true,
      reason: "the agents were not done after 1 s",
    });
    startAgain(fixture, "implement");
    const done = await workOnStep(working(fixture, someAgents()).input, LOOP);
    const turns = done.kind === "done" ? done.turns : [];
    expect(turns[0]).toMatchObject({ status: "lost", costUsd: 0.1 });
    expect(turns.filter(({ status }) => status === "settled")).toHaveLength(4);
  });
});

describe("a usage limit", () => {
  const HOUR = 3_600_000;
  const inAnHour = (): string => new Date(Date.now() + HOUR).toISOString();

  /** A coder whose first turn meets a limit. */
  function limitedOnce(retryAt: string): LastingAgent {
    const failure = {
      kind: "rate-limit",
      message: "all used up",
      retryable: true,
      retryAt,
    } as const;
    return lastingAgent([() => ({ failure, costUsd: 0 }), "fixed"]);
  }

  function waitingUpTo(
    fixture: StepFixture,
    agents: Asked,
    ports: Partial<RunningStep["ports"]>,
    change: Partial<RunningStep> = {},
  ): Working {
    const made = working(fixture, agents, change);
    return { ...made, input: { ...made.input, ports: { ...made.input.ports, ...ports } } };
  }

  const waits = (events: readonly TaskEvent[]): readonly TaskEvent[] =>
    events.filter(({ type }) => type === "waiting");

  test("is waited for, and the run ends done with one turn more", async () => {
    const fixture = atImplement();
    const retryAt = inAnHour();
    const agents = someAgents({ coder: limitedOnce(retryAt), reviewer: lastingAgent([APPROVAL]) });
    const { input, events } = waitingUpTo(fixture, agents, { waitLimitMs: 2 * HOUR });
    const done = await workOnStep(input, LOOP);
    expect(done).toMatchObject({ kind: "done", text: "fixed", costUsd: 0.5 });
    expect(agents.coder.requests).toHaveLength(2);
    const wait = { step: "implement", until: retryAt, isKnown: true, message: "all used up" };
    expect(waits(events)).toMatchObject([wait]);
  });

  test("of a single turn is waited for as well", async () => {
    const fixture = aFixture();
    start(fixture, "analyze");
    const agents = someAgents({ coder: limitedOnce(inAnHour()) });
    const { input, events } = waitingUpTo(fixture, agents, { waitLimitMs: 2 * HOUR });
    expect(await workOnStep(input, READ)).toMatchObject({ kind: "done", text: "fixed" });
    expect(waits(events)).toHaveLength(1);
  });

  test("is no part of the time that the agents have", async () => {
    const fixture = atImplement();
    const deadlines: AbortController[] = [];
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
      const deadline = new AbortController();
      deadlines.push(deadline);
      return deadline.signal;
    });
    onTestFinished(() => timeout.mockRestore());
    const agents = someAgents({
      coder: limitedOnce(inAnHour()),
      reviewer: lastingAgent([APPROVAL]),
    });
    const tell = ({ type }: TaskEvent): void => {
      if (type === "waiting") deadlines[0]?.abort();
    };
    const { input } = waitingUpTo(fixture, agents, { waitLimitMs: 2 * HOUR }, { tell });
    expect(await workOnStep(input, { ...LOOP, timeoutMs: 60_000 })).toMatchObject({ kind: "done" });
    expect(deadlines).toHaveLength(2);
  });

  test("may be interrupted: who continues waits for the rest, or says why not, or asks at once", async () => {
    const fixture = atImplement();
    const retryAt = inAnHour();
    const agents = someAgents({ coder: limitedOnce(retryAt), reviewer: lastingAgent([APPROVAL]) });
    const stopAtWait = async (): Promise<readonly TaskEvent[]> => {
      const stop = new AbortController();
      const events: TaskEvent[] = [];
      const tell = (event: TaskEvent): void => {
        events.push(event);
        if (event.type === "waiting") stop.abort();
      };
      const change = { tell, signal: stop.signal };
      const { input } = waitingUpTo(fixture, agents, { waitLimitMs: 2 * HOUR }, change);
      const stopped = await workOnStep(input, LOOP);
      expect(stopped).toMatchObject({ kind: "stopped", why: "interrupted" });
      startAgain(fixture, "implement");
      return events;
    };
    expect(waits(await stopAtWait())).toHaveLength(1);
    expect(await stopAtWait()).toMatchObject([{ type: "waiting", until: retryAt }]);
    const short = waitingUpTo(fixture, agents, { waitLimitMs: 60_000 }).input;
    const refused = { kind: "stopped", why: "limit", retryAt };
    const limit = expect.stringMatching(
      /^lifted at .* \(in 1 h\); it is waited for at most 1 min$/u,
    );
    expect(await workOnStep(short, LOOP)).toMatchObject({ ...refused, limit });
    expect(agents.coder.requests).toHaveLength(1);
    startAgain(fixture, "implement");
    const now = waitingUpTo(fixture, agents, { waitLimitMs: 60_000, asksAtOnce: true }).input;
    expect(await workOnStep(now, LOOP)).toMatchObject({ kind: "done", text: "fixed" });
  });
});

describe("the budget of a task", () => {
  function withCap(fixture: StepFixture, maxBudgetUsd: number): Partial<RunningStep> {
    return { task: aRecord(fixture, { config: { maxBudgetUsd } }) };
  }

  test("is one over all of its runs: each turn may cost what is left of it", async () => {
    const fixture = atImplement();
    const agents = someAgents({ reviewer: lastingAgent([APPROVAL]) });
    const capped = withCap(fixture, 1);
    await workOnStep(working(fixture, agents, capped).input, { ...READ, suffix: "a" });
    await workOnStep(working(fixture, agents, capped).input, { ...READ, suffix: "b" });
    expect(agents.coder.requests.map(({ maxCostUsd }) => maxCostUsd)).toEqual([0.9, 0.675]);
    await workOnStep(working(fixture, agents, capped).input, LOOP);
    // Both of its turns cost 0.25: the second ends on the cent.
    const { spentUsd, runs } = await taskCost(fixture.taskDir);
    expect(spentUsd).toBe(1);
    expect(runs.map(({ name, spentUsd: usd }) => [name, usd])).toEqual([
      ["implement-1", 0.5],
      ["implement-1.a", 0.25],
      ["implement-1.b", 0.25],
    ]);
    const more = await workOnStep(working(fixture, agents, capped).input, { ...READ, suffix: "c" });
    expect(more).toMatchObject({
      kind: "stopped",
      why: "budget",
      message:
        "The task's budget is used up: $1.00 of $1.00 are spent. Raise it to at least $1.17.",
      neededBudgetUsd: 1.17,
    });
    expect(agents.coder.requests).toHaveLength(3);
  });

  test("stops a run midway, and lets it continue where it is raised", async () => {
    const fixture = atImplement();
    const agents = someAgents();
    await workOnStep(working(fixture, agents).input, { ...READ, suffix: "a" });
    const stopped = await workOnStep(working(fixture, agents, withCap(fixture, 0.5)).input, LOOP);
    expect(stopped).toMatchObject({
      kind: "stopped",
      why: "budget",
      message: expect.stringContaining("$0.50 of $0.50"),
    });
    const asked = agents.coder.requests.length;
    const { neededBudgetUsd = 0 } = stopped as Extract<typeof stopped, { kind: "stopped" }>;
    expect(neededBudgetUsd).toBeGreaterThan(0.5);
    expect(neededBudgetUsd).toBeLessThan(1);
    // What others have spent is as much as there may be: that is not a task without a limit.
    startAgain(fixture, "implement");
    const still = await workOnStep(working(fixture, agents, withCap(fixture, 0.25)).input, LOOP);
    expect(still).toMatchObject({ kind: "stopped", why: "budget" });
    expect(agents.coder.requests).toHaveLength(asked);
    startAgain(fixture, "implement");
    const done = await workOnStep(working(fixture, agents, withCap(fixture, 5)).input, LOOP);
    expect(done).toMatchObject({ kind: "done", cycles: 2, costUsd: 1 });
    expect(agents.coder.requests).toHaveLength(3);
  });

  test("without a limit caps no turn", async () => {
    const fixture = atImplement();
    const agents = someAgents();
    await workOnStep(working(fixture, agents, withCap(fixture, 0)).input, LOOP);
    expect(agents.coder.requests[0]?.maxCostUsd).toBeUndefined();
  });
});

describe("the work tree of a run", () => {
  /** A loop whose reviewer is stopped by an error after the coder's cycle was committed. */
  async function stopped(fixture: StepFixture): Promise<Asked> {
    const failure = { kind: "overloaded", message: "busy", retryable: true } as const;
    const agents = someAgents({ reviewer: lastingAgent([() => ({ failure }), APPROVAL]) });
    await workOnStep(working(fixture, agents).input, LOOP);
    return agents;
  }

  test("that others have committed to is refused, until a person says that it is right so", async () => {
    const fixture = atImplement();
    const agents = await stopped(fixture);
    git(fixture.worktree, "commit", "--allow-empty", "-q", "-m", "by a person");
    startAgain(fixture, "implement");
    const refused = await workOnStep(working(fixture, agents).input, LOOP);
    expect(refused).toMatchObject({
      kind: "failed",
      awaiting: "interrupted",
      retryable: false,
      reason: expect.stringMatching(/commits since .* that this run did not make.*atlas retry/u),
    });
    expect(refused).not.toHaveProperty("endsRun");
    const reason = "the tree has changed";
    happen(
      fixture,
      { type: "human_required", kind: "interrupted", reason },
      { type: "retry_step" },
    );
    start(fixture, "implement");
    const done = await workOnStep(working(fixture, agents).input, LOOP);
    expect(done).toMatchObject({ kind: "done", cycles: 1 });
    expect(agents.coder.requests).toHaveLength(1);
  });

  test("that is on another branch is refused, with the command that puts it right", async () => {
    const fixture = atImplement();
    const agents = await stopped(fixture);
    git(fixture.worktree, "switch", "-q", "-c", "other");
    startAgain(fixture, "implement");
    const refused = await workOnStep(working(fixture, agents).input, LOOP);
    expect(refused).toMatchObject({
      awaiting: "interrupted",
      reason: expect.stringContaining("git switch fix/null-pointer"),
    });
    // Nor does a run begin there.
    const other = await workOnStep(working(fixture, agents).input, {
      kind: "turn",
      access: "write",
      prompt: "x",
      suffix: "a",
    });
    expect(other).toMatchObject({ kind: "failed", awaiting: "interrupted" });
    expect(agents.coder.requests).toHaveLength(1);
  });

  test("that is the user's own is committed whole, whatever an interruption has left in it", async () => {
    const fixture = atImplement();
    const { worktree } = fixture;
    const own = aRecord(fixture);
    const task = { ...own, metadata: { ...own.metadata, isHere: true, repoPath: worktree } };
    writeFileSync(join(worktree, "mine"), "accepted\n");
    const failure = { kind: "overloaded", message: "busy", retryable: true } as const;
    const writes = (file: string) => () => {
      writeFileSync(join(worktree, file), "an agent's\n");
      return { failure };
    };
    const interrupted = someAgents({ coder: lastingAgent([writes("half")]) });
    await workOnStep(working(fixture, interrupted, { task }).input, LOOP);
    startAgain(fixture, "implement");
    const agents = someAgents({ reviewer: lastingAgent([APPROVAL]) });
    await workOnStep(working(fixture, agents, { task }).input, LOOP);
    expect(git(worktree, "status", "--porcelain")).toBe("");
    expect(git(worktree, "show", "--name-only", "--format=", "HEAD").split("\n").sort()).toEqual([
      "",
      "half",
      "mine",
      "work.txt",
    ]);
  });
});

test("a run's turns are kept in a folder of their own: nothing is written through a link", async () => {
  const fixture = atImplement();
  const run = join(fixture.taskDir, "runs", "implement-1");
  mkdirSync(run, { recursive: true });
  symlinkSync(fixture.dir, join(run, "turns"));
  const agents = someAgents();
  const refused = workOnStep(working(fixture, agents).input, LOOP);
  await expect(refused).rejects.toMatchObject({ code: "ERR_UNSAFE_PATH" });
  expect(agents.coder.requests).toHaveLength(0);
});

describe("a checkpoint that cannot be trusted", () => {
  test("is not resumed: of another installation", async () => {
    const fixture = atImplement();
    const failure = { kind: "overloaded", message: "busy", retryable: true } as const;
    const agents = someAgents({ reviewer: lastingAgent([() => ({ failure }), APPROVAL]) });
    await workOnStep(working(fixture, agents).input, LOOP);
    const { input } = working(fixture, agents);
    const ports = { ...input.ports, sealKey: Buffer.alloc(32, 8) };
    expect(await workOnStep({ ...input, ports }, LOOP)).toMatchObject({
      kind: "failed",
      awaiting: "interrupted",
      endsRun: true,
      reason: expect.stringContaining("not written by this installation"),
    });
    expect(agents.coder.requests).toHaveLength(1);
  });

  test("is not taken for none: damaged", async () => {
    const fixture = atImplement();
    const agents = someAgents();
    await workOnStep(working(fixture, agents).input, { ...READ, suffix: "a" });
    const run = join(fixture.taskDir, "runs", "implement-1.a");
    for (const name of readdirSync(join(run, "archive"))) {
      if (name.startsWith("checkpoint")) writeFileSync(join(run, "archive", name), "torn");
    }
    const again = await workOnStep(working(fixture, agents).input, { ...READ, suffix: "a" });
    expect(again).toMatchObject({ kind: "failed", endsRun: true });
    expect(again).toHaveProperty("reason", expect.stringContaining("quarantined"));
    expect(agents.coder.requests).toHaveLength(1);
  });
});
