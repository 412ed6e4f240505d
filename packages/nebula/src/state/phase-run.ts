import { basename } from "node:path";
import { isTreeOf } from "./check.ts";
import { nebulaHome, runsFolder } from "./home.ts";
import { listNebulae } from "./list.ts";
import type { NebulaState, PhaseState } from "./state.ts";

/** A phase, and the nebula that it is of. */
export interface OwnedPhase {
  readonly nebula: NebulaState;
  readonly phase: PhaseState;
  /** Absolute path of the folder of its runs. */
  readonly runsDir: string;
}

/** The phase that a run is of; `undefined`: it is of none. */
export function phaseOfRun(commonDir: string, runId: string): OwnedPhase | undefined {
  return findPhase(commonDir, (_nebula, { runs }) => runs.includes(runId));
}

/**
 * The phase that a work tree was made for; `undefined`: it was made for none.
 *
 * @param root - Its top folder.
 */
export function phaseOfTree(commonDir: string, root: string): OwnedPhase | undefined {
  return findPhase(commonDir, (nebula, phase) => isTreeOfPhase({ nebula, phase }, root));
}

/** Whether a work tree was made for a phase: phases of other nebulae may have the same ref. @param root - Its top folder. */
export function isTreeOfPhase(
  { nebula, phase }: Pick<OwnedPhase, "nebula" | "phase">,
  root: string,
): boolean {
  return phase.ref === basename(root) && isTreeOf(nebula.id, root);
}

function findPhase(
  commonDir: string,
  isMeant: (nebula: NebulaState, phase: PhaseState) => boolean,
): OwnedPhase | undefined {
  for (const nebula of listNebulae(commonDir)) {
    const phase = nebula.phases.find((each) => isMeant(nebula, each));
    if (phase === undefined) continue;
    return { nebula, phase, runsDir: runsFolder(nebulaHome(commonDir, nebula.id), phase.ref) };
  }
  return undefined;
}
