import { execFileSync } from "node:child_process";
import type { AgentInvoker } from "@quasar/agents";
import { expect, test } from "vitest";
import { type Driver, openWorkspace } from "../src/internal.ts";
import { openRuns, type RunEvent } from "../src/index.ts";
import { inSession } from "../src/driving/session.ts";
import { aRepository, capabilities } from "./place.ts";

const refusing: AgentInvoker = {
  name: "refusing",
  capabilities,
  invoke: async () => ({
    text: "ISSUE:\nSEVERITY: major\nDESCRIPTION: not enough",
    costUsd: 0.01,
    costSource: "reported",
    durationMs: 1,
  }),
};
const agents = { coder: refusing, reviewer: refusing };

function aRepositoryWithCommit(): string {
  const repo = aRepository();
  execFileSync("git", ["commit", "-q", "--allow-empty", "-m", "start"], { cwd: repo });
  return repo;
}

test("that another run is stopped is told once, not at each resume", async () => {
  const runs = await openRuns(aRepositoryWithCommit());
  const other = await runs.start({ task: "One", ...agents, maxCycles: 1 });
  await runs.start({ task: "Two", ...agents, maxCycles: 1, isNew: true });
  const told: RunEvent[] = [];
  const onEvent = (event: RunEvent): void => {
    if (event.type === "notice") told.push(event);
  };
  await runs.resume({ ...agents, maxCycles: 2, onEvent });
  await runs.resume({ ...agents, maxCycles: 3, onEvent });
  const { runId } = other.result;
  const message = `note: another run is stopped: ${runId}`;
  expect(told).toEqual([{ type: "notice", message, next: [{ do: "abandon", runId }] }]);
});

test("what is told after the end, as at a second Ctrl-C, asks for no record", async () => {
  const workspace = await openWorkspace(aRepositoryWithCommit());
  const told: RunEvent[] = [];
  let driver: Driver | undefined;
  const options = {
    onEvent: (event: RunEvent): void => void told.push(event),
    onDriving: (driving: Driver): void => {
      driver = driving;
    },
  };
  await inSession(workspace, options, async (session) => session.begin("20261121-101500-7f3a9c"));
  driver?.tell({ type: "notice", message: "Stopped." });
  expect(told).toEqual([{ type: "notice", message: "Stopped." }]);
});
