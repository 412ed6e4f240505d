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
