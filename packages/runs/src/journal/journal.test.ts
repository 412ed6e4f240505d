import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoopEvent } from "@quasar/loop";
import { expect, onTestFinished, test } from "vitest";
import { openRunJournal, readFacts } from "./journal.ts";

function checked(passed: boolean): LoopEvent {
  const event = { type: "check_done", cycle: 1, check: "filter", name: "npm test", passed };
  return { ...event, output: "", state: () => ({ turn: { id: "run.1" } }) } as unknown as LoopEvent;
}

function inTurn(id: string, data: object): LoopEvent {
  return {
    cycle: 1,
    ...data,
    state: () => ({ turn: { id }, allFindings: [] }),
  } as unknown as LoopEvent;
}

test("each commit of a turn and each review of a cycle is in the journal, those that are told again once", () => {
  const dir = mkdtempSync(join(tmpdir(), "runs-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const events = [
    inTurn("run.1", { type: "committed", turnId: "run.1", sha: "a" }),
    inTurn("run.1", { type: "committed", turnId: "run.1", sha: "b", by: "git hook", paths: ["x"] }),
    inTurn("run.2", { type: "review_complete", approved: true, findings: [] }),
    inTurn("run.2", { type: "task_success", report: undefined }),
    inTurn("run.3", { type: "review_complete", approved: true, findings: [] }),
    inTurn("run.3", { type: "task_success", report: undefined }),
  ];
  for (const told of [events, events]) {
    const journal = openRunJournal(dir, () => {});
    for (const event of told) journal.add(event);
    journal.close();
  }
  const facts = readFacts(dir).map(({ type, sha, turnId }) => [type, sha ?? turnId]);
  expect(facts).toEqual([
    ["committed", "a"],
    ["committed", "b"],
    ["review_complete", "run.2"],
    ["task_success", "run.2"],
    ["review_complete", "run.3"],
    ["task_success", "run.3"],
  ]);
});

test("a check that a crash has told again is in the journal once, and once more where it says otherwise", () => {
  const dir = mkdtempSync(join(tmpdir(), "runs-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const add = (...verdicts: boolean[]): void => {
    const journal = openRunJournal(dir, () => {});
    for (const passed of verdicts) journal.add(checked(passed));
    journal.close();
  };
  add(false);
  add(false, true);
  add(true);
  expect(readFacts(dir).map(({ passed }) => passed)).toEqual([false, true]);
  add(false, true);
  expect(readFacts(dir).map(({ passed }) => passed)).toEqual([false, true, false, true]);
});
