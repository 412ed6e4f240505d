import { createMemoryCheckpointStore, type CheckpointStore } from "@quasar/checkpoint";
import { readCommit } from "@quasar/git/history";
import { describe, expect, test } from "vitest";
import { APPROVAL, fakeAgent, issue, writingCoder } from "../test/fake-agent.ts";
import { type Harness, harness } from "../test/harness.ts";
import type { TurnKind } from "./run-kind.ts";
import { resumeTurn, runTask, runTurn } from "./loop.ts";
import type { LoopOptions } from "./options.ts";

const TASK = { id: "t", title: "Do it\n\nwell" };
const KINDS = ["coder", "reader", "reviewer"] as const satisfies readonly TurnKind[];

type ARun = Harness & { readonly kind: TurnKind };

function aRun(kind: TurnKind, options: Partial<LoopOptions> = {}): ARun {
  const reviewer = fakeAgent([issue("bad")]);
  return { kind, ...harness({ coder: writingCoder(), reviewer, ...options }) };
}

function requests({ options }: Harness): readonly string[] {
  const [coder, reviewer] = [options.coder, options.reviewer] as ReturnType<typeof fakeAgent>[];
  const all = [...(coder?.requests ?? []), ...(reviewer?.requests ?? [])];
  return all.map(({ role, access }) => `${role} ${access}`);
}

describe("a single turn is a run of its own", () => {
  test("of the coder, whose work is committed", async () => {
    const run = aRun("coder");
    const result = await runTurn(run.kind, TASK, run.options);
    expect(result).toMatchObject({ outcome: "approved", message: "The coder's turn is done." });
    expect(result.checkpoint.coderOutput).toBe("wrote line 1");
    expect(requests(run)).toEqual(["coder write"]);
    expect(run.tree.git("status", "--porcelain")).toBe("");
    expect(result.cycleCommits).toEqual([run.tree.git("rev-parse", "HEAD").trim()]);
    expect(await run.store.load()).toBeUndefined();
  });

  test("of a reader, of which nothing is committed, and who is not told to write", async () => {
    const run = aRun("reader", { coder: fakeAgent(["it is in a.ts"]) });
    run.tree.write("mine.txt", "not committed\n");
    const before = run.tree.git("rev-parse", "HEAD");
    const result = await runTurn(run.kind, TASK, run.options);
    expect(result).toMatchObject({ outcome: "approved", message: "The agent has answered." });
    expect(result.checkpoint.coderOutput).toBe("it is in a.ts");
    expect(requests(run)).toEqual(["coder read"]);
    expect(run.tree.git("rev-parse", "HEAD")).toBe(before);
    expect(run.tree.git("status", "--porcelain")).toContain("mine.txt");
    const [request] = (run.options.coder as ReturnType<typeof fakeAgent>).requests;
    expect(request?.prompt).toBe("Task (t):\n\nDo it\n\nwell");
    expect(request?.systemPrompt).toMatch(/^You look into a repository/u);
  });

  test.for([
    ["that approves", APPROVAL, 0],
    ["that finds something", issue("bad"), 1],
    ["that answers in a form of the caller's", '{ "passed": true }', 0],
  ] as const)("of the reviewer, %s", async ([, answer, found]) => {
    const run = aRun("reviewer", { reviewer: fakeAgent([answer]) });
    const result = await runTurn(run.kind, TASK, run.options);
    expect(result).toMatchObject({ outcome: "approved", message: "The review is done." });
    expect(result.findings).toHaveLength(found);
    expect(result.checkpoint.reviewOutput).toBe(answer);
    expect(requests(run)).toEqual(["reviewer read"]);
  });

  test("of the reviewer, who is asked once more where it says nothing", async () => {
    const reviewer = fakeAgent([" \n", APPROVAL]);
    const run = aRun("reviewer", { reviewer });
    const result = await runTurn(run.kind, TASK, run.options);
    expect(result).toMatchObject({ outcome: "approved", report: { summary: "fine" } });
    expect(reviewer.requests).toHaveLength(2);
  });

  test.for(KINDS)("that is done although it has used up the budget: %s", async (kind) => {
    const dear = { costUsd: 9, text: kind === "reviewer" ? issue("bad") : "done" };
    const run = aRun(kind, { coder: fakeAgent([dear]), reviewer: fakeAgent([dear]) });
    const result = await runTurn(run.kind, TASK, { ...run.options, maxBudgetUsd: 1 });
    expect(result).toMatchObject({ outcome: "approved", totalCostUsd: 9 });
  });

  test("and a reader who is asked again is not told of work in the tree", async () => {
    const busy = { kind: "overloaded", message: "too busy", retryable: true } as const;
    const coder = fakeAgent([{ failure: busy }, "it is in a.ts"]);
    const run = aRun("reader", { coder });
    run.tree.write("mine.txt", "not committed\n");
    await runTurn(run.kind, TASK, run.options);
    await resumeTurn(run.kind, await run.stored(), run.options);
    expect(coder.requests[1]?.prompt).toMatch(
      /^An earlier attempt at this was interrupted before there was an answer\.\n\nTask/u,
    );
    expect(run.tree.git("for-each-ref", "refs/quasar")).toBe("");
  });
});

/** A store after which the process is gone: its nth write is made, or is not, and throws. */
function killing(store: CheckpointStore, at: number, when: "before" | "after"): CheckpointStore {
  let writes = 0;
  const write = async (work: () => Promise<void>): Promise<void> => {
    writes += 1;
    if (writes > at || (writes === at && when === "before")) throw new Error("killed");
    await work();
    if (writes === at) throw new Error("killed");
  };
  return {
    ...store,
    save: (checkpoint) => write(() => store.save(checkpoint)),
    remove: (phaseId) => write(() => store.remove(phaseId)),
  };
}

describe("a single turn that is killed", () => {
  const rows = KINDS.flatMap((kind) =>
    [1, 2, 3, 4, 5].flatMap((at) =>
      (["before", "after"] as const).map((when) => [kind, when, at] as const),
    ),
  );
  test.for(rows)("is paid for once: %s, %s write %s", async ([kind, when, at]) => {
    const run = aRun(kind, { coder: kind === "reader" ? fakeAgent(["found"]) : writingCoder() });
    const store = createMemoryCheckpointStore();
    const stopped = { store: killing(store, at, when), granularity: "turn" } as const;
    await runTurn(run.kind, TASK, {
      ...run.options,
      checkpoint: { ...stopped, onSaveError: "stop" },
    });
    const wasAsked = requests(run).length;
    const saved = (await store.load())?.checkpoint;
    const isSettled = saved?.ledger.length === 1;
    if (saved !== undefined) {
      const checkpoint = { store, granularity: "turn" } as const;
      const result = await resumeTurn(run.kind, saved, { ...run.options, checkpoint });
      expect(result.outcome).toBe("approved");
      expect(result.findings).toHaveLength(kind === "reviewer" ? 1 : 0);
      if (isSettled) expect(requests(run)).toHaveLength(wasAsked);
      expect(run.tree.git("status", "--porcelain")).toBe("");
      const commits = run.tree.git("rev-list", "--count", "HEAD").trim();
      expect(Number(commits) - 1).toBe(kind === "coder" ? 1 : 0);
    }
  });
});

describe("a run's commits", () => {
  test("are called as the caller says, and carry the trailers that are given beside the loop's own", async () => {
    const reviewer = fakeAgent([issue("bad"), APPROVAL]);
    const trailers = { "Quasar-Step": "implement", "Quasar-Attempt": "2", "Quasar-Task": "forged" };
    const commit = { subject: "fix: a null pointer\nmore", trailers };
    const run = harness({ reviewer, commit });
    await runTask(TASK, run.options);
    const subjects = run.tree.git("log", "-2", "--reverse", "--format=%s");
    expect(subjects).toBe("fix: a null pointer\nfix: a null pointer (cycle 2)\n");
    const { trailers: made } = await readCommit(run.tree.dir, "HEAD");
    expect(Object.fromEntries(made)).toMatchObject({
      "Quasar-Task": ["t"],
      "Quasar-Step": ["implement"],
      "Quasar-Attempt": ["2"],
      "Quasar-Cycle": ["2"],
      "Quasar-Turn": ["run.3"],
    });
  });
});
