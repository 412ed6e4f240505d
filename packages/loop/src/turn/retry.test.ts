import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Checkpoint } from "@quasar/checkpoint";
import { describe, expect, test } from "vitest";
import {
  APPROVAL,
  fakeAgent,
  type FakeAgent,
  type Reply,
  writingCoder,
} from "../../test/fake-agent.ts";
import { type Harness, harness } from "../../test/harness.ts";
import type { AgentFailure } from "@quasar/agents";
import { runCheck } from "../checks/check.ts";
import { continueRun } from "../resume/continue.ts";
import type { LoopOptions, TaskResult } from "../options.ts";
import { openLoopRepository } from "../repository/repository.ts";
import type { Ports } from "../run.ts";
import { settingsOf } from "../settings.ts";
import { startRun } from "../start.ts";

const TASK = { id: "t", title: "Do it" };
const NOW = Date.parse("2026-01-02T03:04:05Z");
const SECOND = 1000;

const failure = (kind: AgentFailure["kind"], retryable = true): AgentFailure => ({
  kind,
  message: `it was ${kind}`,
  retryable,
});
const failing = (kind: AgentFailure["kind"], retryable = true): Reply => ({
  failure: failure(kind, retryable),
  costUsd: 0.01,
});

/** A loop on a clock that only its pauses move on. */
class Lab {
  readonly loop: Harness;
  readonly waits: number[] = [];
  /** What a pause does; it ends when that resolves. */
  onPause: () => Promise<void> | void = () => undefined;
  now = NOW;

  constructor(options: Partial<LoopOptions>) {
    this.loop = harness({ retries: 3, ...options, now: () => new Date(this.now) });
  }

  async run(): Promise<TaskResult> {
    return startRun(TASK, settingsOf(this.loop.options), await this.#ports());
  }

  async resume(checkpoint: Checkpoint, change: Partial<LoopOptions> = {}): Promise<TaskResult> {
    const settings = settingsOf({ ...this.loop.options, ...change });
    return continueRun(checkpoint, settings, await this.#ports());
  }

  async #ports(): Promise<Ports> {
    const repository = await openLoopRepository(this.loop.tree.dir);
    return {
      repository,
      runCheck,
      waitUntil: async (until, mostMs) => {
        this.waits.push(until - this.now);
        await this.onPause();
        this.now = until;
        return { waitedMs: mostMs, isOver: true };
      },
    };
  }
}

describe("a turn that fails of something which passes", () => {
  test("is retried after growing pauses, each told with its reason and its time", async () => {
    const busy = failing("overloaded");
    const lab = new Lab({ coder: fakeAgent([busy, failing("network"), busy, "done"]) });
    expect(await lab.run()).toMatchObject({ outcome: "approved" });
    expect(lab.waits).toEqual([5 * SECOND, 30 * SECOND, 180 * SECOND]);
    const told = lab.loop.events.filter(({ type }) => type === "turn_retry");
    expect(told).toMatchObject([
      { role: "coder", turnId: "run.1", retry: 1, most: 3, message: "coder: it was overloaded" },
      { role: "coder", turnId: "run.2", retry: 2, most: 3, message: "coder: it was network" },
      { role: "coder", turnId: "run.3", retry: 3, most: 3, waitMs: 180 * SECOND },
    ]);
    expect(told[0]).toMatchObject({ until: "2026-01-02T03:04:10.000Z", waitMs: 5 * SECOND });
  });

  test("ends the run once its retries are used up, and says how many there were", async () => {
    const lab = new Lab({ coder: fakeAgent([failing("overloaded")]), retries: 2 });
    expect(await lab.run()).toMatchObject({
      outcome: "agent",
      message: "it was overloaded (after 2 retries)",
      agentFailure: { kind: "overloaded" },
    });
    expect((lab.loop.options.coder as FakeAgent).requests).toHaveLength(3);
  });

  test("is retried in a review, too, each turn with retries of its own", async () => {
    const busy = failing("overloaded");
    const coder = fakeAgent([busy, busy, busy, "done"]);
    const reviewer = fakeAgent([busy, busy, busy, APPROVAL]);
    const lab = new Lab({ coder, reviewer });
    expect(await lab.run()).toMatchObject({ outcome: "approved" });
    expect(lab.waits).toEqual([5, 30, 180, 5, 30, 180].map((seconds) => seconds * SECOND));
  });

  test("counts with what each try cost, and is not retried once the budget is spent", async () => {
    const costly = { failure: failure("network"), costUsd: 0.3 };
    const lab = new Lab({ coder: fakeAgent([costly]), maxBudgetUsd: 0.5 });
    expect(await lab.run()).toMatchObject({ outcome: "agent", totalCostUsd: 0.6 });
    expect(lab.waits).toEqual([5 * SECOND]);
  });

  test("is not retried where nobody asked for retries", async () => {
    const lab = new Lab({ coder: fakeAgent([failing("overloaded")]), retries: 0 });
    expect(await lab.run()).toMatchObject({ outcome: "agent", message: "it was overloaded" });
    expect(lab.waits).toEqual([]);
  });
});

test.for([
  ["a refused key", "auth", false],
  ["a spent account", "billing", false],
  ["a failure of an unknown kind", "unknown", false],
  ["a usage limit, which its caller waits for", "rate-limit", true],
  ["a cancelled turn, which somebody wanted to stop", "cancelled", true],
] as const)("%s is not retried", async ([, kind, retryable]) => {
  const lab = new Lab({ coder: fakeAgent([failing(kind, retryable), "done"]) });
  expect(await lab.run()).toMatchObject({ outcome: "agent", agentFailure: { kind } });
  expect(lab.waits).toEqual([]);
});

test("a reviewer without a verdict is asked twice, and not retried on top of that", async () => {
  const reviewer = fakeAgent(["Looks good!"]);
  const lab = new Lab({ reviewer });
  expect(await lab.run()).toMatchObject({ outcome: "agent", agentFailure: { kind: "schema" } });
  expect(reviewer.requests).toHaveLength(2);
});

test("retries are not counted anew by a reviewer's answer without a verdict between them", async () => {
  const reviewer = fakeAgent([failing("network"), "Looks good!", failing("network"), "Hm.", "Hm."]);
  const lab = new Lab({ reviewer, retries: 1 });
  expect(await lab.run()).toMatchObject({ outcome: "agent" });
  expect(reviewer.requests).toHaveLength(3);
});

describe("a killed agent", () => {
  test("is started again once, and only once for the same turn", async () => {
    const coder = fakeAgent([failing("killed"), failing("killed"), "done"]);
    const lab = new Lab({ coder });
    expect(await lab.run()).toMatchObject({ outcome: "agent", agentFailure: { kind: "killed" } });
    expect(coder.requests).toHaveLength(2);
    expect(lab.waits).toEqual([5 * SECOND]);
  });

  test("is started again although other failures were retried before", async () => {
    const coder = fakeAgent([failing("network"), failing("killed"), "done"]);
    expect(await new Lab({ coder }).run()).toMatchObject({ outcome: "approved" });
  });

  test("stays dead where the run was told to stop", async () => {
    const controller = new AbortController();
    const coder = fakeAgent([
      () => {
        controller.abort();
        return failing("killed");
      },
    ]);
    const lab = new Lab({ coder, signal: controller.signal });
    expect(await lab.run()).toMatchObject({ outcome: "interrupted" });
    expect(lab.waits).toEqual([]);
  });
});

/** Has a work tree count as the one that an earlier turn worked in. */
function asSameTree(dir: string, earlier: string): void {
  const mark = ".git/quasar/tree-mark";
  mkdirSync(join(dir, ".git/quasar"), { recursive: true });
  copyFileSync(join(earlier, mark), join(dir, mark));
}

describe("a pause", () => {
  test("that is killed continues for its rest when the run is resumed, and its retries still count", async () => {
    const busy = failing("overloaded");
    const coder = fakeAgent([busy, busy, "done"]);
    const lab = new Lab({ coder, retries: 2 });
    let stored: Checkpoint | undefined;
    lab.onPause = async () => {
      if (lab.waits.length === 2) stored = await lab.loop.stored();
    };
    await lab.run();
    if (stored === undefined) throw new Error("there was no second pause");
    expect(stored).toMatchObject({
      phase: "coding",
      failure: "coder: it was overloaded",
      turn: { status: "started", retries: 2, kills: 0, retryAt: "2026-01-02T03:04:40.000Z" },
    });

    const later = new Lab({ coder: fakeAgent([busy]), retries: 2 });
    later.loop.tree.git("fetch", "-q", lab.loop.tree.dir, "main");
    later.loop.tree.git("reset", "-q", "--hard", stored.gitSha);
    asSameTree(later.loop.tree.dir, lab.loop.tree.dir);
    later.now = Date.parse("2026-01-02T03:04:30Z");
    expect(await later.resume(stored)).toMatchObject({
      outcome: "agent",
      message: "it was overloaded (after 2 retries)",
    });
    expect(later.waits).toEqual([10 * SECOND]);
  });

  test("that is interrupted saves all, and a resume waits for the rest of it", async () => {
    const controller = new AbortController();
    const coder = fakeAgent([failing("network"), "done"]);
    const lab = new Lab({ coder, signal: controller.signal });
    lab.onPause = () => controller.abort();
    expect(await lab.run()).toMatchObject({ outcome: "interrupted" });
    const stored = await lab.loop.stored();
    expect(stored).toMatchObject({ failure: "coder: it was network", turn: { retries: 1 } });
    lab.onPause = () => undefined;
    lab.now = NOW + 2 * SECOND;
    const resumed = await lab.resume(stored, { signal: undefined });
    expect(resumed.outcome).toBe("approved");
    expect(lab.waits).toEqual([5 * SECOND, 3 * SECOND]);
    expect(coder.requests.map(({ turnId }) => turnId)).toEqual(["run.1", "run.2"]);
  });

  test("is never longer than the longest one, whatever a file says", async () => {
    const coder = fakeAgent([failing("network"), "done"]);
    const lab = new Lab({ coder, retries: 0 });
    await lab.run();
    const stored = await lab.loop.stored();
    if (stored.turn === undefined) throw new Error("there is no turn");
    const turn = { ...stored.turn, retries: 1, retryAt: "2999-01-01T00:00:00Z" };
    await lab.resume({ ...stored, turn });
    expect(lab.waits).toEqual([600 * SECOND]);
  });

  test("leaves retries to a run that a person resumes after they were used up", async () => {
    const busy = failing("overloaded");
    const coder = fakeAgent([busy, busy, busy, "done"]);
    const lab = new Lab({ coder, retries: 1 });
    expect(await lab.run()).toMatchObject({ outcome: "agent" });
    expect(await lab.resume(await lab.loop.stored())).toMatchObject({ outcome: "approved" });
    expect(lab.waits).toEqual([5 * SECOND, 5 * SECOND]);
  });
});

test("what is edited while a retry is waited for is seen before the turn begins", async () => {
  const coder = fakeAgent([failing("network"), "done"]);
  const lab = new Lab({ coder });
  lab.onPause = () => lab.loop.tree.write("notes.txt", "mine\n");
  await lab.run();
  expect(coder.requests[1]?.prompt).toContain("The work tree holds uncommitted changes");
  expect(lab.loop.trace()).toContain("snapshot 1");
});

test("a turn that is followed to a failure which passes is retried after a pause", async () => {
  const lab = new Lab({ coder: writingCoder() });
  const stored = await startedTurn(lab);
  const base = writingCoder();
  const coder = {
    ...base,
    find: async () => ({ state: "alive" }) as const,
    adopt: async () => ({
      failure: failure("network"),
      text: "",
      costUsd: 0.1,
      costSource: "reported" as const,
      durationMs: 1,
    }),
    end: async () => undefined,
  };
  expect(await lab.resume(stored, { coder })).toMatchObject({ outcome: "approved" });
  expect(lab.waits).toEqual([5 * SECOND]);
});

/** The checkpoint of a run whose first turn has begun. */
async function startedTurn(lab: Lab): Promise<Checkpoint> {
  const saved: Checkpoint[] = [];
  const { store } = lab.loop;
  const save = store.save.bind(store);
  store.save = (checkpoint) => {
    saved.push(checkpoint);
    return save(checkpoint);
  };
  await lab.run();
  lab.loop.tree.git("reset", "-q", "--hard", "HEAD~1");
  const first = saved[0];
  if (first === undefined) throw new Error("nothing was saved");
  return first;
}
