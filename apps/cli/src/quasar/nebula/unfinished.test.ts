import type { NebulaState } from "@quasar/nebula";
import { expect, test } from "vitest";
import { landedWords, leftCount } from "./unfinished.ts";

type Status = NebulaState["phases"][number]["status"];

test("what has landed, failed or was skipped, and what only merges, is not left", () => {
  const ended: readonly Status[] = ["done", "failed", "skipped"];
  const open: readonly Status[] = ["pending", "running", "queued", "landing", "awaiting_human"];
  const phases = [...ended, ...open].map((status) => ({ status, merges: "" }));
  const merging = { status: "pending", merges: "a".repeat(40) } as const;
  expect(leftCount({ phases: [...phases, merging] })).toBe(open.length);
});

test("phases that had nothing to land are not said to have landed", () => {
  const progress = { landedCount: 3, phaseCount: 4 };
  expect(landedWords(progress)).toBe("3 of 4 phases landed");
  expect(landedWords(progress, 1)).toBe("2 of 4 phases landed, 1 had nothing to land");
});
