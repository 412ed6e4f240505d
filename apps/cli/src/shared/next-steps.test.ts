import type { NextStep } from "@quasar/runs";
import { expect, test } from "vitest";
import { stepsInWords as inAtlas } from "../atlas/next-steps.ts";
import { stepsInWords as inQuasar } from "../quasar/next-steps.ts";

const runId = "20261126-134500-12e7db";

test.for<readonly [step: NextStep, quasar: string, atlas: string | undefined]>([
  [{ shell: "git status" }, "git status", "git status"],
  [{ shell: "kill 4711", note: "ends it" }, "kill 4711   # ends it", "kill 4711   # ends it"],
  [{ note: "wait for it" }, "wait for it", "wait for it"],
  [{ do: "start" }, 'quasar run "…"', 'atlas start "…"'],
  [
    { do: "start", options: { inWorktree: true }, note: "beside it" },
    'quasar run --worktree "…"   # beside it',
    undefined,
  ],
  [
    { do: "start", options: { cheaper: "reviewer" } },
    'quasar run --reviewer-model <model> "…"',
    undefined,
  ],
  [{ do: "list" }, "quasar list --all", "atlas list"],
  [{ do: "show" }, "quasar status", "atlas status"],
  [{ do: "show", runId }, `quasar show ${runId}`, undefined],
  [{ do: "check", options: { fix: true } }, "quasar doctor --fix", undefined],
  [{ do: "watch", runId, options: { follow: true } }, `quasar log ${runId} --follow`, undefined],
  [{ do: "resume" }, "quasar resume", "atlas resume"],
  [{ do: "resume", runId }, `quasar resume ${runId}`, undefined],
  [
    { do: "resume", options: { waitLimitMs: 6 * 3_600_000 } },
    "quasar resume --wait-limit 6h",
    "atlas resume --wait-limit 6h",
  ],
  [
    { do: "resume", options: { allowedTools: ["Edit", "Bash(npm test *)"], maxBudgetUsd: 2.5 } },
    'quasar resume --max-budget 2.5 --allow-tool Edit --allow-tool "Bash(npm test *)"',
    'atlas resume --max-budget 2.5 --allow-tool Edit --allow-tool "Bash(npm test *)"',
  ],
  [
    { shell: "git commit", do: "resume", options: { accepts: ["head", "trust"] }, note: "or not" },
    "git commit && quasar resume --accept-head --trust   # or not",
    undefined,
  ],
  [
    { do: "resume", runId, workTree: "/my tree" },
    `cd '/my tree' && quasar resume ${runId}`,
    undefined,
  ],
])("%o is worded by each command, or left out", ([step, quasar, atlas]) => {
  expect(inQuasar([step])).toEqual([quasar]);
  expect(inAtlas([step])).toEqual(atlas === undefined ? [] : [atlas]);
});
