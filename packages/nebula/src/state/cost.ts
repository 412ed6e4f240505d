import { spentIn } from "@quasar/runs/tree";
import { nebulaHome, runsFolder } from "./home.ts";
import type { NebulaState } from "./state.ts";

/** What a nebula has cost, in US dollars, as the ledgers of its runs have it. */
export interface NebulaCost {
  readonly totalUsd: number;
  /** By the phase's id. */
  readonly phasesUsd: ReadonlyMap<string, number>;
}

/** @param commonDir - The git folder that all work trees share. */
export async function nebulaCost(
  commonDir: string,
  { id, phases }: Pick<NebulaState, "id" | "phases">,
): Promise<NebulaCost> {
  const home = nebulaHome(commonDir, id);
  const phasesUsd = new Map<string, number>();
  for (const phase of phases) phasesUsd.set(phase.id, await spentIn(runsFolder(home, phase.ref)));
  const totalUsd = [...phasesUsd.values()].reduce((sum, usd) => sum + usd, 0);
  return { totalUsd, phasesUsd };
}
