import { expect, test } from "vitest";
import { type Descent, runAbove } from "./within-run.ts";

type Listed = Descent["processes"][number];

const listed = (pid: number, parent: number, runId?: string): Listed => ({
  pid,
  parent,
  variable: (name) => (name === "QUASAR_RUN_ID" ? runId : undefined),
});

test.for([
  ["by its own variable", { pid: 3, own: "r1", processes: [] }, "r1"],
  [
    "by that of its parent",
    { pid: 3, own: undefined, processes: [listed(3, 2), listed(2, 1, "r2")] },
    "r2",
  ],
  [
    "by that of its parent's parent",
    { pid: 4, own: "", processes: [listed(4, 3), listed(3, 2), listed(2, 1, "r3"), listed(1, 0)] },
    "r3",
  ],
  [
    "not by that of another process",
    { pid: 3, own: undefined, processes: [listed(3, 1), listed(2, 1, "r4")] },
    undefined,
  ],
  [
    "not in a circle",
    { pid: 3, own: undefined, processes: [listed(3, 2), listed(2, 3)] },
    undefined,
  ],
] as const)("the run above a process is known %s", ([, descent, runId]) => {
  expect(runAbove(descent)).toBe(runId);
});
