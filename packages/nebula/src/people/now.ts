import { join } from "node:path";
import { hasAgentAtWork, openUser } from "@quasar/runs/internal";
import { LimitFiles } from "../state/limit-files.ts";
import { laneWaits, phasesOf } from "../state/schedule.ts";
import { type StopNote, stopAsked } from "./stop.ts";
import { pauseEnds } from "./pause.ts";
import { openQuestions } from "./open-questions.ts";
import type { AgentQuestion } from "../question.ts";
import { type NebulaHome, nebulaHome, runsFolder } from "../state/home.ts";
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
  /** That a person has asked that engine to stop, and it has not yet; `undefined`: nobody has. */
  readonly stops: Pick<StopNote, "isNow"> | undefined;
  /** The phases whose agents work although no engine does, by their ids: a resume reattaches to them. */
  readonly agents: ReadonlySet<string>;
  /** The usage limits that phases wait for, by the phase's id. */
  readonly limits: ReadonlyMap<string, StandingLimit>;
  /** The commands that together end its pause; none: it is not paused. */
  readonly pauseEnds: readonly string[];
  /** Which phase lands before each of those that are approved and wait for the lane, by their ids. */
  readonly laneWaits: ReadonlyMap<string, string>;
  /** What agents ask and a person can answer: first of those that cannot continue. */
  readonly questions: readonly AgentQuestion[];
  /** Who works on it, where several machines do. @default this one alone */
  readonly fleet?: FleetNow | undefined;
}

/** Which machines work on a nebula of a fleet. */
export interface FleetNow {
  /** Whether one of them does. */
  readonly isWorking: boolean;
  /** The one that decides what lands; `""`: none does now. */
  readonly lane: string;
  /** By the phase's id, of those that are worked on. */
  readonly machines: ReadonlyMap<string, string>;
}

/** The usage limit of an agent, which stands. */
export interface StandingLimit {
  readonly agent: string;
  /** RFC 3339: when the agent is tried again. */
  readonly until: string;
  /** Absolute path of the file that says so, for all engines of the user. */
  readonly file: string;
}

/** @param commonDir - The git folder that all work trees share. */
export async function nebulaNow(commonDir: string, state: NebulaState): Promise<NebulaNow> {
  const home = nebulaHome(commonDir, state.id);
  const engine = engineOf(home);
  const pid = engine?.pid;
  const working = pid === undefined ? new Set<string>() : workedOn(commonDir, state);
  const limitFiles = new LimitFiles(openUser().folders.state);
  return {
    ...{ pid, working, limits: limitsOf(state, working, limitFiles) },
    stops: engine && stopAsked(home, engine),
    agents: engine === undefined ? await agentsAtWork(home, state) : new Set(),
    pauseEnds: pauseEnds(home, state),
    laneWaits: waitsOf(commonDir, state),
    questions: openQuestions(commonDir, state),
  };
}

async function agentsAtWork(
  home: NebulaHome,
  { phases }: NebulaState,
): Promise<ReadonlySet<string>> {
  const agents = new Set<string>();
  for (const { id, ref, runId } of phases.filter(({ status }) => status === "running")) {
    // Of a run that cannot be read it is unknown; other screens tell of its damage.
    const isAtWork = await hasAgentAtWork(join(runsFolder(home, ref), runId)).catch(() => false);
    if (isAtWork) agents.add(id);
  }
  return agents;
}

/** A limit that is over, or whose file is gone, keeps nobody. */
function limitsOf(
  { phases }: NebulaState,
  working: ReadonlySet<string>,
  files: LimitFiles,
): ReadonlyMap<string, StandingLimit> {
  const now = Date.now();
  const limits = new Map<string, StandingLimit>();
  for (const { id, status, limitedBy: agent } of phases) {
    const isOpen = status === "pending" || (status === "running" && !working.has(id));
    const limit = isOpen && agent !== "" ? files.get(agent) : undefined;
    if (limit === undefined || limit.until <= now) continue;
    const until = new Date(limit.until).toISOString();
    limits.set(id, { agent, until, file: files.path(agent) });
  }
  return limits;
}

/** A nebula of which nothing waits is not read. */
function waitsOf(commonDir: string, state: NebulaState): ReadonlyMap<string, string> {
  if (!state.phases.some(({ status }) => status === "queued")) return new Map();
  const spec = keptSpec(commonDir, state);
  return laneWaits(phasesOf(spec, state), spec.execution.mergeOrder);
}
