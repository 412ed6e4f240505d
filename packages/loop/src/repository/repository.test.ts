import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openRepository } from "@quasar/git";
import { expect, test } from "vitest";
import { fakeAgent } from "../../test/fake-agent.ts";
import { harness } from "../../test/harness.ts";
import { runFromCheckpoint, runTask } from "../loop.ts";

const TASK = { id: "t-1", title: "Do it" };

test("a run that was given a repository fails, and asks no agent, where it is there no more", async () => {
  const loop = harness();
  const { dir } = loop.tree;
  const repository = await openRepository(dir);
  renameSync(join(dir, ".git"), join(dir, "elsewhere"));
  const refused = expect.objectContaining({ code: "ERR_NOT_A_REPOSITORY" });
  await expect(runTask(TASK, { ...loop.options, repository })).rejects.toEqual(refused);
  expect(loop.trace()).toEqual([]);
});

test("a run whose .git cannot be read is not one outside a repository, nor is its resume", async () => {
  const failure = { kind: "network", message: "no net", retryable: true } as const;
  const loop = harness({ coder: fakeAgent([{ failure }]) });
  await runTask(TASK, loop.options);
  const checkpoint = await loop.stored();
  const told = loop.trace().length;
  rmSync(join(loop.tree.dir, ".git/HEAD"));
  const refused = expect.objectContaining({ code: "ERR_UNREADABLE_REPOSITORY" });
  await expect(runTask(TASK, loop.options)).rejects.toEqual(refused);
  await expect(runFromCheckpoint(checkpoint, loop.options)).rejects.toEqual(refused);
  expect(loop.trace()).toHaveLength(told);
});
