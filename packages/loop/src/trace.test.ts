import { expect, test } from "vitest";
import { APPROVAL, fakeAgent, issue, writingCoder } from "../test/fake-agent.ts";
import { harness } from "../test/harness.ts";
import { runTask } from "./loop.ts";
import type { LoopOptions, TaskResult } from "./options.ts";

const FAILURE = { failure: { kind: "overloaded", message: "too busy", retryable: true } } as const;

/** A shell command that fails the first n times it is run in a work tree. */
const failing = (n: number): string =>
  `c=.git/count; echo x >> $c; [ $(wc -l < $c) -gt ${n} ] || { echo not good; exit 1; }`;

/** Finds something wrong with the first commit that it is asked about, and with that alone. */
function wrongOnce(): NonNullable<LoopOptions["judgeCommit"]> {
  let first = "";
  return (sha) => {
    first ||= sha;
    return Promise.resolve(sha === first ? "f: it is wrong" : "");
  };
}

interface Row {
  readonly name: string;
  readonly options: Partial<LoopOptions>;
  readonly outcome: TaskResult["outcome"];
  readonly trace: string;
  readonly subjects: string;
}

const rows: readonly Row[] = [
  {
    name: "approved in the first cycle",
    options: {},
    outcome: "approved",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      agent_start reviewer run.2
      agent_done reviewer
      review_complete 1 approved
      task_success 1`,
    subjects: "t/cycle-1: Do it",
  },
  {
    name: "issues, then approved",
    options: { reviewer: fakeAgent([issue("bad"), APPROVAL]) },
    outcome: "approved",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      agent_start reviewer run.2
      agent_done reviewer
      review_complete 1 1 found
      cycle_start 2
      agent_start coder run.3
      agent_done coder
      committed
      agent_start reviewer run.4
      agent_done reviewer
      review_complete 2 approved
      task_success 2`,
    subjects: "t/cycle-1: Do it, t/cycle-2: Do it",
  },
  {
    name: "budget used up by the coder",
    options: { maxBudgetUsd: 0.1 },
    outcome: "budget",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      task_failed 1 budget`,
    subjects: "t/cycle-1: Do it",
  },
  {
    name: "budget used up by a reviewer with issues",
    options: { maxBudgetUsd: 0.2, reviewer: fakeAgent([issue("bad")]) },
    outcome: "budget",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      agent_start reviewer run.2
      agent_done reviewer
      review_complete 1 1 found
      task_failed 1 budget`,
    subjects: "t/cycle-1: Do it",
  },
  {
    name: "budget used up by a reviewer that approves",
    options: { maxBudgetUsd: 0.2 },
    outcome: "approved",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      agent_start reviewer run.2
      agent_done reviewer
      review_complete 1 approved
      task_success 1`,
    subjects: "t/cycle-1: Do it",
  },
  {
    name: "all cycles used up",
    options: { maxCycles: 1, reviewer: fakeAgent([issue("bad")]) },
    outcome: "max_cycles",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      agent_start reviewer run.2
      agent_done reviewer
      review_complete 1 1 found
      task_failed 1 max_cycles`,
    subjects: "t/cycle-1: Do it",
  },
  {
    name: "lint that the coder fixes",
    options: { lint: [{ name: "style", command: failing(1) }] },
    outcome: "approved",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      check_done style failed
      agent_start coder run.2
      agent_done coder
      committed
      check_done style passed
      agent_start reviewer run.3
      agent_done reviewer
      review_complete 1 approved
      task_success 1`,
    subjects: "t/cycle-1: Do it, t/cycle-1: Do it (lint fix)",
  },
  {
    name: "lint that nobody fixes",
    options: { lint: [{ name: "style", command: failing(9) }], maxLintRetries: 1 },
    outcome: "approved",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      check_done style failed
      agent_start coder run.2
      agent_done coder
      committed
      check_done style failed
      warning lint still fails, and the coder may not try again: the reviewer gets what it printed
      agent_start reviewer run.3
      agent_done reviewer
      review_complete 1 approved
      task_success 1`,
    subjects: "t/cycle-1: Do it, t/cycle-1: Do it (lint fix)",
  },
  {
    name: "lint that cannot be run",
    options: { lint: [{ name: "style", command: "no-such-program 2>/dev/null" }] },
    outcome: "approved",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      check_done style failed
      warning style could not be run: the shell does not know it
      agent_start reviewer run.2
      agent_done reviewer
      review_complete 1 approved
      task_success 1`,
    subjects: "t/cycle-1: Do it",
  },
  {
    name: "a filter that sends the cycle back",
    options: { filters: [{ name: "tests", command: failing(1) }] },
    outcome: "approved",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      check_done tests failed
      review_complete 1 1 found
      cycle_start 2
      agent_start coder run.2
      agent_done coder
      committed
      check_done tests passed
      agent_start reviewer run.3
      agent_done reviewer
      review_complete 2 approved
      task_success 2`,
    subjects: "t/cycle-1: Do it, t/cycle-2: Do it",
  },
  {
    name: "a commit that its caller finds something wrong with, before any filter runs",
    options: { filters: [{ name: "tests", command: "true" }], judgeCommit: wrongOnce() },
    outcome: "approved",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      review_complete 1 1 found
      cycle_start 2
      agent_start coder run.2
      agent_done coder
      committed
      check_done tests passed
      agent_start reviewer run.3
      agent_done reviewer
      review_complete 2 approved
      task_success 2`,
    subjects: "t/cycle-1: Do it, t/cycle-2: Do it",
  },
  {
    name: "a commit in which its caller always finds something wrong",
    options: { maxCycles: 2, judgeCommit: () => Promise.resolve("f: it is wrong") },
    outcome: "max_cycles",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      review_complete 1 1 found
      cycle_start 2
      agent_start coder run.2
      agent_done coder
      committed
      review_complete 2 1 found
      task_failed 2 max_cycles`,
    subjects: "t/cycle-1: Do it, t/cycle-2: Do it",
  },
  {
    name: "a commit that its caller cannot judge",
    options: { judgeCommit: () => Promise.reject(new Error("no eyes")) },
    outcome: "check",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      task_failed 1 check`,
    subjects: "t/cycle-1: Do it",
  },
  {
    name: "a filter that cannot be run",
    options: { filters: [{ name: "tests", command: "no-such-program" }] },
    outcome: "check",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      check_done tests failed
      task_failed 1 check`,
    subjects: "t/cycle-1: Do it",
  },
  {
    name: "a task that is changed on the way",
    options: {
      reviewer: fakeAgent([issue("bad"), APPROVAL]),
      takeRefactor: () => "Do that\nand more",
    },
    outcome: "approved",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      agent_start reviewer run.2
      agent_done reviewer
      review_complete 1 1 found
      cycle_start 2
      agent_start coder run.3
      agent_done coder
      committed
      refactored 2
      agent_start reviewer run.4
      agent_done reviewer
      review_complete 2 approved
      task_success 2`,
    subjects: "t/cycle-1: Do it, t/cycle-2: Do that",
  },
  {
    name: "a loop that goes in circles",
    options: { detectStruggle: true, maxBudgetUsd: 0.6, reviewer: fakeAgent([issue("the same")]) },
    outcome: "struggling",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      agent_start reviewer run.2
      agent_done reviewer
      review_complete 1 1 found
      cycle_start 2
      agent_start coder run.3
      agent_done coder
      committed
      agent_start reviewer run.4
      agent_done reviewer
      review_complete 2 1 found
      struggle_detected 2`,
    subjects: "t/cycle-1: Do it, t/cycle-2: Do it",
  },
  {
    name: "a coder that fails",
    options: { coder: fakeAgent([FAILURE]) },
    outcome: "agent",
    trace: `cycle_start 1
      agent_start coder run.1
      task_failed 1 agent`,
    subjects: "",
  },
  {
    name: "a reviewer that fails",
    options: { reviewer: fakeAgent([FAILURE]) },
    outcome: "agent",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      agent_start reviewer run.2
      task_failed 1 agent`,
    subjects: "t/cycle-1: Do it",
  },
  {
    name: "a reviewer that is unclear once",
    options: { reviewer: fakeAgent(["Looks good!", APPROVAL]) },
    outcome: "approved",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      agent_start reviewer run.2
      warning the reviewer's answer neither approves nor names an issue: it is asked once more
      agent_start reviewer run.3 again 2
      agent_done reviewer
      review_complete 1 approved
      task_success 1`,
    subjects: "t/cycle-1: Do it",
  },
  {
    name: "a reviewer that says nothing, twice",
    options: { reviewer: fakeAgent([" \n"]) },
    outcome: "agent",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed
      agent_start reviewer run.2
      warning the reviewer said nothing: it is asked once more
      agent_start reviewer run.3 again 2
      task_failed 1 agent`,
    subjects: "t/cycle-1: Do it",
  },
  {
    name: "a coder that changes nothing",
    options: { coder: fakeAgent(["nothing to do"]) },
    outcome: "approved",
    trace: `cycle_start 1
      agent_start coder run.1
      agent_done coder
      committed nothing
      agent_start reviewer run.2
      agent_done reviewer
      review_complete 1 approved
      task_success 1`,
    subjects: "",
  },
];

test.for(rows)("tells what happens, in order: $name", async (row) => {
  const loop = harness({ coder: writingCoder(), ...row.options });
  const result = await runTask({ id: "t", title: "Do it" }, loop.options);
  expect(loop.trace()).toEqual(row.trace.split("\n").map((line) => line.trim()));
  expect(result.outcome).toBe(row.outcome);
  expect(loop.tree.subjects().join(", ")).toBe(row.subjects);
  const last = loop.events.at(-1);
  if (last?.type === "task_failed") expect(result.message).toBe(last.message);
});
