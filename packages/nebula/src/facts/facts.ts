import type { RecoveryFacts, RunFacts } from "@quasar/runs/facts";
import { exactUsd } from "@quasar/runs/internal";
import type { EngineLimits } from "../context/context.ts";
import { limitOf, type Shortage } from "../engine/budget.ts";
import type { NebulaObstacle } from "../engine/find-obstacles.ts";
import type { FleetNow, NebulaNow } from "../people/now.ts";
import { planOrder } from "../spec/order.ts";
import type { NebulaSpec } from "../spec/types.ts";
import { attemptsOf } from "../state/attempts.ts";
import type { NebulaCost } from "../state/cost.ts";
import { laneOrder } from "../state/schedule.ts";
import {
  isPushed,
  landedPhases,
  landedTip,
  type NebulaState,
  type PhaseState,
  progressOf,
} from "../state/state.ts";
import { livesOf } from "./lives.ts";
import { moneyOf, nebulaMoney, spendingOf } from "./money.ts";
import type { LandingFacts, NebulaFacts, PhaseFacts, PushFacts } from "./nebula-facts.ts";
import { needsOf } from "./needs.ts";
import { isWorking, standingOf } from "./standing.ts";
import { type NebulaStory, NO_PHASE_STORY } from "./story.ts";

/** What engines may spend. */
export type SpendingLimits = Pick<EngineLimits, "totalUsd" | "phaseUsd">;

/** What a caller knows of a nebula that its own files do not say. */
export interface NebulaBeside {
  /** By the user's settings. @default not known */
  readonly shortages?: readonly Shortage[] | undefined;
  /** Found by asking git. @default not known */
  readonly obstacles?: readonly NebulaObstacle[] | undefined;
}

/** What the facts of a nebula are made from. */
export interface NebulaSources {
  readonly state: NebulaState;
  /** The files that it is worked on by; `undefined`: nobody has read them, or they cannot be read. */
  readonly spec: NebulaSpec | undefined;
  /** By the user's settings. @default what its files say */
  readonly limits?: SpendingLimits | undefined;
  readonly cost: NebulaCost;
  readonly now: NebulaNow;
  readonly story: NebulaStory;
  /** Oldest first, by the phase's id; none of a phase whose runs nobody has read. */
  readonly runs: ReadonlyMap<string, readonly RunFacts[]>;
  readonly beside?: NebulaBeside | undefined;
  /** Damage of its files, in words. @default none */
  readonly problems?: readonly string[] | undefined;
}

/** Pure: the same sources have the same facts. */
export function nebulaFacts(sources: NebulaSources): NebulaFacts {
  const { state, spec, limits, cost, now, story, beside = {}, problems = [] } = sources;
  const { planVerdict, planReason } = state;
  const { shortages = [], obstacles = [] } = beside;
  const phases = phaseFacts(sources);
  const isAtWork = isWorking(now);
  const lives = livesOf(story.lives, isAtWork);
  const total = limits?.totalUsd ?? spec?.execution.totalBudgetUsd ?? 0;
  return {
    ...progressOf(state),
    ...{ id: state.id, name: state.name, dir: state.dir, branch: state.branch },
    ...{ baseSha: state.base, tipSha: landedTip(state), isArchived: state.archivedFrom !== "" },
    status: statusOf(state, now),
    ...(now.fleet && { fleet: { isWorking: now.fleet.isWorking, lane: now.fleet.lane } }),
    ...{ stops: now.stops, agents: [...now.agents] },
    ...{ pid: now.pid, pauseEnds: now.pauseEnds, planVerdict, planReason },
    ...{ startedAt: state.createdAt, lastAt: story.lastAt || state.createdAt },
    push: pushFacts(state),
    needs: needsOf(state, now, shortages),
    ...{ shortages, obstacles, phases },
    money: nebulaMoney(cost.total, phases, total),
    landings: landedPhases(state).map((phase) => landingFacts(phase, story)),
    lane: laneOrder(state.phases, spec?.execution.mergeOrder ?? "ready"),
    ...{ decisions: story.decisions, questions: story.questions, openQuestions: now.questions },
    ...{ lives, recovery: recoveryOf(lives, phases) },
    events: story.events,
    problems: [...problems, ...unreadable(story)],
  };
}

function statusOf({ phases }: NebulaState, now: NebulaNow): NebulaFacts["status"] {
  if (phases.every(({ status }) => status === "done")) return "done";
  if (now.pauseEnds.length > 0) return "paused";
  return isWorking(now) ? "working" : "stopped";
}

function phaseFacts({
  state,
  spec,
  cost,
  now,
  story,
  runs,
  limits = { totalUsd: 0, phaseUsd: 0 },
  beside: { shortages } = {},
}: NebulaSources): readonly PhaseFacts[] {
  const specs = new Map(spec?.phases.map((phase) => [phase.id, phase]));
  const waves = wavesOf(spec);
  return state.phases.map((phase): PhaseFacts => {
    const { id, status, attempt, question, digest, base: baseSha, tip: tipSha } = phase;
    const own = specs.get(id);
    const told = story.phases.get(id) ?? NO_PHASE_STORY;
    const isWorkedOn = now.working.has(id);
    const retryAt = now.limits.get(id)?.until ?? "";
    const ofRuns = runs.get(id) ?? [];
    const landedSha = phase.landing > 0 ? phase.candidate : "";
    const spent = spendingOf(cost.phases, id);
    const maxUsd = spec && own ? limitOf({ spec, limits }, own) : 0;
    const reservedUsd = isWorkedOn ? Math.max(0, exactUsd(phase.reservedUsd - spent.spentUsd)) : 0;
    return {
      ...{ id, title: own?.title ?? "", status, isWorkedOn, retryAt, attempt },
      ...(now.fleet && machineFacts(phase, now.fleet)),
      standing: standingOf({ status, isWorkedOn, landedSha, retryAt }, now),
      reason: reasonBy(phase, shortages),
      isMerge: phase.merges !== "",
      ...{ dependsOn: own?.dependsOn ?? [], wave: waves.get(id) ?? 0 },
      attempts: attemptsOf(phase, told.attempts),
      ...{ reworks: told.reworks, warnings: told.warnings },
      money: moneyOf(spent, ofRuns, { maxUsd, reservedUsd }),
      runs: ofRuns,
      ...{ question, digest, baseSha, tipSha, landedSha },
      landedAt: told.landedAt.get(landedSha) ?? "",
      landsAfter: now.laneWaits.get(id) ?? "",
    };
  });
}

function machineFacts(
  { id, runs, machines: of = {} }: PhaseState,
  { machines }: FleetNow,
): Required<Pick<PhaseFacts, "machine" | "machines">> {
  const machine = machines.get(id) ?? "";
  const all = [...runs.map((run) => of[run] ?? ""), machine].filter((each) => each !== "");
  return { machine, machines: [...new Set(all)] };
}

/** Whether a phase has waited for a larger limit, and has it by now. */
export function isFunded(
  { id, question }: Pick<PhaseState, "id" | "question">,
  shortages: readonly Shortage[],
): boolean {
  return question === "budget" && !shortages.some(({ phase }) => phase === id);
}

/** Why it waits for a larger limit as its limits are by now; else what is on record. */
function reasonBy(phase: PhaseState, shortages: readonly Shortage[] | undefined): string {
  if (phase.question !== "budget" || shortages === undefined) return phase.reason;
  return shortages.find((each) => each.phase === phase.id)?.why ?? FUNDED;
}

const FUNDED = "its limits are large enough now: a resume continues it";

function wavesOf(spec: NebulaSpec | undefined): ReadonlyMap<string, number> {
  const waves = spec === undefined ? [] : planOrder(spec.phases).waves;
  return new Map(waves.flatMap((wave, at) => wave.map(({ id }) => [id, at + 1] as const)));
}

function landingFacts(
  { id, landing: number, candidate: sha, tree, onto, verified: isVerified }: PhaseState,
  story: NebulaStory,
): LandingFacts {
  const { verifications, landedAt } = story.phases.get(id) ?? NO_PHASE_STORY;
  const last = verifications.at(-1);
  return {
    ...{ phase: id, number, sha, tree, onto, isVerified, verifications },
    isVerifiedTree: last && last.tree === tree,
    at: landedAt.get(sha) ?? "",
  };
}

function recoveryOf(lives: NebulaFacts["lives"], phases: readonly PhaseFacts[]): RecoveryFacts {
  const runs = phases.flatMap((phase) => phase.runs);
  return {
    crashCount: lives.filter(({ end }) => end === "killed").length,
    resumeCount: Math.max(0, lives.length - 1),
    boughtTwiceCount: runs.reduce((sum, { recovery }) => sum + recovery.boughtTwiceCount, 0),
    boughtTwiceUsd: exactUsd(runs.reduce((sum, { recovery }) => sum + recovery.boughtTwiceUsd, 0)),
  };
}

function pushFacts(state: NebulaState): PushFacts | undefined {
  const { isPushAsked, pushedTip: tip, pushedTo: remote, pushProblem: reason } = state;
  if (!isPushAsked) return undefined;
  if (reason !== "") return { status: "refused", reason };
  return isPushed(state) ? { status: "pushed", remote, tip } : { status: "asked" };
}

function unreadable({ unreadableCount: count }: NebulaStory): readonly string[] {
  if (count === 0) return [];
  return [`${count === 1 ? "an event" : `${count} events`} of its journal cannot be read`];
}
