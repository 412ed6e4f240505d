import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { currentGitSha, openRepository } from "@quasar/git";
import { expect, test, vi } from "vitest";
import { runFromCheckpoint, runTask } from "../src/loop.ts";
import { APPROVAL, fakeAgent, issue, writingCoder } from "./fake-agent.ts";
import { aFolder, harness } from "./harness.ts";

const TASK = { title: "Do it" };

/** How many git processes something starts. */
async function gitProcesses(work: () => Promise<unknown>): Promise<number> {
  const bin = aFolder();
  const log = join(bin, "log");
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  writeFileSync(join(bin, "git"), `#!/bin/sh\necho x >> '${log}'\nexec '${real}' "$@"\n`);
  chmodSync(join(bin, "git"), 0o755);
  writeFileSync(log, "");
  vi.stubEnv("PATH", `${bin}${delimiter}${process.env["PATH"] ?? ""}`);
  await work();
  vi.unstubAllEnvs();
  return readFileSync(log, "utf8").length / 2;
}

test("a cycle starts at most six git processes", async () => {
  const count = (cycles: number): Promise<number> => {
    const reviews = [...Array<string>(cycles - 1).fill(issue("bad")), APPROVAL];
    const { options } = harness({ coder: writingCoder(), reviewer: fakeAgent(reviews) });
    return gitProcesses(() => runTask(TASK, { ...options, maxCycles: 3 }));
  };
  const [one, three] = [await count(1), await count(3)];
  expect((three - one) / 2).toBeLessThanOrEqual(6);
  expect(one).toBeGreaterThan(2);
});

test("what its caller has seen of a repository a run does not ask git for, nor does a resume", async () => {
  const failure = { kind: "network", message: "no net", retryable: true } as const;
  const count = async (isSeen: boolean): Promise<readonly number[]> => {
    const loop = harness({ reviewer: fakeAgent([{ failure }, APPROVAL]) });
    const { dir } = loop.tree;
    const seen = async () => {
      if (!isSeen) return undefined;
      const look = { head: await currentGitSha(dir), branch: "main", dirty: [] };
      return { ...(await openRepository(dir)), look: async () => look };
    };
    const atStart = { ...loop.options, repository: await seen() };
    const started = await gitProcesses(() => runTask(TASK, atStart));
    const later = { ...loop.options, repository: await seen() };
    const checkpoint = await loop.stored();
    const resumed = await gitProcesses(() => runFromCheckpoint(checkpoint, later));
    return [started, resumed];
  };
  const [started = 0, resumed = 0] = await count(false);
  expect(await count(true)).toEqual([started - 1, resumed - 2]);
});

test("a turn of a coder is taken again without two git processes where the tree was seen clean", async () => {
  const failure = { kind: "killed", message: "killed", retryable: true } as const;
  const count = async (isSeen: boolean): Promise<number> => {
    const loop = harness({ coder: fakeAgent([{ failure }, "done"]) });
    const { dir } = loop.tree;
    await runTask(TASK, loop.options);
    const repository = await openRepository(dir);
    const seen = { head: loop.tree.head(), branch: "main", dirty: [] };
    const look = isSeen ? async () => seen : undefined;
    const options = { ...loop.options, repository: { ...repository, look } };
    const checkpoint = await loop.stored();
    return gitProcesses(() => runFromCheckpoint(checkpoint, options));
  };
  expect(await count(true)).toBe((await count(false)) - 2);
});
