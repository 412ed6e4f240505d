import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CheckpointLedgerEntry,
  type CheckpointTurn,
  createCheckpoint,
  createFileCheckpointStore,
} from "@quasar/checkpoint";
import { expect, onTestFinished, test } from "vitest";
import { spendingIn } from "./read-run.ts";

const RUN = "20261120-101112-0a1b2c";
const TURN: CheckpointTurn = {
  ...{ id: `${RUN}.2`, role: "coder", attempt: 1, sessionId: "", resumed: false, treeMark: "" },
  ...{ pid: 0, processStart: 0, bootId: "", host: "", retries: 0, kills: 0, retryAt: "" },
  ...{ startedAt: "2026-11-20T10:11:12Z", status: "started" },
  ...{ allowanceUsd: 0.5, reservedUsd: 0.25, unmetered: false },
};

function aHome(): string {
  const home = mkdtempSync(join(tmpdir(), "read-run-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  return home;
}

test.for(["altered", "gone"] as const)(
  "the newest ledger and its open turn count where an artifact of the run is %s",
  async (how) => {
    const home = aHome();
    const dir = join(home, RUN);
    mkdirSync(dir);
    const store = createFileCheckpointStore({ dir });
    const before = createCheckpoint({ runId: RUN, totalCostUsd: 1 });
    await store.save(before);
    const coderOutput = "x".repeat(5 * 1024 * 1024);
    await store.save({ ...before, totalCostUsd: 3, unknownCostUsd: 2, turn: TURN, coderOutput });
    const artifacts = join(dir, "artifacts");
    const [artifact = ""] = readdirSync(artifacts);
    if (how === "gone") rmSync(join(artifacts, artifact));
    else writeFileSync(join(artifacts, artifact), "y");
    const spending = { spentUsd: 3.5, unknownUsd: 2.5, hasUnreportedCosts: true };
    expect(await spendingIn(home)).toEqual(new Map([[RUN, spending]]));
  },
);

test.for([
  ["an agent that reports its cost is held to its allowance", false, 5, 0.5, false],
  ["one that does not counts with what is reserved", true, 5, 0.25, false],
  ["without a limit no figure covers it", true, 0, 0, true],
] as const)("of an open turn, %s", async ([, unmetered, maxBudgetUsd, usd, isUnreported]) => {
  const home = aHome();
  const store = createFileCheckpointStore({ dir: join(home, RUN) });
  const turn = { ...TURN, unmetered, reservedUsd: maxBudgetUsd === 0 ? 0 : TURN.reservedUsd };
  await store.save(createCheckpoint({ runId: RUN, maxBudgetUsd, turn }));
  const spending = { spentUsd: usd, unknownUsd: usd, hasUnreportedCosts: isUnreported };
  expect(await spendingIn(home)).toEqual(new Map([[RUN, spending]]));
});

test.for([
  ["unknown", 0, true],
  ["unknown", 0.25, false],
  ["reported", 0, false],
] as const)("a turn that failed, cost %s, $%d reserved: unreported %s", async (row) => {
  const [source, reservedUsd, isUnreported] = row;
  const home = aHome();
  const store = createFileCheckpointStore({ dir: join(home, RUN) });
  const failed = { turnId: `${RUN}.1`, role: "coder", cycle: 1, attempt: 1, status: "failed" };
  const money = { source, reservedUsd, costUsd: reservedUsd, unknownUsd: reservedUsd };
  const entry = { ...failed, ...money, startedAt: "" } as CheckpointLedgerEntry;
  await store.save(createCheckpoint({ runId: RUN, ledger: [entry] }));
  const spending = await spendingIn(home);
  expect(spending.get(RUN)?.hasUnreportedCosts).toBe(isUnreported);
});
