import { wasInterrupted } from "../turn/failure-reason.ts";
import type { CheckpointTurn, Phase } from "@quasar/checkpoint";
import type { AgentFailure, AgentInvoker, AgentResult, AgentRole } from "@quasar/agents";
import type { FoundTurn } from "@quasar/agents/turns";
import { type Cost, dollars, settledCost, spentWords, unlearnedCost } from "../money/money.ts";
import { type RunKind, LOOP } from "../run-kind.ts";
import type { CycleState } from "../state.ts";
import { failureOf, USELESS_SESSION } from "../turn/settle.ts";
import { cycleToBegin, type Next, nextStep, type Step } from "../steps.ts";

/** What becomes of a part of a run that is resumed. */
export type PlanKind =
  /** The run's state, as it was stored. */
  | "restored"
  /** What is done is taken as it is, and not paid for again. */
  | "reused"
  /** A commit that the checkpoint does not know of is kept. */
  | "adopted"
  /** New work. */
  | "begins"
  /** Work that was begun is begun anew, and paid for again. */
  | "run-again"
  /** A killed agent continues in its own session. */
  | "resumed"
  /** A live agent is followed to its end. */
  | "followed"
  /** The end of an agent is read that nobody had listened to. */
  | "read"
  /** Nothing continues before something is put right or accepted. */
  | "refused"
  /** A usage limit holds. */
  | "waits";

export interface PlanItem {
  readonly kind: PlanKind;
  /** For a person, safe to print; a resume tells the same words. */
  readonly message: string;
  /** For a program: what the words are about. */
  readonly data: Readonly<Record<string, string | number | readonly string[]>>;
}

/** What the agents can do by which an unfinished turn is not lost. */
export type PlanAgents = Readonly<
  Record<
    AgentRole,
    Pick<AgentInvoker, "adopt" | "responseBoundUsd"> & {
      readonly capabilities: Pick<AgentInvoker["capabilities"], "resumesSession">;
    }
  >
>;

export interface DescribeOptions {
  readonly agents: PlanAgents;
  /** What was found of the unfinished turn. @default nobody has looked yet */
  readonly found?: FoundTurn | undefined;
  /** Names the checks that the run has now. @default those that it had */
  readonly checks?: string | undefined;
  readonly now: Date;
  /** @default a loop */
  readonly runKind?: RunKind | undefined;
}

/** What a resumed run reuses and what it does again. */
export function describeResume(
  state: CycleState,
  { agents, found, checks = state.checkedWith, now, runKind = LOOP }: DescribeOptions,
): readonly PlanItem[] {
  const { cycle, maxCycles, maxBudgetUsd, totalCostUsd, unknownCostUsd, retryAt } = state;
  const budget = maxBudgetUsd === 0 ? "" : ` of $${maxBudgetUsd.toFixed(2)}`;
  const next = nextStep(state, { detectStruggle: false, runKind });
  const isLimited = "step" in next && Date.parse(retryAt) > now.getTime();
  return [
    {
      kind: "restored",
      message: `cycle ${cycle} of ${maxCycles}, ${spentWords(state)}${budget} spent`,
      data: { cycle, maxCycles, totalCostUsd, unknownCostUsd, maxBudgetUsd },
    },
    ...(isLimited ? [waits(retryAt)] : []),
    ...("step" in next && next.step === "again" ? retryItems(state, now) : []),
    !runKind.isLoop && isApproved(next)
      ? turnDone(state)
      : "step" in next
        ? STEPS[next.step](state, agents, found, runKind)
        : ended(next.end, state),
    ...(CHECKED.has(state.phase) && checks !== state.checkedWith ? [checksAnew(state)] : []),
  ];
}

/** The phases in which the cycle's checks have passed. */
const CHECKED: ReadonlySet<Phase> = new Set(["reviewing", "review_complete"]);

const checksAnew = ({ cycle }: CycleState): PlanItem => ({
  kind: "run-again",
  message: "the checks are not those that passed: they run before an approval",
  data: { cycle },
});

function isApproved(next: Next): boolean {
  return "step" in next ? next.step === "approve" : next.end === "approved";
}

const turnDone = ({ cycle }: CycleState): PlanItem => ({
  kind: "reused",
  message: "the turn is done: nothing is run again",
  data: { cycle },
});

function waits(retryAt: string): PlanItem {
  const message = `a usage limit holds until ${retryAt}: the agent may refuse to work before`;
  return { kind: "waits", message, data: { retryAt } };
}

/** A retry that is due later is waited for. */
function retryItems({ turn, failure }: CycleState, now: Date): readonly PlanItem[] {
  const { role = "coder", retryAt = "", retries = 0 } = turn ?? {};
  if (!(Date.parse(retryAt) > now.getTime())) return [];
  const why = failure === "" ? "" : ` (${failure})`;
  const message = `The ${role}'s turn failed${why}. Retry ${retries} is due at ${retryAt}.`;
  return [{ kind: "waits", message, data: { dueAt: retryAt, retry: retries } }];
}

const ENDS: Readonly<Record<string, string>> = {
  budget: "the budget is used up: nothing is run before it is raised",
  max_cycles: "all cycles are used up: nothing is run before there are more",
};

function ended(end: string, state: CycleState): PlanItem {
  if (end === "approved") return approved(state);
  return {
    kind: "refused",
    message: ENDS[end] ?? `the run has ended: ${end}`,
    data: { check: end },
  };
}

const approved = ({ cycle }: CycleState): PlanItem => ({
  kind: "reused",
  message: "the work is approved: nothing is run again",
  data: { cycle },
});

const checks = ({ cycle }: CycleState): PlanItem => ({
  kind: "reused",
  message: "the coder's work is committed: the checks are next",
  data: { cycle },
});

const turnData = ({ id, role, attempt }: CheckpointTurn): PlanItem["data"] => ({
  turnId: id,
  role,
  attempt,
});

type Describe = (turn: CheckpointTurn, state: CycleState, agents: PlanAgents) => PlanItem;

/** What becomes of a turn whose end nobody learned, by what was found of it. */
const RECOVERED: Readonly<Record<Exclude<FoundTurn["state"], "died">, Describe>> = {
  alive: (turn) => ({
    kind: "followed",
    message: `The ${turn.role} is still running; the resume reattaches to it.`,
    data: turnData(turn),
  }),
  ended: (turn) => ({
    kind: "read",
    message: `The ${turn.role} has finished; its result is used (no extra cost).`,
    data: turnData(turn),
  }),
  "not-started": (turn) => ({
    kind: "run-again",
    message: `The ${turn.role} had not started yet; it starts now.`,
    data: { ...turnData(turn), costUsd: 0, unknownUsd: 0 },
  }),
  unknown: (turn, state, agents) => ({
    kind: "run-again",
    message: `The ${turn.role} was mid-turn, and how it ended is unknown; it restarts${upTo(turn, state, agents)}.`,
    data: reservedData(turn, agents),
  }),
};

/** Before anybody has looked. */
const unseen: Describe = (turn, state, agents) => {
  const looks = agents[turn.role].adopt !== undefined;
  const search = looks ? " Checking whether it finished; if not, it restarts" : " It restarts";
  return {
    kind: "run-again",
    message: `The ${turn.role} was mid-turn.${search}${upTo(turn, state, agents)}.`,
    data: reservedData(turn, agents),
  };
};

function reservedData(turn: CheckpointTurn, agents: PlanAgents): PlanItem["data"] {
  const { totalUsd: costUsd, unknownUsd } = lostAttempt(turn, agents);
  return { ...turnData(turn), costUsd, unknownUsd };
}

function lostAttempt(turn: CheckpointTurn, agents: PlanAgents): Cost {
  return unlearnedCost(turn, isBounded(turn, agents));
}

const isBounded = ({ role, unmetered }: CheckpointTurn, agents: PlanAgents): boolean =>
  !unmetered && agents[role].responseBoundUsd !== undefined;

/** What the lost attempt counts with. A turn without a limit has no reservation that could stand for it. */
function upTo(turn: CheckpointTurn, { maxBudgetUsd }: CycleState, agents: PlanAgents): string {
  const { totalUsd } = lostAttempt(turn, agents);
  if (totalUsd === 0 && maxBudgetUsd === 0) return " (what it has cost cannot be counted)";
  const counts = isBounded(turn, agents) ? "up to" : "the lost attempt counts as";
  return ` (${counts} ${dollars(totalUsd)})`;
}

/** What a killed agent has spent is partly known; its session is continued where that can be. */
function killed(
  turn: CheckpointTurn,
  found: Extract<FoundTurn, { state: "died" }>,
  agents: PlanAgents,
): PlanItem {
  const cost = settledCost(found, turn.reservedUsd);
  const sessionId = found.sessionId ?? turn.sessionId;
  return takenAgain(turn, `The ${turn.role}'s agent was killed`, cost, sessionId, agents);
}

/** A turn that ended, and failed, is taken again: what it has cost is known. */
function failed(
  turn: CheckpointTurn,
  result: AgentResult,
  failure: AgentFailure,
  agents: PlanAgents,
): PlanItem {
  const cost = settledCost(result, turn.reservedUsd);
  const sessionId = USELESS_SESSION.has(failure.kind) ? "" : (result.sessionId ?? turn.sessionId);
  const what =
    failure.kind === "cancelled"
      ? `The ${turn.role} was interrupted`
      : `The ${turn.role}'s turn failed (${failure.message})`;
  return takenAgain(turn, what, cost, sessionId, agents);
}

function takenAgain(
  turn: CheckpointTurn,
  what: string,
  { totalUsd, unknownUsd }: Cost,
  sessionId: string,
  agents: PlanAgents,
): PlanItem {
  const spent = spentWords({ totalCostUsd: totalUsd, unknownCostUsd: unknownUsd });
  const data = { ...turnData(turn), costUsd: totalUsd, unknownUsd };
  return agents[turn.role].capabilities.resumesSession && sessionId !== ""
    ? {
        kind: "resumed",
        message: `${what}, after ${spent}; continuing its session.`,
        data: { ...data, sessionId },
      }
    : { kind: "run-again", message: `${what}, after ${spent}; it restarts.`, data };
}

type DescribeStep = (
  state: CycleState,
  agents: PlanAgents,
  found: FoundTurn | undefined,
  runKind: RunKind,
) => PlanItem;

const begins: DescribeStep = (state) => {
  const cycle = cycleToBegin(state);
  return { kind: "begins", message: `the coder begins cycle ${cycle}`, data: { cycle } };
};

const STEPS: Readonly<Record<Step, DescribeStep>> = {
  begin: begins,
  recover: (state, agents, found, runKind) => {
    const { turn } = state;
    if (turn === undefined) return begins(state, agents, found, runKind);
    if (found?.state === "died") return killed(turn, found, agents);
    const result = found?.state === "ended" ? found.result : undefined;
    const failure = result && failureOf(result, turn.role, runKind);
    if (result !== undefined && failure !== undefined) return failed(turn, result, failure, agents);
    const canBeTaken = agents[turn.role].adopt !== undefined || found?.state === "not-started";
    if (found === undefined) return unseen(turn, state, agents);
    return RECOVERED[canBeTaken ? found.state : "unknown"](turn, state, agents);
  },
  again: (state, agents, found, runKind) => {
    const { turn } = state;
    if (turn === undefined) return begins(state, agents, found, runKind);
    const { role, sessionId } = turn;
    const isStopped = wasInterrupted(state.failure);
    const words = isStopped ? `The ${role} was interrupted` : `The ${role}'s turn failed`;
    return agents[role].capabilities.resumesSession && sessionId !== ""
      ? { kind: "resumed", message: `${words}; its session continues.`, data: turnData(turn) }
      : { kind: "run-again", message: `${words}; it restarts.`, data: turnData(turn) };
  },
  commit: ({ cycle }) => ({
    kind: "reused",
    message: "the coder's turn is finished: its work is committed, not done again",
    data: { cycle },
  }),
  fix: ({ cycle }) => ({
    kind: "begins",
    message: "the coder fixes what its commit was refused for",
    data: { cycle },
  }),
  lint: checks,
  filter: checks,
  review: ({ cycle, phase }) =>
    phase === "filtering" || phase === "reviewing"
      ? {
          kind: "reused",
          message: "the coder's work is committed and checked: the review is next",
          data: { cycle },
        }
      : { kind: "begins", message: "the review begins", data: { cycle } },
  judge: ({ cycle }) => ({
    kind: "reused",
    message: "the reviewer's turn is finished: its answer is used, not asked for again",
    data: { cycle },
  }),
  approve: approved,
  resolve: ({ cycle }) => ({
    kind: "reused",
    message: `cycle ${cycle} is complete; the coder continues with its findings`,
    data: { cycle },
  }),
};
