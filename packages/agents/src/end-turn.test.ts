import { expect, test, vi } from "vitest";
import { endTurnProcesses } from "./run-processes.ts";

const process = vi.hoisted(() => ({ ended: undefined as unknown }));
vi.mock("@quasar/process", async (original) => ({
  ...(await original<object>()),
  endMarked: async () => process.ended,
}));

test.for([
  ["nobody can know what is left", undefined, "cannot be listed"],
  ["something does not end", { ended: [], left: [7, 8] }, "process 7, 8 does not end"],
] as const)("the end of a turn fails where %s", async ([, ended, message]) => {
  process.ended = ended;
  await expect(endTurnProcesses("run.1", undefined)).rejects.toMatchObject({
    code: "ERR_NOT_ENDED",
    message: expect.stringContaining(message),
  });
  process.ended = { ended: [7], left: [] };
  await expect(endTurnProcesses("run.1", undefined)).resolves.toBeUndefined();
});
