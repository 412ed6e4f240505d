import { expect, test } from "vitest";
import { APPROVAL, fakeAgent, issue, writingCoder } from "../test/fake-agent.ts";
import { harness } from "../test/harness.ts";
import { runFromCheckpoint, runTask } from "./loop.ts";

const TASK = { title: "Do it" };

test("a run that may begin no turn takes what the last one has done, and continues after it", async () => {
  const coder = writingCoder();
  const reviewer = fakeAgent([issue("bad"), APPROVAL]);
  const loop = harness({ coder, reviewer });
  /** How many turns have been taken when no other may begin. */
  for (const [most, commits] of [
    [0, 1],
    [1, 2],
    [2, 2],
    [3, 3],
  ] as const) {
    const taken = (): number => coder.requests.length + reviewer.requests.length;
    const options = { ...loop.options, mayBeginTurn: () => taken() < most };
    const result =
      most === 0
        ? await runTask(TASK, options)
        : await runFromCheckpoint(await loop.stored(), options);
    expect(result).toMatchObject({ outcome: "interrupted" });
    expect(taken()).toBe(most);
    expect(Number(loop.tree.git("rev-list", "--count", "HEAD"))).toBe(commits);
    expect(loop.tree.git("status", "--porcelain")).toBe("");
  }
  const end = await runFromCheckpoint(await loop.stored(), loop.options);
  expect(end).toMatchObject({ outcome: "approved", cycle: 2 });
  expect(reviewer.requests).toHaveLength(2);
});

test("no coder is asked to fix lint that has failed while the run was told to stop", async () => {
  const coder = writingCoder();
  let isStopped = false;
  const lint = [{ name: "lint", command: "exit 1" }];
  const loop = harness({ coder, lint, mayBeginTurn: () => !isStopped });
  const onEvent = ({ type }: { readonly type: string }): void => {
    isStopped ||= type === "check_done";
  };
  expect(await runTask(TASK, { ...loop.options, onEvent })).toMatchObject({
    outcome: "interrupted",
  });
  expect(coder.requests).toHaveLength(1);
});
