import { expect, test, vi } from "vitest";
import { endAgents } from "./task-agents.ts";

const system = vi.hoisted(() => ({ left: undefined as readonly number[] | undefined }));
vi.mock(import("@quasar/runs/tree"), async (original) => ({
  ...(await original()),
  endRun: async () => system.left,
}));

test.for([
  ["nobody can know what is left", undefined, [7, 8]],
  ["something does not end", [8], [8]],
  ["nothing is left", [], []],
] as const)("where %s, that is what a step may not begin beside", async ([, left, pids]) => {
  system.left = left;
  const agents = [{ runId: "task-step-1", pids: [7, 8] }];
  expect(await endAgents(agents)).toEqual(
    pids.length === 0 ? [] : [{ runId: "task-step-1", pids }],
  );
});
