import { nebulaFacts } from "../facts/facts.ts";
import type { NebulaFacts } from "../facts/nebula-facts.ts";
import type { FleetNow, NebulaNow, StandingLimit } from "../people/now.ts";
import { LANE, type NebulaStatus } from "../port/index.ts";
import type { AgentQuestion } from "../question.ts";
import { type NebulaCost, recordedCost, sumOf } from "../state/cost.ts";
import { isSettled, type NebulaState } from "../state/state.ts";
import type { FleetHistory } from "./history.ts";

/** What is known of a nebula of a fleet by asking its server. */
export interface FleetSources {
  /** That of `status`. */
  readonly state: NebulaState;
  readonly status: NebulaStatus;
  readonly history: FleetHistory;
  /** What ends a pause, as a command. */
  readonly continueStep: string;
  readonly at: Date;
}

/**
 * The facts of a nebula that other machines work on. Its runs are there, and so are its files: nothing of them is in it but
 * what the runs had cost when they came to something. Pure.
 */
export function fleetNebulaFacts(sources: FleetSources): NebulaFacts {
  const { state, history } = sources;
  return nebulaFacts({
    ...{ state, spec: undefined, cost: costOf(state), now: nowOf(sources) },
    ...{ story: history.story, runs: new Map() },
  });
}

/** What is not known is no zero. */
function costOf({ phases }: NebulaState): NebulaCost {
  const begun = phases.filter(({ runs }) => runs.length > 0);
  const costs = new Map(begun.map((phase) => [phase.id, recordedCost(phase)]));
  return { total: sumOf(costs.values()), phases: costs };
}

function nowOf(sources: FleetSources): NebulaNow {
  const { state, status, continueStep } = sources;
  const { isPaused, stop } = status.orders;
  const fleet = fleetNow(state, status);
  const isStopping = stop !== "" && fleet.isWorking;
  return {
    ...{ pid: undefined, fleet, agents: new Set(), laneWaits: new Map() },
    working: new Set(
      state.phases
        .filter(({ id, status: is }) => is === "running" && fleet.machines.has(id))
        .map(({ id }) => id),
    ),
    stops: isStopping ? { isNow: stop === "now" } : undefined,
    pauseEnds: isPaused || stop !== "" ? [continueStep] : [],
    limits: limitsOf(sources),
    questions: questionsOf(sources),
  };
}

function fleetNow({ phases }: NebulaState, { holders }: NebulaStatus): FleetNow {
  const machineOf = new Map(holders.map(({ work, machine }) => [work, machine]));
  const lane = machineOf.get(LANE) ?? "";
  const machines = new Map<string, string>();
  for (const { id, ref, status } of phases) {
    const machine = status === "landing" ? lane : machineOf.get(ref);
    const isAtWork = status === "landing" || status === "running";
    if (isAtWork && machine !== undefined && machine !== "") machines.set(id, machine);
  }
  return { isWorking: lane !== "" || machines.size > 0, lane, machines };
}

/** Limits that stand, by the last event of each phase that waits for one. */
function limitsOf({ state, history, at }: FleetSources): ReadonlyMap<string, StandingLimit> {
  const limits = new Map<string, StandingLimit>();
  for (const { id, limitedBy } of state.phases) {
    const met = limitedBy === "" ? undefined : history.limits.get(id);
    if (met === undefined || !(Date.parse(met.until) > at.getTime())) continue;
    limits.set(id, { agent: met.agent, until: met.until, file: "" });
  }
  return limits;
}

/** What agents ask and nobody has answered: first of those that cannot continue. */
function questionsOf({ state, status, history }: FleetSources): readonly AgentQuestion[] {
  const answered = new Set<string>(status.inbox.map(({ id }) => id));
  const rank = ({ kind }: AgentQuestion): number => (kind === "blocker" ? 0 : 1);
  return state.phases
    .filter((phase) => !isSettled(phase))
    .flatMap(({ attempt, runId, questions }) =>
      questions.flatMap((id): AgentQuestion | [] => {
        const asked = history.questions.get(id);
        if (asked === undefined || answered.has(`question/${id}`)) return [];
        const { type: _, at: askedAt, ...question } = asked;
        return { ...question, attempt, runId, turnId: "", askedAt };
      }),
    )
    .toSorted((one, other) => rank(one) - rank(other));
}
