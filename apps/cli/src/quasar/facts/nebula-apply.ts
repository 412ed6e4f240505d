import type { NebulaEvent, NebulaState, StopReason } from "@quasar/nebula";
import {
  type NebulaFacts as Model,
  nebulaFacts as modelOf,
  NO_STORY,
  type PhaseFacts as PhaseModel,
  type PushFacts,
} from "@quasar/nebula/facts";
import type {
  AgentQuestion,
  NebulaCost,
  NebulaNow,
  NebulaProgress,
  Shortage,
} from "@quasar/nebula/internal";
import type { RunEvent } from "@quasar/runs";
import { knownUsd, type RunSpending } from "@quasar/runs/internal";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { loopEventFacts, waitingFacts } from "../../shared/facts/output.ts";
import type { EngineRecord } from "../nebula/engine-lines.ts";
import type { FoundBeside } from "../nebula/next.ts";

/** How a nebula stands, as `--json` has it. */
export interface NebulaFacts extends NebulaProgress, SpendingFacts {
  readonly nebulaId: string;
  readonly nebula: string;
  readonly dir: string;
  readonly branch: string;
  readonly baseSha: string;
  readonly shortages: readonly ShortageFacts[];
  /** The process of the engine that works on it. */
  readonly pid?: number | undefined;
  /** Whether a person has asked that engine to stop, and how. */
  readonly stops?: "now" | "after-turns" | undefined;
  /** The phases whose agents work although no engine does. */
  readonly agentPhaseIds: readonly string[];
  /** What ends its pause; none: it is not paused. */
  readonly pauseEnds: readonly string[];
  /** What stands in the way of an engine, in words. */
  readonly obstacles: readonly string[];
  readonly plan: "open" | "asked" | "rejected";
  readonly planReason: string;
  /** What became of the push of its branch; `undefined`: nobody has asked for one. */
  readonly push?: "asked" | "pushed" | "refused" | undefined;
  /** The remote that it was pushed to, or why it was not. */
  readonly pushReason?: string | undefined;
  readonly questions: readonly QuestionFacts[];
  readonly phases: readonly NebulaPhaseFacts[];
}

/** What was spent, as `--json` has it. */
export interface SpendingFacts extends RunSpending {
  readonly knownUsd: number;
}

/** A limit that is too small, as `--json` has it. */
export interface ShortageFacts {
  readonly phaseId: string;
  readonly setting: (typeof SETTING_OF)[Shortage["limit"]];
  readonly neededBudgetUsd: number;
}

/** The settings that limits are of. */
export const SETTING_OF = {
  phase: "max_budget_usd",
  total: "total_budget_usd",
  turn: "max_turn_budget_usd",
} as const satisfies Record<Shortage["limit"], string>;

export function shortageFacts({ phase, limit, neededUsd }: Omit<Shortage, "why">): ShortageFacts {
  return { phaseId: phase, setting: SETTING_OF[limit], neededBudgetUsd: neededUsd };
}

/** The limit that a line of `--json` is about. */
export function limitFrom({
  setting,
  neededBudgetUsd: neededUsd,
}: ShortageFacts): Pick<Shortage, "limit" | "neededUsd"> {
  const limits = ["phase", "total", "turn"] as const;
  const limit = limits.find((each) => SETTING_OF[each] === setting) ?? "phase";
  return { limit, neededUsd };
}

/** A question of an agent, as `--json` has it. */
export interface QuestionFacts
  extends Pick<AgentQuestion, "role" | "cycle" | "kind" | "summary" | "detail" | "options"> {
  readonly questionId: string;
  readonly phaseId: string;
  readonly askedAt: string;
}

export interface NebulaPhaseFacts extends SpendingFacts {
  readonly phaseId: string;
  readonly status: NebulaState["phases"][number]["status"];
  /** Whether an agent works on it, or its work tree is made ready. */
  readonly isWorkedOn: boolean;
  readonly reason: string;
  readonly attempt: number;
  readonly runIds: readonly string[];
  readonly baseSha: string;
  readonly tipSha: string;
  /** Its landing on the branch; `""` before. */
  readonly landedSha: string;
  /** When the usage limit is lifted that stopped it: RFC 3339. */
  readonly retryAt?: string | undefined;
  /** The phase that lands before it, where it is approved and waits for the lane. */
  readonly landsAfter?: string | undefined;
  /** Over a fleet: the machine that works on it; `""`: none does. */
  readonly machine?: string | undefined;
  /** Over a fleet: the machines that have worked on it. */
  readonly machines?: readonly string[] | undefined;
}

/** How an engine has ended, as its last line. */
export interface NebulaResult extends NebulaFacts {
  readonly type: "nebula";
  readonly reason: StopReason;
  readonly exit: ExitCode;
  readonly next: readonly string[];
}

/** What `--json` has of a nebula whose journal and runs nobody has read: it has nothing of them. */
export function nebulaFacts(
  state: NebulaState,
  cost: NebulaCost,
  now: NebulaNow,
  { raising: { shortages }, obstacles }: FoundBeside,
): NebulaFacts {
  const beside = { shortages, obstacles };
  const unread = { spec: undefined, story: NO_STORY, runs: new Map() };
  return nebulaLine(modelOf({ state, cost, now, beside, ...unread }));
}

/** A nebula as `--json` has it. */
export function nebulaLine(model: Model): NebulaFacts {
  const { planVerdict, push, money } = model;
  return {
    ...{ landedCount: model.landedCount, unchangedCount: model.unchangedCount },
    phaseCount: model.phaseCount,
    ...{ nebulaId: model.id, nebula: model.name, dir: model.dir },
    ...{ branch: model.branch, baseSha: model.baseSha },
    ...{ pid: model.pid, pauseEnds: model.pauseEnds, agentPhaseIds: model.agents },
    stops: model.stops && (model.stops.isNow ? "now" : "after-turns"),
    obstacles: model.obstacles.map(({ message }) => message),
    ...spendingFacts(money),
    shortages: model.shortages.map(shortageFacts),
    plan: planVerdict === "asked" || planVerdict === "rejected" ? planVerdict : "open",
    planReason: model.planReason,
    ...(push && { push: push.status, ...pushReason(push) }),
    questions: model.openQuestions.map(questionFacts),
    phases: model.phases.map(phaseLine),
  };
}

function phaseLine(phase: PhaseModel): NebulaPhaseFacts {
  const { id: phaseId, status, isWorkedOn, reason, attempt } = phase;
  const { baseSha, tipSha, landedSha, retryAt, landsAfter } = phase;
  return {
    ...{ phaseId, status, isWorkedOn, reason, attempt },
    runIds: phase.attempts.map(({ runId }) => runId),
    ...{ baseSha, tipSha, landedSha },
    retryAt: retryAt === "" ? undefined : retryAt,
    landsAfter: landsAfter === "" ? undefined : landsAfter,
    ...(phase.machine !== undefined && { machine: phase.machine, machines: phase.machines }),
    ...spendingFacts(phase.money),
  };
}

function pushReason(push: PushFacts): Pick<NebulaFacts, "pushReason"> {
  if (push.status === "asked") return {};
  return { pushReason: push.status === "pushed" ? push.remote : push.reason };
}

export function spendingFacts(spending: RunSpending): SpendingFacts {
  const { spentUsd, unknownUsd, hasUnreportedCosts } = spending;
  return { spentUsd, knownUsd: knownUsd(spending), unknownUsd, hasUnreportedCosts };
}

function questionFacts(question: AgentQuestion): QuestionFacts {
  const { id, phase, role, cycle, kind, summary, detail, options, askedAt } = question;
  const asked = { questionId: id, phaseId: phase, role, cycle, kind };
  return { ...asked, summary, detail, options, askedAt };
}

export function nebulaResult(
  facts: NebulaFacts,
  how: Pick<NebulaResult, "reason" | "exit" | "next">,
): NebulaResult {
  return { type: "nebula", ...facts, ...how };
}

/** What of an event of a nebula is in its line, beside its kind. */
interface EventFacts {
  readonly phaseId: string;
  readonly attempt?: number | undefined;
  readonly runId?: string | undefined;
  readonly sha?: string | undefined;
  readonly isOutdated?: boolean | undefined;
  readonly end?: StopReason | "error" | undefined;
  readonly outcome?: "passed" | "failed" | "flaky" | "known" | "accepted" | undefined;
  readonly reasons?: readonly string[] | undefined;
  readonly phaseIds?: readonly string[] | undefined;
  readonly agent?: string | undefined;
  readonly retryAt?: string | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly decision?: "approve" | "reject" | "retry" | "skip" | undefined;
  readonly isRejected?: boolean | undefined;
  readonly questionId?: string | undefined;
  readonly role?: AgentQuestion["role"] | undefined;
  readonly cycle?: number | undefined;
  readonly kind?: AgentQuestion["kind"] | undefined;
  readonly summary?: string | undefined;
  readonly detail?: string | undefined;
  readonly options?: readonly string[] | undefined;
  readonly text?: string | undefined;
  readonly reason?: string | undefined;
}

/**
 * What an engine reports, as `--json` has it: an event of a phase's run is the line that `quasar run` prints, with the
 * phase's id.
 */
export function engineFacts(record: EngineRecord) {
  switch (record.type) {
    case "run_event": {
      const { phase: phaseId, event } = record;
      return event.type === "run"
        ? { type: "phase_run" as const, phaseId, runId: event.runId }
        : { ...runEventFacts(event), phaseId };
    }
    case "nebula":
      return record;
    case "notice":
      return { ...record, phaseId: "" };
    case "warning":
      return { type: record.type, cycle: 0, message: record.message, phaseId: record.phase ?? "" };
    default:
      return { type: "nebula_event" as const, what: record.type, ...eventFacts(record) };
  }
}

function runEventFacts(event: Exclude<RunEvent, { readonly type: "run" }>) {
  switch (event.type) {
    case "waiting":
      return waitingFacts(event);
    case "notice":
      return { type: event.type, message: event.message };
    default:
      return loopEventFacts(event);
  }
}

function eventFacts(event: Exclude<NebulaEvent, { readonly type: "warning" }>): EventFacts {
  switch (event.type) {
    case "nebula_updated":
      return { phaseId: "", phaseIds: event.phases };
    case "engine_stops":
    case "engine_pauses":
    case "engine_continues":
      return { phaseId: "", reason: event.reason };
    case "branch_pushed":
      return { phaseId: "", sha: event.tip, reason: event.remote };
    case "push_refused":
      return { phaseId: "", reason: event.reason };
    case "base_update":
      return { phaseId: event.phase, sha: event.commit };
    case "nebula_begun":
      return { phaseId: "", sha: event.base };
    case "engine_begins":
      return { phaseId: "" };
    case "engine_ends":
      return { phaseId: "", end: event.end, reason: event.message };
    case "phase_begun":
      return { phaseId: event.phase, attempt: event.attempt, runId: event.runId };
    case "phase_approved": {
      const { phase: phaseId, attempt, tip: sha, isOutdated } = event;
      return { phaseId, attempt, sha, isOutdated };
    }
    case "candidate_made":
    case "landing_repeated":
    case "phase_landed":
      return { phaseId: event.phase, sha: event.candidate };
    case "verification":
      return { phaseId: event.phase, outcome: event.outcome };
    case "base_verified":
      return { phaseId: "", sha: event.tip, outcome: event.outcome, reasons: event.findings };
    case "base_moved":
      return { phaseId: event.phase, sha: event.tip };
    case "phase_unchanged":
    case "phase_funded":
      return { phaseId: event.phase };
    case "rework":
      return { phaseId: event.phase, attempt: event.attempt, reasons: event.findings };
    case "agent_limited":
      return {
        phaseId: event.phase,
        agent: event.agent,
        retryAt: event.until,
        reason: event.message,
      };
    case "outside_scope":
      return { phaseId: event.phase, paths: event.paths };
    case "decision":
      return {
        phaseId: event.phase,
        attempt: event.attempt,
        decision: event.verb,
        reason: event.reason,
      };
    case "plan_waits":
      return { phaseId: "", isRejected: event.isRejected, reason: event.reason };
    case "plan_decision":
      return { phaseId: "", decision: event.verb, reason: event.reason };
    case "question_asked": {
      const { type: _, phase: phaseId, id: questionId, ...asked } = event;
      return { phaseId, questionId, ...asked };
    }
    case "question_answered":
      return {
        phaseId: event.phase,
        questionId: event.id,
        text: event.text,
        agent: event.agent,
      };
    case "question_expired":
      return { phaseId: event.phase, questionId: event.id, summary: event.summary };
    case "phase_failed":
    case "phase_skipped":
    case "phase_waits":
      return { phaseId: event.phase, reason: event.reason };
  }
}
