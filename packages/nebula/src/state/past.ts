import { join } from "node:path";
import { settingsOfRun } from "@quasar/runs/internal";
import type { PastPhase } from "../plan/estimate.ts";
import { nebulaCost, NOTHING } from "./cost.ts";
import { nebulaHome, runsFolder } from "./home.ts";
import { listNebulae } from "./list.ts";
import type { NebulaState } from "./state.ts";

/** Most phases that are read: older ones say little of what agents cost now. */
const MOST = 100;

/**
 * The phases of a repository's nebulae that are done, the newest nebula's first. One whose cost is not known, or cannot be
 * read, is left out.
 *
 * @param commonDir - The git folder that all work trees share.
 */
export async function pastPhases(commonDir: string): Promise<readonly PastPhase[]> {
  const past: PastPhase[] = [];
  for (const state of listNebulae(commonDir)) {
    if (past.length >= MOST) break;
    // What is damaged there is in nobody's way here.
    past.push(...(await phasesOf(commonDir, state).catch(() => [])));
  }
  return past.slice(0, MOST);
}

async function phasesOf(commonDir: string, state: NebulaState): Promise<readonly PastPhase[]> {
  const done = state.phases.filter(({ status, merges }) => status === "done" && merges === "");
  const cost = await nebulaCost(commonDir, { id: state.id, phases: done });
  const past: PastPhase[] = [];
  for (const { id, ref, runId } of done) {
    const { spentUsd, unknownUsd, hasUnreportedCosts } = cost.phases.get(id) ?? NOTHING;
    if (spentUsd === 0 || unknownUsd > 0 || hasUnreportedCosts) continue;
    const runDir = join(runsFolder(nebulaHome(commonDir, state.id), ref), runId);
    const { coder } = (await settingsOfRun(runDir)) ?? {};
    past.push({ costUsd: spentUsd, coder: typeof coder === "string" ? coder : undefined });
  }
  return past;
}
