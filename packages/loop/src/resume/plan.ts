import { LOOP } from "../run-kind.ts";
import type { Checkpoint, CheckpointLedgerEntry, Phase } from "@quasar/checkpoint";
import { adopt } from "./adopt.ts";
import { afterRecovery } from "./after-recovery.ts";
import type { AgentRole } from "@quasar/agents";
import type { FoundTurn } from "@quasar/agents/turns";
import { type Override, type ResumeAssessment, remainingRefusals } from "./assess.ts";
import { namedChecks } from "../checks/checks-named.ts";
import { stateFromCheckpoint } from "../convert.ts";
import { describeResume, type PlanAgents, type PlanItem } from "./describe-resume.ts";
import type { LoopOptions } from "../options.ts";
import { type Asking, budgetToContinue } from "../money/next-turns.ts";
import { predictRefusal, usedUp } from "../money/predict-refusal.ts";
import { restart } from "./resume.ts";
import { failureOf } from "../turn/settle.ts";
import { MOST_CYCLES } from "../settings.ts";
import type { CycleState } from "../state.ts";
import { nextStep } from "../steps.ts";
import { rolesToCome } from "../money/to-come.ts";

/** What the resume is going to get, beside the checkpoint. */
export interface ResumeLimits {
  readonly agents: PlanAgents;
  /** What a person accepts. @default nothing */
  readonly accepted?: ReadonlySet<Override> | undefined;
  /** @default the checkpoint's */
  readonly maxCycles?: number | undefined;
  /** US dollars; 0 is no limit. @default the checkpoint's */
  readonly maxBudgetUsd?: number | undefined;
  /** US dollars that one turn may spend; 0 is what the budget leaves it. @default 0 */
  readonly maxTurnBudgetUsd?: number | undefined;
  /** What is said to the agents beside the task. @default nothing */
  readonly asked?: Pick<LoopOptions, "conventions" | "projectContext" | "workTree"> | undefined;
  /** The checks that the run has now. @default those that it had */
  readonly checks?: Pick<LoopOptions, "lint" | "filters"> | undefined;
  /** @default the system's clock */
  readonly now?: (() => Date) | undefined;
}

/** What a run may still cost, in US dollars. */
export interface CostEstimate {
  /** What is left of the budget; `undefined` without one. A response that is under way may exceed it. */
  readonly atMostUsd: number | undefined;
  /**
   * Up to the end of the cycle that is next, by what the run's turns have cost so far; `undefined`
   * where none was of the kind that is to come.
   */
  readonly likelyUsd: number | undefined;
  /** Whose turns are to come of which none tells what is likely. */
  readonly rolesWithoutCost: readonly AgentRole[];
}

/** What a resume is going to do. */
export interface ResumePlan {
  /** Whether nothing stands against it. */
  readonly goesOn: boolean;
  readonly items: readonly PlanItem[];
  readonly estimate: CostEstimate;
}

/**
 * Says what a resume is going to reuse, do again or refuse. Pure; the items from `adopted` on have
 * the words that the resume's `resumed` event then has, as long as nobody has searched for the turn.
 *
 * @param found - What was found of the unfinished turn; `undefined`: nobody has looked.
 * @see SPEC.md, "Plan"
 */
export function planResume(
  checkpoint: Checkpoint,
  assessment: ResumeAssessment,
  found: FoundTurn | undefined,
  limits: ResumeLimits,
): ResumePlan {
  const { agents, accepted = new Set(), maxTurnBudgetUsd = 0, now = () => new Date() } = limits;
  const { adopted: marked, byAgents: unmarked, headVerdict, head } = assessment;
  const whole = headVerdict === "ahead-own";
  const adopted = adopt(checkpoint, { marked, unmarked, whole }, head, agents);
  const state = withLimits(restart(stateFromCheckpoint(adopted.checkpoint), head), limits);
  const refused = remainingRefusals(assessment, accepted).map((refusal): PlanItem => {
    const { check, message, advice, override } = refusal;
    const data = { check, ...(advice && { advice }), ...(override && { override }) };
    return { kind: "refused", message, data };
  });
  const checks = limits.checks && namedChecks(limits.checks);
  const described = describeResume(state, { agents, found, checks, now: now() }).map((item) =>
    item.kind === "begins" && !FRESH_PHASES.has(adopted.checkpoint.phase)
      ? { ...item, kind: "run-again" as const }
      : item,
  );
  const asking = { ...agents, ...limits.asked };
  const unstarted = notStarted(state, found, asking, maxTurnBudgetUsd);
  const items = [
    ...refused,
    ...keptWork(assessment),
    ...adopted.items,
    ...described.map((item) => withBudget(item, state, asking)),
    ...(unstarted === undefined ? [] : [unstarted]),
  ];
  return {
    goesOn: !items.some(({ kind }) => kind === "refused"),
    items,
    estimate: estimate(state, found),
  };
}

/** That the turn which is next is not started for want of money; one that was cut off counts first. */
function notStarted(
  state: CycleState,
  found: FoundTurn | undefined,
  asking: PlanAgents & Asking,
  capUsd: number,
): PlanItem | undefined {
  const next = nextStep(state, LOOKING);
  if (!("step" in next)) return undefined;
  if (next.step !== "recover") return predictRefusal(state, next.step, asking, capUsd);
  const recovered = afterRecovery(state, found, asking);
  if (recovered === undefined) return undefined;
  const then = nextStep(recovered, LOOKING);
  if ("step" in then) return predictRefusal(recovered, then.step, asking, capUsd);
  return then.end === "budget" ? usedUp(recovered, asking) : undefined;
}

const LOOKING = { detectStruggle: false, runKind: LOOP } as const;

/** Where the budget is used up: with which one the run continues. */
function withBudget(item: PlanItem, state: CycleState, asking: Asking): PlanItem {
  if (item.kind !== "refused" || item.data["check"] !== "budget") return item;
  return { ...item, data: { ...item.data, neededBudgetUsd: budgetToContinue(state, asking) } };
}

/** What the caller says now goes before what was said when the run began. */
export function withLimits(
  state: CycleState,
  { maxCycles, maxBudgetUsd }: Pick<ResumeLimits, "maxCycles" | "maxBudgetUsd">,
): CycleState {
  return {
    ...state,
    maxCycles: maxCycles ?? Math.min(MOST_CYCLES, Math.max(1, state.maxCycles)),
    maxBudgetUsd: maxBudgetUsd ?? state.maxBudgetUsd,
  };
}

/** Phases after which a cycle that begins is one that had not begun. */
const FRESH_PHASES: ReadonlySet<Phase> = new Set(["idle", "bead_created", "resolving_issues"]);

function keptWork({ dirty }: ResumeAssessment): readonly PlanItem[] {
  const { paths, whose } = dirty;
  if (whose === "nobody" || whose === "user") return [];
  const count = paths.length === 1 ? "1 file is" : `${paths.length} files are`;
  const message = `${count} not committed: ${TAKEN_FOR[whose]}`;
  return [{ kind: "reused", message, data: { paths } }];
}

const TAKEN_FOR: Readonly<Record<"agent" | "checks" | "reviewer", string>> = {
  agent: "taken as the work of the coder's unfinished turn",
  checks: "taken as changes of the checks or a git hook; to be committed",
  reviewer: "taken as changes of the reviewer; kept in a snapshot, then undone",
};

function estimate(state: CycleState, found: FoundTurn | undefined): CostEstimate {
  const next = nextStep(state, { detectStruggle: false, runKind: LOOP });
  if (!("step" in next)) return { atMostUsd: 0, likelyUsd: 0, rolesWithoutCost: [] };
  const { maxBudgetUsd, totalCostUsd, ledger, turn } = state;
  const left = maxBudgetUsd === 0 ? undefined : Math.max(0, maxBudgetUsd - totalCostUsd);
  const isBought = next.step === "recover" && isUsed(found, turn);
  const roles = rolesToCome(state, next.step, LOOP).filter(
    (role) => !(isBought && role === turn?.role),
  );
  const costs = roles.map((role) => usualCost(ledger, role));
  const known = costs.filter((cost) => cost !== undefined);
  const likely = known.reduce((sum, cost) => sum + cost, 0);
  return {
    atMostUsd: next.step === "approve" ? 0 : left,
    likelyUsd: known.length < costs.length ? undefined : Math.min(likely, left ?? likely),
    rolesWithoutCost: roles.filter((role) => usualCost(ledger, role) === undefined),
  };
}

/** Whether what an ended turn said is used, and so not asked for again. */
function isUsed(found: FoundTurn | undefined, turn: CycleState["turn"]): boolean {
  if (found?.state !== "ended" || turn === undefined) return false;
  return found.result === undefined || failureOf(found.result, turn.role, LOOP) === undefined;
}

/** What a role's finished turns have cost on average; `undefined` where none has said so. */
function usualCost(
  ledger: readonly CheckpointLedgerEntry[],
  wanted: AgentRole,
): number | undefined {
  const costs = ledger
    .filter(({ turnId, role, status }) => turnId !== "" && role === wanted && status === "settled")
    .filter(({ source }) => source === "reported" || source === "computed")
    .map(({ costUsd }) => costUsd);
  return costs.length === 0 ? undefined : costs.reduce((a, b) => a + b) / costs.length;
}
