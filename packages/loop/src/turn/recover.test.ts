import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Checkpoint, CheckpointTurn } from "@quasar/checkpoint";
import { openRepository } from "@quasar/git";
import { describe, expect, test } from "vitest";
import {
  APPROVAL,
  type FakeAgent,
  fakeAgent,
  resultOf,
  writingCoder,
} from "../../test/fake-agent.ts";
import { aCheckpoint, aTurn } from "../../test/fixtures.ts";
import { type Harness, harness } from "../../test/harness.ts";
import type { AgentInvoker, AgentResult } from "@quasar/agents";
import type { FoundTurn, UnfinishedTurn } from "@quasar/agents/turns";
import { stateFromCheckpoint } from "../convert.ts";
import { drive } from "../engine.ts";
import { runFromCheckpoint, runTask } from "../loop.ts";
import type { LoopOptions, RunRepository } from "../options.ts";
import { openLoopRepository } from "../repository/repository.ts";
import { Run } from "../run.ts";
import { settingsOf } from "../settings.ts";
import { waitUntil } from "../wait-until.ts";

const TASK = { id: "t", title: "Do it" };
const PROCESS = { pid: 42, startTime: 7, bootId: "boot", host: "here" };

type Supervised = Pick<Required<AgentInvoker>, "find" | "adopt" | "end" | "responseBoundUsd">;

/** An agent of which a turn is found that an earlier process began. */
function found(
  agent: FakeAgent,
  turn: FoundTurn,
  result: Partial<AgentResult> = {},
  change: Partial<Supervised> = {},
): FakeAgent & { readonly told: string[] } {
  const told: string[] = [];
  return {
    ...agent,
    told,
    find: async () => turn,
    adopt: async () => {
      told.push("adopt");
      return resultOf({ text: "did it", costUsd: 0.3, ...result });
    },
    end: async () => void told.push("end"),
    ...change,
  };
}

function resumed(
  options: Partial<LoopOptions>,
  turn: Partial<CheckpointTurn> = {},
  change: Partial<Checkpoint> = {},
): { loop: Harness; run: () => ReturnType<typeof runFromCheckpoint> } {
  const loop = harness(options);
  const checkpoint = aCheckpoint({
    gitSha: loop.tree.head(),
    phase: "coding",
    turn: aTurn({ id: "run.3", status: "started", ...turn }),
    ...change,
  });
  return { loop, run: () => runFromCheckpoint(checkpoint, loop.options) };
}

test("a turn that ended and failed is told as failed, not as one whose result is used", async () => {
  const failure = { kind: "killed", message: "it was killed", retryable: true } as const;
  const result: AgentResult = {
    failure,
    text: "",
    costUsd: 0.1,
    costSource: "partial",
    durationMs: 1,
  };
  const loop = harness();
  const turn = aTurn({ status: "started", id: "run.1" });
  const checkpoint = aCheckpoint({ phase: "coding", gitSha: loop.tree.head(), turn });
  const coder: AgentInvoker = {
    ...writingCoder(),
    find: async () => ({ state: "ended", result }),
    adopt: () => Promise.reject(new Error("it was read already")),
  };
  await runFromCheckpoint(checkpoint, { ...loop.options, coder });
  const told = loop.trace().filter((line) => /turn_recovered|warning the coder/u.test(line));
  expect(told).toEqual([
    "warning the coder's turn had failed: it was killed",
    "turn_recovered coder restarted",
  ]);
});

test.for(["find", "adopt"] as const)(
  "a turn that cannot be read (%s) stops the run as it is, and nobody is ended or asked again",
  async (name) => {
    const unreadable = Object.assign(new Error("EIO"), { code: "ERR_TURN_UNREADABLE" });
    const fail = () => Promise.reject(unreadable);
    const ended: string[] = [];
    const base = writingCoder();
    const coder = {
      ...base,
      find: async (): Promise<FoundTurn> => ({ state: "alive" }),
      adopt: fail,
      end: async () => void ended.push("end"),
      [name]: fail,
    };
    const loop = harness();
    const turn = aTurn({ status: "started", id: "run.1" });
    const checkpoint = aCheckpoint({ phase: "coding", gitSha: loop.tree.head(), turn });
    const stopped = await runFromCheckpoint(checkpoint, { ...loop.options, coder });
    expect(stopped).toMatchObject({ outcome: "storage", message: "EIO", totalCostUsd: 0 });
    expect(stopped.checkpoint).toMatchObject({ phase: "coding", failure: "", turn });
    expect([ended, base.requests]).toEqual([[], []]);
  },
);

test("a turn that cannot be read any more while it works stays begun", async () => {
  const unreadable = Object.assign(new Error("EIO"), { code: "ERR_TURN_UNREADABLE" });
  const coder = fakeAgent([() => Promise.reject(unreadable)]);
  const loop = harness({ coder });
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "storage" });
  expect(await loop.stored()).toMatchObject({
    phase: "coding",
    failure: "",
    turn: { id: "run.1", status: "started" },
  });
});

test.for([
  ["ended", { state: "ended" }],
  ["alive", { state: "alive" }],
  ["died", { state: "died", costUsd: 0.3, costSource: "partial" }],
  ["settled", undefined],
] as const)(
  "work in a tree that was made again since is done again, and is paid for once: %s",
  async ([, state]) => {
    const at = state === undefined ? { status: "settled" as const } : {};
    const { loop, run } = resumed({}, { ...at, treeMark: "another" });
    const coder = writingCoder();
    const result = { text: "did it", costUsd: 0.3, costSource: "reported", durationMs: 1 } as const;
    const old = found(coder, (state ?? { state: "unknown" }) as FoundTurn, result);
    Object.assign(loop.options, { coder: old });
    const end = await run();
    expect(end).toMatchObject({ outcome: "approved", changed: true });
    expect(coder.requests.map(({ turnId, resumesSession }) => [turnId, resumesSession])).toEqual([
      ["run.4", false],
    ]);
    expect(loop.tree.subjects()).toHaveLength(1);
    expect(loop.trace().filter((line) => line.includes("was made again"))).toHaveLength(1);
    if (state === undefined) return;
    expect(end.checkpoint.ledger[0]).toMatchObject({ turnId: "run.3", status: "lost" });
  },
);

test("a turn is used, and not paid for again, where nobody can read which making of the work tree it is", async () => {
  const { loop, run } = resumed({}, { treeMark: "another" });
  // Not a file that anybody can read, root included.
  mkdirSync(join(loop.tree.dir, ".git/quasar/tree-mark"), { recursive: true });
  const coder = writingCoder();
  const result = { text: "did it", costUsd: 0.3, costSource: "reported", durationMs: 1 } as const;
  Object.assign(loop.options, { coder: found(coder, { state: "ended" }, result) });
  expect(await run()).toMatchObject({ outcome: "approved" });
  expect(coder.requests).toEqual([]);
});

test("a turn says which making of the work tree it works in, and is used in that", async () => {
  const coder = fakeAgent(["done"]);
  const loop = harness({ coder, reviewer: fakeAgent([() => Promise.reject(new Error("cut"))]) });
  await runTask(TASK, loop.options);
  const { turn } = await loop.stored();
  expect(turn?.treeMark).toMatch(/^[0-9a-f-]{36}$/u);
  const again = harness();
  expect((await openLoopRepository(again.tree.dir))?.treeMark()).not.toBe(turn?.treeMark);
  expect((await openLoopRepository(loop.tree.dir))?.treeMark()).toBe(turn?.treeMark);
});

test("a turn that the model refused continues in a conversation of its own when it is taken again", async () => {
  const failure = { kind: "refusal", message: "it was refused", retryable: false } as const;
  const able = { choosesSessionId: true, resumesSession: true };
  const coder = fakeAgent([{ failure }, "done"], able);
  const loop = harness({ coder, retries: 3 });
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "agent" });
  await runFromCheckpoint(await loop.stored(), loop.options);
  const [first, second] = coder.requests;
  expect(second?.resumesSession).toBe(false);
  expect(second?.sessionId).not.toBe(first?.sessionId);
  expect(second?.prompt).toContain("Do it");
});

describe("a turn that an earlier process began", () => {
  test.for([
    ["alive", "followed"],
    ["ended", "read"],
  ] as const)("is taken over when its agent is found %s, and told to be %s", async (row) => {
    const [state, how] = row;
    const coder = found(writingCoder(), { state });
    const { loop, run } = resumed({ coder });
    const result = await run();
    expect(result.outcome).toBe("approved");
    expect(loop.trace().slice(0, 3)).toEqual([
      "resumed 1",
      `turn_recovered coder ${how}`,
      "agent_done coder",
    ]);
    expect(coder.told).toEqual(["adopt"]);
    expect(coder.requests).toHaveLength(0);
    expect(result.checkpoint.ledger[0]).toMatchObject({
      turnId: "run.3",
      status: "settled",
      costUsd: 0.3,
    });
  });

  test("is ended when its agent was killed: what is known of its cost is booked, the rest reserved", async () => {
    const died = { state: "died", sessionId: "s-9", costUsd: 0.2, costSource: "partial" } as const;
    const coder = found(writingCoder(), died);
    const { loop, run } = resumed({ coder });
    const { checkpoint, totalCostUsd, unknownCostUsd } = await run();
    expect(coder.told).toEqual(["end"]);
    expect(loop.trace().slice(1, 3)).toEqual([
      "turn_recovered coder restarted",
      "agent_start coder run.4 again 2",
    ]);
    expect(checkpoint.ledger).toMatchObject([
      { turnId: "run.3", status: "lost", source: "partial", costUsd: 0.5, unknownUsd: 0.3 },
      { turnId: "run.4", status: "settled", costUsd: 0.1 },
      { turnId: "run.5", status: "settled", costUsd: 0.1 },
    ]);
    expect(totalCostUsd).toBeCloseTo(0.7);
    expect(unknownCostUsd).toBeCloseTo(0.3);
  });

  test("reserves nothing for an agent that was killed after it had said what the turn cost", async () => {
    const died = { state: "died", sessionId: "s-9", costUsd: 0.2, costSource: "reported" } as const;
    const { run } = resumed({ coder: found(writingCoder(), died) });
    const { checkpoint } = await run();
    expect(checkpoint.ledger[0]).toMatchObject({ status: "lost", costUsd: 0.2, unknownUsd: 0 });
  });

  test("books what its agent has spent until it was ended", async () => {
    const died = { state: "died", sessionId: "s-9", costSource: "partial" } as const;
    let costUsd = 0.2;
    const change: Partial<Supervised> = {
      find: async () => ({ ...died, costUsd }),
      end: async () => void (costUsd = 0.6),
    };
    const { run } = resumed({ coder: found(writingCoder(), { state: "unknown" }, {}, change) });
    const { checkpoint } = await run();
    expect(checkpoint.ledger[0]).toMatchObject({ status: "lost", costUsd: 0.6, unknownUsd: 0 });
  });

  test("is taken as if it had not been begun when no agent was started for it", async () => {
    const coder = found(writingCoder(), { state: "not-started" });
    const { loop, run } = resumed({ coder });
    const { checkpoint } = await run();
    expect(coder.told).toEqual(["end"]);
    expect(loop.trace()[2]).toBe("agent_start coder run.4");
    expect(coder.requests[0]?.prompt).not.toContain("earlier attempt");
    expect(checkpoint.ledger.map(({ turnId }) => turnId)).toEqual(["run.4", "run.5"]);
  });

  test("keeps what an attempt before it left in mind when it was not started", async () => {
    const coder = found(writingCoder(), { state: "not-started" });
    const { loop, run } = resumed({ coder }, { attempt: 2 });
    await run();
    expect(loop.trace()[2]).toBe("agent_start coder run.4 again 2");
    expect(coder.requests[0]?.prompt).toContain("An earlier attempt");
  });

  test("counts a lint fix once that was not started", async () => {
    const coder = found(writingCoder(), { state: "not-started" });
    const lint = [{ name: "style", command: "exit 1" }];
    const change = { phase: "linting", lintFixes: 1 } as const;
    const { run } = resumed({ coder, lint, maxLintRetries: 2 }, {}, change);
    await run();
    expect(coder.requests).toHaveLength(2);
  });

  test("is given up when nothing is known of it, after what may still run is ended", async () => {
    const coder = found(writingCoder(), { state: "unknown" });
    const { run } = resumed({ coder });
    const { checkpoint } = await run();
    expect(coder.told).toEqual(["end"]);
    expect(checkpoint.ledger[0]).toMatchObject({ status: "lost", costUsd: 0.5, unknownUsd: 0.5 });
  });

  test("counts with all that it was allowed to spend, where its agent is held to that", async () => {
    const turn = { allowanceUsd: 3, reservedUsd: 0.5 };
    const coder = found(writingCoder(), { state: "unknown" }, {}, { responseBoundUsd: () => 0.1 });
    const { run } = resumed({ coder }, turn);
    const { checkpoint } = await run();
    expect(checkpoint.ledger[0]).toMatchObject({ status: "lost", costUsd: 3, unknownUsd: 3 });
  });

  test.for([
    ["find", "the end of turn run.3 cannot be found: no permission"],
    ["adopt", "the end of turn run.3 cannot be learned: no permission"],
  ] as const)("is given up, which is said, when %s fails", async ([name, words]) => {
    const broken = async (): Promise<never> => {
      throw new Error("no permission");
    };
    const coder = found(writingCoder(), { state: "alive" }, {}, { [name]: broken });
    const { loop, run } = resumed({ coder });
    const { outcome, checkpoint } = await run();
    expect(outcome).toBe("approved");
    expect(coder.told).toEqual(["end"]);
    expect(loop.trace()).toContain(`warning ${words}`);
    expect(checkpoint.ledger[0]).toMatchObject({ turnId: "run.3", status: "lost" });
  });

  test("stops the run when it may still run and cannot be ended: nothing is started beside it", async () => {
    const end = async (): Promise<never> => {
      throw new Error("no permission");
    };
    const coder = found(writingCoder(), { state: "unknown" }, {}, { end });
    const { loop, run } = resumed({ coder });
    const { outcome, message } = await run();
    expect(outcome).toBe("agent");
    expect(message).toContain("may still be at work and could not be ended: no permission");
    expect(coder.requests).toHaveLength(0);
    expect(await loop.stored()).toMatchObject({ failure: "", turn: { status: "started" } });
  });

  test("is waited for before it is taken again where it ran into a limit", async () => {
    const retryAt = "2026-01-03T00:00:00.000Z";
    const failure = { kind: "rate-limit", message: "later", retryable: true, retryAt } as const;
    const coder = found(writingCoder(), { state: "ended" }, { failure });
    const now = { at: new Date("2026-01-02T00:00:00Z") };
    const { loop, run } = resumed({ coder, now: () => now.at });
    expect(await run()).toMatchObject({ outcome: "agent", agentFailure: failure });
    expect(coder.requests).toHaveLength(0);
    expect(await loop.stored()).toMatchObject({ retryAt, totalCostUsd: 0.3 });
    now.at = new Date("2026-01-03T00:00:01Z");
    const result = await runFromCheckpoint(await loop.stored(), loop.options);
    expect(result.outcome).toBe("approved");
    expect(result.checkpoint.retryAt).toBe("");
  });

  test("is given to its invoker as it was begun, but for the prompt", async () => {
    const seen: UnfinishedTurn[] = [];
    const find = async (turn: UnfinishedTurn): Promise<FoundTurn> => {
      seen.push(turn);
      return { state: "unknown" };
    };
    const coder = found(writingCoder(), { state: "unknown" }, {}, { find });
    const process = { pid: 42, processStart: 7, bootId: "boot", host: "here" };
    const session = { sessionId: "s-1", resumed: true };
    const { run } = resumed({ coder, turnsDir: "/turns" }, { ...process, ...session });
    await run();
    expect(seen).toMatchObject([
      {
        request: {
          turnId: "run.3",
          prompt: "",
          turnsDir: "/turns",
          sessionId: "s-1",
          resumesSession: true,
        },
        process: PROCESS,
      },
    ]);
  });
});

describe("the process of an agent", () => {
  const starting = (then: () => unknown = () => undefined): FakeAgent =>
    fakeAgent([
      async (_request, { onStart }) => {
        await onStart?.(PROCESS);
        then();
        return "done";
      },
    ]);

  test("is stored before the agent may begin", async () => {
    const stored: unknown[] = [];
    const loop: Harness = harness({ coder: starting(() => stored.push(loop.stored())) });
    await runTask(TASK, loop.options);
    expect(await Promise.all(stored)).toMatchObject([
      { turn: { id: "run.1", pid: 42, processStart: 7, bootId: "boot", host: "here" } },
    ]);
  });

  test("ends the run when it cannot be stored: the turn was never begun and nothing is spent", async () => {
    let begun = 0;
    const loop = harness({ coder: starting(() => (begun += 1)) });
    let saves = 0;
    const store = {
      ...loop.store,
      save: async (checkpoint: Checkpoint) => {
        saves += 1;
        if (saves === 2) throw new Error("disk full");
        await loop.store.save(checkpoint);
      },
    };
    const options = { ...loop.options, checkpoint: { store, granularity: "turn" } } as const;
    const result = await runTask(TASK, options);
    expect(result).toMatchObject({ outcome: "checkpoint", totalCostUsd: 0 });
    expect(result.message).toBe("the checkpoint could not be saved: disk full");
    expect(result.checkpoint).toMatchObject({ phase: "bead_created", ledger: [] });
    expect(result.checkpoint.turn).toBeUndefined();
    expect(begun).toBe(0);
  });

  test.for([
    ["turn", "/turns"],
    ["cycle", undefined],
  ] as const)("outlives its runner with granularity %s if in %s", async ([granularity, dir]) => {
    const coder = writingCoder();
    const loop = harness({ coder, turnsDir: "/turns", leash: true });
    await runTask(TASK, { ...loop.options, checkpoint: { store: loop.store, granularity } });
    expect(coder.requests[0]).toMatchObject({ leash: true });
    expect(coder.requests[0]?.turnsDir).toBe(dir);
  });
});

describe("a turn that is taken again", () => {
  const CHOOSES = { resumesSession: true, choosesSessionId: true };
  const KILLED = { kind: "killed", message: "killed", retryable: true } as const;
  const GONE = { kind: "session-missing", message: "no such session", retryable: false } as const;
  const failing = (failure: AgentResult["failure"], ...then: string[]): FakeAgent =>
    fakeAgent([{ failure, costUsd: 0.2 }, ...then], CHOOSES);
  /** Runs into the first turn's failure, and is resumed. */
  const again = async (
    options: Partial<LoopOptions>,
    change: Partial<LoopOptions> = {},
  ): Promise<{ loop: Harness; result: Awaited<ReturnType<typeof runTask>> }> => {
    const loop = harness(options);
    await runTask(TASK, loop.options);
    loop.events.length = 0;
    const next = { ...loop.options, ...change };
    return { loop, result: await runFromCheckpoint(await loop.stored(), next) };
  };

  test("continues in its own session, told that it was interrupted and nothing else", async () => {
    const coder = failing(KILLED, "done");
    const { loop, result } = await again({ coder });
    expect(result.outcome).toBe("approved");
    expect(loop.trace().slice(1, 3)).toEqual([
      "turn_recovered coder resumed",
      "agent_start coder run.2 again 2",
    ]);
    const [first, second] = coder.requests;
    expect(second).toMatchObject({ sessionId: first?.sessionId, resumesSession: true });
    expect(second?.prompt).toMatch(/^You were interrupted/u);
    expect(second?.prompt).not.toContain("Do it");
    expect(first?.resumesSession).toBe(false);
  });

  test("continues in a session that its agent named", async () => {
    const naming = fakeAgent([{ failure: KILLED, sessionId: "s-7" }, "done"], {
      resumesSession: true,
    });
    await again({ coder: naming });
    expect(naming.requests[1]).toMatchObject({ sessionId: "s-7", resumesSession: true });
  });

  test.for([
    ["continues in the session that was stored where its agent was killed", undefined, "resumed"],
    [
      "begins a new session where its agent was killed with nothing to continue from",
      "",
      "restarted",
    ],
  ] as const)("%s", async ([, sessionId, how]) => {
    const coder = failing(KILLED, "done");
    const loop = harness({ coder });
    await runTask(TASK, loop.options);
    loop.events.length = 0;
    const died = { state: "died", sessionId, costSource: "partial" } as const;
    const crashed = { ...(await loop.stored()), failure: "" };
    await runFromCheckpoint(crashed, { ...loop.options, coder: found(coder, died) });
    expect(loop.trace()[1]).toBe(`turn_recovered coder ${how}`);
    expect(loop.events[1]).toMatchObject({ reason: "its agent was killed" });
    const [first, second] = coder.requests;
    expect(second?.resumesSession).toBe(how === "resumed");
    expect(second?.sessionId === first?.sessionId).toBe(how === "resumed");
    expect(second?.sessionId).toBeTruthy();
  });

  test("continues in its session as a reviewer too, and never in the coder's", async () => {
    const coder = fakeAgent(["done"], CHOOSES);
    const reviewer = failing(KILLED, APPROVAL);
    const { loop } = await again({ coder, reviewer });
    expect(loop.trace()[1]).toBe("turn_recovered reviewer resumed");
    const [first, second] = reviewer.requests;
    expect(second?.sessionId).toBe(first?.sessionId);
    expect(second?.prompt).toMatch(/^You were interrupted.*ISSUE: block/u);
    expect(coder.requests[0]?.sessionId).not.toBe(first?.sessionId);
  });

  test.for([
    ["the project's instructions", { projectContext: "GOAL: speed" }],
    ["what it may not touch", { untouchablePaths: ["notes.txt"] }],
    ["the agent", { coder: { ...fakeAgent(["done"], CHOOSES), name: "another" } }],
  ] as const)("begins a session of its own when %s changed", async ([, change]) => {
    const coder = failing(KILLED, "done");
    const { loop } = await again({ coder }, change);
    expect(loop.trace()).toContain("turn_recovered coder restarted");
    const agent = "coder" in change ? change.coder : coder;
    const second = agent.requests.at(-1);
    expect(second?.resumesSession).toBe(false);
    expect(second?.sessionId).not.toBe(coder.requests[0]?.sessionId);
    expect(second?.prompt).toContain("An earlier attempt");
  });

  test.for([
    ["an agent that cannot continue in one", KILLED, { choosesSessionId: true }],
    ["a context that is full", { ...KILLED, kind: "context-overflow" }, CHOOSES],
    ["a prompt that is too large", { ...KILLED, kind: "prompt-too-large" }, CHOOSES],
  ] as const)("begins a session of its own after %s", async ([, failure, capabilities]) => {
    const coder = fakeAgent([{ failure }, "done"], capabilities);
    await again({ coder });
    const [first, second] = coder.requests;
    expect(second?.resumesSession).toBe(false);
    expect(second?.sessionId).not.toBe(first?.sessionId);
  });

  test.for(["session-missing", "session-busy"] as const)(
    "begins anew at once after %s, which is said, and what nobody spent is not counted",
    async (kind) => {
      const failure = { ...GONE, kind };
      const refusal = { failure, costUsd: undefined, costSource: "unknown" } as const;
      const coder = fakeAgent([{ failure: KILLED, costUsd: 0.2 }, refusal, "done"], CHOOSES);
      const { loop, result } = await again({ coder });
      expect(result.outcome).toBe("approved");
      expect(loop.trace().slice(1, 6)).toEqual([
        "turn_recovered coder resumed",
        "agent_start coder run.2 again 2",
        "warning no such session: the turn is started again",
        "agent_start coder run.3 again 3",
        "agent_done coder",
      ]);
      expect(coder.requests[2]).toMatchObject({ resumesSession: false });
      expect(coder.requests[2]?.prompt).toContain("Do it");
      expect(result.checkpoint.ledger.slice(0, 3)).toMatchObject([
        { turnId: "run.1", status: "lost", costUsd: 0.2 },
        { turnId: "run.2", status: "failed", costUsd: 0 },
        { turnId: "run.3", status: "settled", costUsd: 0.1 },
      ]);
      expect(result.totalCostUsd).toBeCloseTo(0.4);
    },
  );

  test("is not tried a third time when a new session is missing too", async () => {
    const coder = failing(KILLED);
    const gone = fakeAgent([{ failure: GONE, costUsd: 0 }], CHOOSES);
    const { result } = await again({ coder }, { coder: gone });
    expect(result).toMatchObject({ outcome: "agent", agentFailure: GONE });
    expect(gone.requests).toHaveLength(2);
  });
});

describe("uncommitted work", () => {
  const DIED = { state: "died", sessionId: undefined, costSource: "unknown" } as const;

  test("is kept before its turn is taken again, and the tree stays as it is", async () => {
    const seen: string[] = [];
    const coder = found(
      fakeAgent([
        ({ workTree }) => {
          seen.push(readFileSync(join(workTree, "half"), "utf8"));
          return "done";
        },
      ]),
      DIED,
    );
    const { loop, run } = resumed({ coder });
    loop.tree.write("half", "done\n");
    loop.tree.write("README", "changed\n");
    await run();
    const kept = loop.events.find(({ type }) => type === "snapshot");
    expect(kept).toMatchObject({ cycle: 1, n: 1, ref: "refs/quasar/run/1" });
    const sha = loop.tree.git("rev-parse", "refs/quasar/run/1").trim();
    expect(kept).toMatchObject({ sha });
    expect(loop.tree.git("show", `${sha}:half`)).toBe("done\n");
    expect(loop.tree.git("show", `${sha}:README`)).toBe("changed\n");
    expect(seen).toEqual(["done\n"]);
    expect(coder.requests[0]?.prompt).toContain("The work tree holds uncommitted changes.");
    expect(loop.trace().slice(1, 3)).toEqual(["snapshot 1", "turn_recovered coder restarted"]);
  });

  test("is not searched for before a reviewer's turn, who changes nothing", async () => {
    const reviewer = found(fakeAgent([APPROVAL]), DIED);
    const change = { phase: "reviewing" } as const;
    const { loop, run } = resumed({ reviewer }, { role: "reviewer" }, change);
    loop.tree.write("half", "done\n");
    expect((await run()).outcome).toBe("approved");
    expect(loop.trace().join()).not.toContain("snapshot");
  });

  test("that cannot be kept stops the run before anything replaces it", async () => {
    const coder = found(writingCoder(), DIED);
    const { loop, run } = resumed({ coder });
    loop.tree.write("half", "done\n");
    // Where the snapshots' folder should be.
    loop.tree.git("update-ref", "refs/quasar/run", "HEAD");
    const result = await run();
    expect(result.outcome).toBe("git");
    expect(result.message).toContain("uncommitted work could not be kept");
    expect(coder.requests).toHaveLength(0);
    loop.tree.git("update-ref", "-d", "refs/quasar/run");
    const next = await runFromCheckpoint(await loop.stored(), loop.options);
    expect(next.outcome).toBe("approved");
    expect(next.checkpoint.ledger.map(({ turnId }) => turnId)).toEqual(["run.3", "run.4", "run.5"]);
  });
});

describe("a tree that was seen clean", () => {
  const DIED = { state: "died", sessionId: undefined, costSource: "unknown" } as const;
  const KILLED = { kind: "killed", message: "killed", retryable: true } as const;
  const DIRTY = { path: "half", status: "??" };
  type SeenAs = "clean" | "dirty" | "not seen";
  /** A caller that has looked at the tree by itself. */
  const seenAs = async ({ tree }: Harness, seen: SeenAs = "clean"): Promise<RunRepository> => {
    const look = { head: tree.head(), branch: "main", dirty: seen === "clean" ? [] : [DIRTY] };
    const repository = await openRepository(tree.dir);
    return seen === "not seen" ? repository : { ...repository, look: async () => look };
  };
  /** A turn is resumed in a tree that is not as it was seen: whether git is asked shows. */
  const resumedInDirt = async (coder: FakeAgent, seen?: SeenAs): Promise<Harness> => {
    const loop = harness({ coder });
    const repository = await seenAs(loop, seen);
    loop.tree.write("half", "done\n");
    const turn = aTurn({ id: "run.3", status: "started" });
    const checkpoint = aCheckpoint({ gitSha: loop.tree.head(), phase: "coding", turn });
    await runFromCheckpoint(checkpoint, { ...loop.options, repository });
    return loop;
  };
  const isKept = ({ events }: Harness): boolean => events.some(({ type }) => type === "snapshot");

  test.for([
    ["whose agent was killed", DIED],
    ["for which no agent was started", { state: "not-started" }],
    ["whose failure is read", { state: "ended" }],
  ] as const)("is believed to be so before a turn is taken again %s", async ([, state]) => {
    const coder = found(fakeAgent(["done"]), state, { failure: KILLED });
    expect(isKept(await resumedInDirt(coder))).toBe(false);
    const words = "Nothing in the work tree is uncommitted.";
    const isTold = coder.requests.map(({ prompt }) => prompt.includes(words));
    // Where nothing was begun there is nothing to say of it.
    expect(isTold).toEqual([state.state !== "not-started"]);
  });

  test.for([
    ["clean", []],
    ["dirty", ["run.3"]],
  ] as const)("has nobody left in it to be ended, where it was seen %s", async ([seen, ends]) => {
    const ended: string[] = [];
    const end = async ({ request }: UnfinishedTurn): Promise<void> =>
      void ended.push(request.turnId);
    await resumedInDirt({ ...found(fakeAgent(["done"]), DIED), end }, seen);
    expect(ended).toEqual(ends);
  });

  test.for([
    ["was followed", { state: "alive" }, {}],
    ["may work on", { state: "unknown" }, {}],
    ["works on where nobody can follow it", { state: "alive" }, { adopt: undefined }],
  ] as const)("is checked again when an agent %s", async ([, state, change]) => {
    const coder = { ...found(fakeAgent(["done"]), state, { failure: KILLED }), ...change };
    const loop = await resumedInDirt(coder as FakeAgent);
    expect(isKept(loop)).toBe(true);
    expect(coder.requests[0]?.prompt).toContain("The work tree holds uncommitted changes.");
  });

  test.for(["dirty", "not seen"] as const)("is checked where it was %s", async (seen) => {
    expect(isKept(await resumedInDirt(found(fakeAgent(["done"]), DIED), seen))).toBe(true);
  });

  test.for([
    ["still", "a turn was read that ran into a limit", { phase: "coding" }],
    ["no longer", "a turn was taken again", { phase: "coding", failure: "killed" }],
    ["no longer", "a reviewer's was taken again", { phase: "reviewing", failure: "killed" }],
    ["no longer", "a turn was begun", { phase: "bead_created", turn: aTurn() }],
    ["no longer", "lint may have run", { phase: "code_complete", turn: aTurn() }],
    ["no longer", "a filter may have run", { phase: "filtering", turn: aTurn() }],
  ] as const)("is %s believed to be so once %s", async ([holds, , change]) => {
    const retryAt = "2026-01-03T00:00:00.000Z";
    const failure = { kind: "rate-limit", message: "later", retryable: true, retryAt } as const;
    const agent = found(fakeAgent([{ failure }]), { state: "ended" }, { failure });
    const check = [{ name: "check", command: "exit 0" }];
    const now = () => new Date("2026-01-02T00:00:00Z");
    const loop = harness({ coder: agent, reviewer: agent, lint: check, filters: check, now });
    const head = loop.tree.head();
    const role = change.phase === "reviewing" ? "reviewer" : "coder";
    const turn = aTurn({ id: "run.3", status: "started", role });
    const state = stateFromCheckpoint(aCheckpoint({ gitSha: head, turn, ...change }));
    const repository = await openLoopRepository(loop.tree.dir);
    const runCheck = async (): Promise<never> => {
      throw new Error("its end is not known");
    };
    const ports = { repository, runCheck, waitUntil };
    const run = new Run(settingsOf(loop.options), ports, { state, head, isClean: true });
    expect(run.clean).toBe(true);
    // After its first step: what is done there fails.
    expect((await drive(run, [])).outcome).toMatch(/^(?:agent|check)$/u);
    expect(run.clean).toBe(holds === "still");
  });
});

describe("a usage limit", () => {
  const limited = (retryAt: string | undefined): FakeAgent =>
    fakeAgent([
      { failure: { kind: "rate-limit", message: "later", retryable: true, retryAt } },
      "done",
    ]);

  test.for([
    ["2026-11-21T08:00:00+01:00", "2026-11-21T07:00:00.000Z"],
    ["soon\u001b[31m", ""],
    [undefined, ""],
  ] as const)("until %s is stored as %j, and cleared by the next turn", async ([at, stored]) => {
    const loop = harness({ coder: limited(at) });
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({ outcome: "agent", agentFailure: { kind: "rate-limit" } });
    expect((await loop.stored()).retryAt).toBe(stored);
    const next = await runFromCheckpoint(await loop.stored(), loop.options);
    expect(next.outcome).toBe("approved");
    expect(next.checkpoint.retryAt).toBe("");
  });
});
