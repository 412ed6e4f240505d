import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Checkpoint } from "@quasar/checkpoint";
import { expect, test, vi } from "vitest";
import { type Answer, APPROVAL, fakeAgent, writingCoder } from "../test/fake-agent.ts";
import { type Harness, harness } from "../test/harness.ts";
import { runFromCheckpoint, runTask } from "./loop.ts";

const TASK = { title: "Do it" };

/** A coder that works, and appends a line to another file. */
function appending(file: string): Answer {
  return ({ workTree }) => {
    appendFileSync(join(workTree, "work.txt"), "work\n");
    appendFileSync(join(workTree, file), "appended\n");
    return "done";
  };
}

/** Commits a file before the run begins. */
function track({ tree }: Harness, file: string): void {
  mkdirSync(join(tree.dir, file, ".."), { recursive: true });
  tree.write(file, "tracked\n");
  tree.git("add", "-A", "-f");
  tree.git("commit", "-q", "-m", "second");
}

/** The checkpoint of a run that was killed before it removed the one of its approval. */
async function approvedCheckpoint(loop: Harness): Promise<Checkpoint> {
  const store = { ...loop.store, remove: () => Promise.reject(new Error("killed")) };
  await runTask(TASK, { ...loop.options, checkpoint: { store, granularity: "turn" } });
  const checkpoint = await loop.stored();
  expect(checkpoint.phase).toBe("approved");
  return checkpoint;
}

test("an approval that was stored does not count where the run's agents have committed since", async () => {
  const reviewer = fakeAgent([APPROVAL]);
  const loop = harness({ reviewer });
  const approved = await approvedCheckpoint(loop);
  loop.tree.write("late.txt", "late\n");
  vi.stubEnv("GIT_REFLOG_ACTION", "quasar:run/1");
  loop.tree.git("add", "-A");
  loop.tree.git("commit", "-q", "-m", "late");
  vi.unstubAllEnvs();
  const first = await runFromCheckpoint(approved, loop.options);
  expect(first).toMatchObject({ outcome: "approved-differs" });
  expect(first.message).toContain("the reviewer read another tree");
  const second = await runFromCheckpoint(await loop.stored(), loop.options);
  expect(second).toMatchObject({ outcome: "approved", finalCommitSha: loop.tree.head() });
  expect(reviewer.requests).toHaveLength(2);
});

test("an approval that was stored counts whatever is edited since, without a turn", async () => {
  const reviewer = fakeAgent([APPROVAL]);
  const loop = harness({ reviewer });
  const approved = await approvedCheckpoint(loop);
  loop.tree.write("work.txt", "the next thing\n");
  expect(await runFromCheckpoint(approved, loop.options)).toMatchObject({ outcome: "approved" });
  expect(reviewer.requests).toHaveLength(1);
});

test("a tracked file that is named like a half written one is undone like any other", async () => {
  const name = "data.tmp.1.aaaaaaaaaaaa";
  const meddle: Answer = ({ workTree }) => {
    appendFileSync(join(workTree, name), "by the reviewer\n");
    return APPROVAL;
  };
  const loop = harness({ reviewer: fakeAgent([meddle]) });
  track(loop, name);
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
  expect(loop.tree.git("status", "--porcelain")).toBe("");
  expect(loop.events).toContainEqual(expect.objectContaining({ type: "undone", paths: [name] }));
});

test.for([
  ["is named where a run has changed it", appending(".quasar/config.toml"), 1],
  ["is not named where nobody has", appending("other.txt"), 0],
] as const)("a tracked file of .quasar, which no run commits, %s", async ([, code, times]) => {
  const loop = harness({ coder: fakeAgent([code]) });
  track(loop, ".quasar/config.toml");
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
  const named = loop.trace().filter((line) => line.includes(".quasar/config.toml"));
  expect(named).toHaveLength(times);
});

test("an untracked file of .quasar is not named: it was there before", async () => {
  const loop = harness({ coder: writingCoder() });
  mkdirSync(join(loop.tree.dir, ".quasar"));
  loop.tree.write(".quasar/config.toml", "new\n");
  await runTask(TASK, loop.options);
  expect(loop.trace().join("\n")).not.toContain("config.toml");
});
