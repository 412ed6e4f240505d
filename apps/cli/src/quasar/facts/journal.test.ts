import { expect, test } from "vitest";
import { journalFacts } from "./journal.ts";

const time = "2026-01-17T14:00:00.000Z";

test.for([
  [
    "the end of a run",
    { type: "result", totalCostUsd: 1.5, unknownCostUsd: 0.5, finalCommitSha: "a", time },
    { type: "result", spentUsd: 1.5, unknownUsd: 0.5, finalSha: "a", time },
  ],
  ["a fork", { type: "forked", from: "run", time }, { type: "forked", fromRunId: "run", time }],
  [
    "a review",
    { type: "review_complete", changed: [], time },
    { type: "review_complete", changedFindings: [], time },
  ],
  [
    "a retry",
    { type: "turn_retry", retry: 1, most: 3, until: time, time },
    { type: "turn_retry", retry: 1, maxRetries: 3, retryAt: time, time },
  ],
  ["a wait", { type: "waiting", until: time, time }, { type: "waiting", retryAt: time, time }],
  [
    "a commit",
    { type: "committed", sha: "a", changes: { files: 1, added: 2, removed: 3 }, time },
    { type: "committed", sha: "a", changes: { fileCount: 1, added: 2, removed: 3 }, time },
  ],
  [
    "a commit of a damaged journal",
    { type: "committed", changes: null },
    { type: "committed", changes: null },
  ],
  [
    "what another version has noted",
    { type: "later", most: 1, since: time },
    { type: "later", most: 1, since: time },
  ],
] as const)("prints %s", ([, stored, printed]) => {
  expect(journalFacts(stored)).toEqual(printed);
});
