import { expect, test, vi } from "vitest";
import { endLeftovers } from "./processes.ts";

const system = vi.hoisted(() => ({ left: undefined as readonly number[] | undefined }));
vi.mock(import("@quasar/agents/turns"), async (original) => ({
  ...(await original()),
  endRunProcesses: async () => system.left && { ended: [], left: system.left },
}));

test.for([
  ["nobody can know what is left", undefined, [7, 8]],
  ["something does not end", [8], [8]],
  ["nothing is left", [], []],
] as const)("where %s, that is what nobody may work beside", async ([, left, pids]) => {
  system.left = left;
  const before = [{ runId: "task-step-1", pids: [7, 8] }];
  expect(await endLeftovers(before)).toEqual(
    pids.length === 0 ? [] : [{ runId: "task-step-1", pids }],
  );
});
