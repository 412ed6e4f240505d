import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CheckpointTurn,
  createCheckpoint,
  createFileCheckpointStore,
} from "@quasar/checkpoint";
import { expect, onTestFinished, test } from "vitest";
import { spendingIn } from "./read-run.ts";

const RUN = "20261120-101112-0a1b2c";
const TURN = { status: "started", allowanceUsd: 0.5, reservedUsd: 0.25 };

test.for(["altered", "gone"] as const)(
  "the newest ledger and its open turn count where an artifact of the run is %s",
  async (how) => {
    const home = mkdtempSync(join(tmpdir(), "read-run-"));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const dir = join(home, RUN);
    mkdirSync(dir);
    const store = createFileCheckpointStore({ dir });
    const before = createCheckpoint({ runId: RUN, totalCostUsd: 1 });
    await store.save(before);
    const turn: CheckpointTurn = {
      ...{ id: `${RUN}.2`, role: "coder", attempt: 1, sessionId: "", resumed: false, treeMark: "" },
      ...{ pid: 0, processStart: 0, bootId: "", host: "", retries: 0, kills: 0, retryAt: "" },
      ...{ startedAt: "2026-11-20T10:11:12Z", ...TURN, status: "started" },
    };
    const coderOutput = "x".repeat(5 * 1024 * 1024);
    await store.save({ ...before, totalCostUsd: 3, unknownCostUsd: 2, turn, coderOutput });
    const artifacts = join(dir, "artifacts");
    const [artifact = ""] = readdirSync(artifacts);
    if (how === "gone") rmSync(join(artifacts, artifact));
    else writeFileSync(join(artifacts, artifact), "y");
    expect(await spendingIn(home)).toEqual(new Map([[RUN, { spentUsd: 3.5, unknownUsd: 2.5 }]]));
  },
);
