import type { HookFile, StepRecord } from "@quasar/hookfile";
import type { RunFacts } from "@quasar/runs/facts";
import { expect, test } from "vitest";
import type { TaskRecord } from "../task-record.ts";
import { pullRequestBody } from "./pull-request-text.ts";

const HOSTILE =
  "done\n````\n```\n## @everyone fixes #1 ![x](https://evil/x.png)\n`````\u202e\u0007\u001b[2J s3cret";

function aBody({
  output = HOSTILE,
  description = HOSTILE,
  note = HOSTILE,
  outputs = 1,
  runs = new Map<string, RunFacts>(),
} = {}): string {
  const names = Array.from({ length: outputs }, (_, index) => `analyze${index || ""}`);
  const steps = names.map(
    (name): Partial<StepRecord> => ({ name, type: "ai", status: "completed", attempts: 2, note }),
  );
  const receipts = [{ receiptId: "rcpt-1", exitCode: 0, command: HOSTILE }];
  const stepResults = names.map((stepName) => ({ stepName, output }));
  const task = { id: "task-1\n@all", description, stepResults } as unknown as TaskRecord;
  const hook = { steps, receipts } as unknown as HookFile;
  const redact = (text: string) => text.replaceAll("s3cret", "[redacted]");
  return pullRequestBody(task, hook, redact, runs, { "Quasar-Receipts": "1 ab" });
}

test("leaves outside of fences nothing that others wrote", () => {
  const body = aBody();
  expect(body.match(/@everyone/g)).toHaveLength(4);
  const ours = body.replaceAll(/^(`{3,})text\n[^]*?\n\1$/gm, "(fence)");
  expect(ours).toBe(
    "## What was asked for\n\n(fence)\n\n## Steps\n\n(fence)\n\n" +
      "## Receipts of validation commands\n\n(fence)\n\n" +
      "Each can be checked with `atlas hook verify-receipt <id>` where the keys are.\n\n" +
      "## What analyze said\n\n(fence)\n\nQuasar-Task: task-1__all\nQuasar-Receipts: 1 ab\n",
  );
  expect(body).not.toMatch(/[^\P{C}\n]/u);
});

test("names the steps with their attempts, and the receipts with their commands", () => {
  const body = aBody({ output: "", note: "all\nof it", description: "fix it" });
  expect(body).toContain("```text\nanalyze (ai): completed, 2 attempts: all of it\n```");
  expect(body).toContain("```text\nrcpt-1: exit code 0: done");
  expect(body).not.toContain("## What analyze said");
});

test("tells of a step what its run came to, in place of its agents' own words", () => {
  const turn = { turnId: "r.1", role: "coder", cycle: 1, status: "settled", summary: HOSTILE };
  const finding = { severity: "major", description: HOSTILE, cycle: 1, status: "fixed", life: [] };
  const run = {
    ...{ status: "approved", reason: "", cycle: 1, maxCycles: 3, lives: [] },
    ...{ turns: [turn], findings: [finding], cycles: [] },
    money: {
      ...{ spentUsd: 0.5, unknownUsd: 0, reservedUsd: 0, maxUsd: 5 },
      hasUnreportedCosts: false,
    },
    recovery: { crashCount: 0, resumeCount: 0, boughtTwiceCount: 0, boughtTwiceUsd: 0 },
  } as unknown as RunFacts;
  const body = aBody({ runs: new Map([["analyze", run]]), output: "its own words" });
  expect(body).not.toContain("its own words");
  const ours = body
    .replaceAll(/^(`{3,})text\n[^]*?\n\1$/gm, "(fence)")
    .replaceAll(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/gu, "(code)");
  expect(ours).toContain(
    "## What analyze did\n\n**Approved** after 1 cycle · $0.50 of $5.00 · 1 turn\n\n(fence)\n\n" +
      "### Findings\n\n| severity | finding | cycle | status (cycle) |\n| --- | --- | --- | --- |\n" +
      "| major | (code) | 1 | fixed |\n",
  );
  expect(ours).not.toMatch(/everyone|#1/u);
});

test("has of a review what it says, not the words by which it is read", () => {
  const review =
    "APPROVED: it does\n\nREPORT:\nSATISFACTION: high\nRISK: low\nNEEDS_HUMAN_REVIEW: no\nSUMMARY: All nil checks are there.";
  const body = aBody({
    output: `Added the checks.\n\n---\n\n${review}\n`,
    note: "",
    description: "",
  });
  expect(body).toContain("Added the checks.\n\nAll nil checks are there.\n");
  expect(body).not.toMatch(/APPROVED|REPORT|SATISFACTION/u);
  expect(aBody({ output: "---\n\nAPPROVED: it does" })).toMatch(/\nit does\n/u);
});

test("is never longer than GitHub takes", () => {
  const body = aBody({ output: "x".repeat(4_000), description: "y".repeat(1e5), outputs: 60 });
  expect(body.length).toBeGreaterThan(50_000);
  expect(body.length).toBeLessThanOrEqual(60_001);
  expect(body).toMatch(/\nQuasar-Task: task-1__all\nQuasar-Receipts: 1 ab\n$/);
});

test("takes out secrets of what agents and the user wrote", () => {
  expect(aBody()).not.toContain("s3cret");
  expect(aBody().match(/\[redacted\]/g)).toHaveLength(4);
});
