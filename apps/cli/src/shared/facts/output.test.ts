import { expect, test } from "vitest";
import type { OutputRecord } from "../output/record.ts";
import { outputFacts, reportedBy } from "./output.ts";

const AT = "2026-01-02T03:04:05.000Z";
const COMMITTED = {
  ...{ type: "committed", cycle: 1, turnId: "run.1", sha: "a".repeat(40) },
  ...{ spentUsd: 0, unknownUsd: 0 },
} as const;

const RECORDS = [
  { ...COMMITTED, changes: { files: 2, added: 3, removed: 1 } },
  COMMITTED,
  { type: "waiting", until: AT, waitMs: 1000, isKnown: true, message: "limit" },
  {
    ...{ type: "turn_retry", cycle: 1, role: "coder", turnId: "run.1", retry: 1, most: 3 },
    ...{ until: AT, waitMs: 10, message: "busy", spentUsd: 0, unknownUsd: 0 },
  },
  { type: "notice", message: "a note" },
] as const;

test.for(RECORDS)("what is printed of %j says what was reported", (record) => {
  const printed = JSON.parse(JSON.stringify(outputFacts(record as OutputRecord))) as ReturnType<
    typeof outputFacts
  >;
  expect(reportedBy(printed)).toEqual(record);
});
