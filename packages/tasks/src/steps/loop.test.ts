import { expect, test, vi } from "vitest";
import type { AgentWorkDone } from "../runs/agent-work.ts";
import { workOnStep } from "../runs/work-on-step.ts";
import { loopStep } from "./loop.ts";
import type { RunningStep } from "./step.ts";

vi.mock("../runs/work-on-step.ts", () => ({ workOnStep: vi.fn<typeof workOnStep>() }));

const DONE: AgentWorkDone = {
  kind: "done",
  runId: "run-1",
  text: "Fixed.",
  review: "APPROVED: right.",
  report: undefined,
  findings: [],
  cycles: 2,
  commits: ["c".repeat(40)],
  turns: [],
  costUsd: 0,
  unknownCostUsd: 0,
  numTurns: 2,
  sessionId: undefined,
  isKept: true,
};

const INPUT = { prompt: "Fix it.", definition: {} } as RunningStep;

test.for([
  [DONE.commits, "approved in cycle 2"],
  [[], "no changes were made; approved in cycle 2"],
] as const)("with the commits %j its summary is %j", async ([commits, summary]) => {
  vi.mocked(workOnStep).mockResolvedValue({ ...DONE, commits });
  expect(await loopStep.run(INPUT)).toMatchObject({ kind: "completed", summary });
});
