import type { NebulaState } from "@quasar/nebula";
import { expect, test } from "vitest";
import { leftCount } from "./unfinished.ts";

type Status = NebulaState["phases"][number]["status"];

test("what has landed, failed or was skipped, and what only merges, is not left", () => {
  const ended: readonly Status[] = ["done", "failed", "skipped"];
  const open: readonly Status[] = ["pending", "running", "queued", "landing", "awaiting_human"];
  const phases = [...ended, ...open].map((status) => ({ status, merges: "" }));
  const merging = { status: "pending", merges: "a".repeat(40) } as const;
  expect(leftCount({ phases: [...phases, merging] })).toBe(open.length);
});
