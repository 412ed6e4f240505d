import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openRuns } from "./open-runs.ts";

vi.mock(import("@quasar/agents/turns"), async (original) => ({
  ...(await original()),
  findRunProcesses: () => undefined,
  endRunProcesses: async () => undefined,
}));

test("a run is not given up unasked where nobody can see whether its agent works", async () => {
  const repo = mkdtempSync(join(realpathSync(tmpdir()), "runs-"));
  onTestFinished(() => rmSync(repo, { recursive: true, force: true }));
  vi.stubEnv("XDG_STATE_HOME", join(repo, ".git", "state"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const git = (...args: string[]): void => void execFileSync("git", args, { cwd: repo });
  git("init", "-q");
  git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "start");
  const runs = await openRuns(repo);
  const agent = (name: string, text: string) => ({
    name,
    capabilities: {
      structuredOutput: false,
      choosesSessionId: false,
      reportsCost: true,
      streamsUsage: false,
      resumesSession: false,
    },
    invoke: async () => ({ text, costUsd: 0, costSource: "reported", durationMs: 1 }) as const,
  });
  const reviewer = agent("reviewer", "ISSUE:\nSEVERITY: major\nDESCRIPTION: no");
  const given = { task: "Write", coder: agent("coder", "done"), reviewer, maxCycles: 1 };
  const { result } = await runs.start(given);
  const asked: (readonly number[])[] = [];
  const mayEnd = (pids: readonly number[]): boolean => asked.push(pids) > 1;
  await expect(runs.abandon(result.runId, { mayEnd })).rejects.toMatchObject({
    code: "ERR_AGENT_ALIVE",
    message: expect.stringContaining("cannot be seen"),
  });
  expect(await runs.abandon(result.runId, { mayEnd })).toMatchObject({ ended: [] });
  expect(asked).toEqual([[], []]);
});
