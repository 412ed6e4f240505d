import { join } from "node:path";
import { limitedUntil } from "@quasar/runs/internal";
import { laneWaits, phasesOf } from "../state/schedule.ts";
import { pauseEnds } from "./pause.ts";
import { openQuestions } from "./open-questions.ts";
import type { AgentQuestion } from "../question.ts";
import { nebulaHome, runsFolder } from "../state/home.ts";
import { keptSpec } from "../state/list.ts";
import { engineOf } from "../state/lock.ts";
import type { NebulaState } from "../state/state.ts";
import { workedOn } from "../state/working.ts";

/** What is true of a nebula at this moment, and is not in its state. */
export interface NebulaNow {
  /** The process of the engine that works on it; `undefined`: none does. */
  readonly pid: number | undefined;
  /** The phases that a worker of that engine has, by their ids. */
  readonly working: ReadonlySet<string>;
  /** When the usage limits are lifted that stopped phases: RFC 3339, by the phase's id. */
  readonly limits: ReadonlyMap<string, string>;
  /** The commands that together end its pause; none: it is not paused. */
  readonly pauseEnds: readonly string[];
  /** Which phase lands before each of those that are approved and wait for the lane, by their ids. */
  readonly laneWaits: ReadonlyMap<string, string>;
  /** What agents ask and a person can answer: first of those that cannot continue. */
  readonly questions: readonly AgentQuestion[];
}

/** @param commonDir - The git folder that all work trees share. */
export async function nebulaNow(commonDir: string, state: NebulaState): Promise<NebulaNow> {
  const { id, phases } = state;
  const home = nebulaHome(commonDir, id);
  const limits = new Map<string, string>();
  for (const { id: phase, ref, runId } of phases.filter(({ status }) => status === "running")) {
    const until = await limitedUntil(join(runsFolder(home, ref), runId));
    if (until !== undefined) limits.set(phase, until);
  }
  const pid = engineOf(home)?.pid;
  return {
    ...{ pid, limits },
    working: pid === undefined ? new Set() : workedOn(commonDir, state),
    pauseEnds: pauseEnds(home, state),
    laneWaits: waitsOf(commonDir, state),
    questions: openQuestions(commonDir, state),
  };
}

/** A nebula of which nothing waits is not read. */
function waitsOf(commonDir: string, state: NebulaState): ReadonlyMap<string, string> {
  if (!state.phases.some(({ status }) => status === "queued")) return new Map();
  const spec = keptSpec(commonDir, state);
  return laneWaits(phasesOf(spec, state), spec.execution.mergeOrder);
}
