import { createMemoryCheckpointStore } from "@quasar/checkpoint";
import { afterEach, expect, test } from "vitest";
import { APPROVAL, fakeAgent, issue, writingCoder } from "../test/fake-agent.ts";
import { createWorkTree, type WorkTree } from "../test/work-tree.ts";
import type { LoopEvent } from "./event.ts";
import { runFromCheckpoint, runTask } from "./loop.ts";

const trees: WorkTree[] = [];
function workTree(): WorkTree {
  const tree = createWorkTree();
  trees.push(tree);
  return tree;
}
afterEach(() => {
  for (const tree of trees.splice(0)) tree.remove();
});

test("runs two cycles, commits each and says what it cost", async () => {
  const tree = workTree();
  const events: LoopEvent[] = [];
  const result = await runTask(
    { id: "t-1", title: "Do it\nwith care" },
    {
      workDir: tree.dir,
      coder: writingCoder(),
      reviewer: fakeAgent([issue("no test"), APPROVAL]),
      onEvent: (event) => void events.push(event),
    },
  );
  expect(result).toMatchObject({ outcome: "approved", cycle: 2, taskId: "t-1" });
  expect(result.totalCostUsd).toBeCloseTo(0.4);
  expect(tree.subjects()).toEqual(["t-1/cycle-1: Do it", "t-1/cycle-2: Do it"]);
  expect(events.map(({ type }) => type)).toEqual([
    "cycle_start",
    "agent_start",
    "agent_done",
    "committed",
    "agent_start",
    "agent_done",
    "review_complete",
    "cycle_start",
    "agent_start",
    "agent_done",
    "committed",
    "agent_start",
    "agent_done",
    "review_complete",
    "task_success",
  ]);
});

test("resumes a run whose reviewer failed, without running the coder again", async () => {
  const tree = workTree();
  const store = createMemoryCheckpointStore();
  const coder = writingCoder();
  const options = {
    workDir: tree.dir,
    coder,
    checkpoint: { store, granularity: "turn" },
  } as const;
  const failing = fakeAgent([
    { failure: { kind: "rate-limit", message: "come back later", retryable: true } },
  ]);
  const failed = await runTask({ title: "Do it" }, { ...options, reviewer: failing });
  expect(failed).toMatchObject({ outcome: "agent", message: "come back later" });
  const loaded = await store.load();
  if (loaded === undefined) throw new Error("nothing was stored");
  const result = await runFromCheckpoint(loaded.checkpoint, {
    ...options,
    reviewer: fakeAgent([APPROVAL]),
  });
  expect(result.outcome).toBe("approved");
  expect(coder.requests).toHaveLength(1);
  expect(result.totalCostUsd).toBeCloseTo(0.3);
  expect(await store.load()).toBeUndefined();
});
