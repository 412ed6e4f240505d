import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import type { Observed } from "./observe.ts";
import type { Victim } from "./table.ts";

const WHOLE: Observed = {
  ...{ code: 0, resumes: 0, output: "", status: "approved", tree: "a1", uncommitted: "", left: 0 },
  ...{ subjects: ["Begin", "feat: one"], billedUsd: 0.3, ledgerUsd: 0.3, unknownUsd: 0 },
  asked: ["coder 1, step 0", "coder 1, step 1", "reviewer 1, step 0"],
};

function lawsOf(victim: Victim, change: Partial<Observed>, streamsUsage = true): readonly string[] {
  const now = { ...WHOLE, ...change };
  return judge(now, WHOLE, { victim, turn: "coder 1", streamsUsage }).map(({ law }) => law);
}

const AGAIN = { asked: ["coder 1, step 0", ...WHOLE.asked], billedUsd: 0.4 };
const BOUNDED = { ledgerUsd: 0.5, unknownUsd: 0.2 };

test.for([
  ["an undisturbed run", "runner", {}, []],
  ["another order of the same requests", "runner", { asked: WHOLE.asked.toReversed() }, ["asked"]],
  [
    "a request more after a runner's death",
    "runner",
    { ...AGAIN, ledgerUsd: 0.3 },
    ["asked", "ledger"],
  ],
  ["a ledger above the bill after a runner's death", "runner", BOUNDED, ["ledger"]],
  ["a turn that is begun once more", "agent", { ...AGAIN, ...BOUNDED }, []],
  ["a ledger below the bill", "agent", AGAIN, ["ledger"]],
  [
    "a turn that is begun twice more",
    "everything",
    { asked: [...AGAIN.asked, "coder 1, step 0"] },
    ["asked"],
  ],
  [
    "another turn that is begun again",
    "everything",
    { asked: [...WHOLE.asked, "reviewer 1, step 0"] },
    ["asked"],
  ],
  ["a turn that is left out", "supervisor", { asked: WHOLE.asked.slice(0, 2) }, ["asked"]],
  ["a run that does not end", "supervisor", { code: 4, status: "stopped" }, ["end", "end"]],
  ["a resume after an agent's death", "agent", { resumes: 1 }, ["resumes"]],
  ["a second resume after a runner's", "runner", { resumes: 2 }, ["resumes"]],
  ["one resume after a runner's", "runner", { resumes: 1 }, []],
  ["another tree", "agent", { tree: "b2" }, ["tree"]],
  ["work that is not committed", "agent", { uncommitted: "?? one.txt" }, ["tree"]],
  ["a commit twice", "agent", { subjects: [...WHOLE.subjects, "feat: one"] }, ["commits"]],
  ["a process that works on", "everything", { left: 1 }, ["left"]],
] as const)("%s, by the laws", ([, victim, change, laws]) => {
  expect(lawsOf(victim, change)).toEqual(laws);
});

test("no ledger is held to the bill of an agent that does not stream its usage", () => {
  expect(lawsOf("agent", AGAIN, false)).toEqual([]);
});
