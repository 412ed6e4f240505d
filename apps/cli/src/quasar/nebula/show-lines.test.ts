import { expect, test } from "vitest";
import { phaseLines } from "./show-lines.ts";

const view = { columns: 80, paint: (_style: unknown, text: string) => text, live: false } as const;

test("an output stands once in what is shown of a phase, with the path of its rest", () => {
  const output = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join("\n");
  const finding = `[verify] npm test exit 1: ${output}`;
  const runs = [{ attempt: 2, runId: "r", reasons: [finding] }];
  const phase = {
    ...{ phaseId: "a", nebula: "shop", title: "A", standing: "failed", status: "failed" },
    ...{
      because: `it could not land: ${finding}`,
      landedSha: "",
      gate: "trust",
      text: "",
      file: "",
    },
    ...{ dependsOn: [], scope: [], requiredChecks: [], warnings: [], reasons: [finding], runs },
    ...{ coder: "c", reviewer: "r", model: "", maxCycles: 3, maxBudgetUsd: 0, timeoutMs: 0 },
    ...{
      spentUsd: 0,
      knownUsd: 0,
      unknownUsd: 0,
      outputs: new Map([[`attempt 2: ${finding}`, "/receipts/1.out"]]),
    },
  };
  const lines = phaseLines(phase as unknown as Parameters<typeof phaseLines>[0], view);
  expect(lines.filter((line) => line.endsWith("line 5"))).toHaveLength(1);
  expect(lines).toContain(`${" ".repeat(11)}… 10 more lines: /receipts/1.out`);
});
