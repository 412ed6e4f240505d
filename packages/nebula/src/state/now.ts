import { join } from "node:path";
import { lockHolder } from "@quasar/durable";
import { limitedUntil } from "@quasar/runs/tree";
import { nebulaHome, runsFolder } from "./home.ts";
import type { NebulaState } from "./state.ts";

/** What is true of a nebula at this moment, and is not in its state. */
export interface NebulaNow {
  /** The process of the engine that works on it; `undefined`: none does. */
  readonly pid: number | undefined;
  /** When the usage limits are lifted that stopped phases: RFC 3339, by the phase's id. */
  readonly limits: ReadonlyMap<string, string>;
}

/** @param commonDir - The git folder that all work trees share. */
export async function nebulaNow(
  commonDir: string,
  { id, phases }: Pick<NebulaState, "id" | "phases">,
): Promise<NebulaNow> {
  const home = nebulaHome(commonDir, id);
  const limits = new Map<string, string>();
  for (const { id: phase, ref, runId } of phases.filter(({ status }) => status === "running")) {
    const until = await limitedUntil(join(runsFolder(home, ref), runId));
    if (until !== undefined) limits.set(phase, until);
  }
  return { pid: lockHolder(home.lock)?.pid, limits };
}
