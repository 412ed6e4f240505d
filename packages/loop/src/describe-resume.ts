import type { CheckpointTurn } from "@quasar/checkpoint";
import type { AgentInvoker, AgentRole, FoundTurn } from "./agent.ts";
import { dollars, settledCost, spentWords } from "./money.ts";
import type { RunPart } from "./options.ts";
import type { CycleState } from "./state.ts";
import { cycleToBegin, type Next, nextStep, type Step } from "./steps.ts";

/** What becomes of a part of a run that is resumed. */
export type PlanKind =
  /** The run's state, as it was stored. */
  | "restored"
  /** What is done is taken as it is, and not bought again. */
  | "reused"
  /** A commit that the checkpoint does not know of is kept. */
  | "adopted"
  /** New work. */
  | "begins"
  /** Work that was begun is begun anew, and paid for again. */
  | "run-again"
  /** A killed agent goes on in its own session. */
  | "resumed"
  /** A live agent is followed to its end. */
  | "followed"
  /** The end of an agent is read that nobody had listened to. */
  | "read"
  /** Nothing goes on before something is put right or accepted. */
  | "refused"
  /** A usage limit holds. */
  | "waits";

export interface PlanItem {
  readonly kind: PlanKind;
  /** For a person, safe to print; a resume tells the same words. */
  readonly words: string;
  /** For a program: what the words are about. */
  readonly data: Readonly<Record<string, string | number | readonly string[]>>;
}

/** What the agents can do by which an unfinished turn is not lost. */
export type PlanAgents = Readonly<
  Record<
    AgentRole,
    Pick<AgentInvoker, "adopt"> & {
      readonly capabilities: Pick<AgentInvoker["capabilities"], "resumesSession">;
    }
  >
>;

export interface DescribeOptions {
  readonly agents: PlanAgents;
  /** What was found of the unfinished turn. @default nobody has looked yet */
  readonly found?: FoundTurn | undefined;
  readonly now: Date;
  /** @default "loop" */
  readonly part?: RunPart | undefined;
}

/** What a resumed run reuses and what it does again. */
export function describeResume(
  state: CycleState,
  { agents, found, now, part = "loop" }: DescribeOptions,
): readonly PlanItem[] {
  const { cycle, maxCycles, maxBudgetUsd, totalCostUsd, unknownCostUsd, retryAt } = state;
  const budget = maxBudgetUsd === 0 ? "" : ` of $${maxBudgetUsd.toFixed(2)}`;
  const next = nextStep(state, { detectStruggle: false, part });
  const isLimited = "step" in next && Date.parse(retryAt) > now.getTime();
  return [
    {
      kind: "restored",
      words: `cycle ${cycle} of ${maxCycles}, ${spentWords(state)}${budget} spent`,
      data: { cycle, maxCycles, totalCostUsd, unknownCostUsd, maxBudgetUsd },
    },
    ...(isLimited ? [waits(retryAt)] : []),
    part !== "loop" && isApproved(next)
      ? turnDone(state)
      : "step" in next
        ? STEPS[next.step](state, agents, found)
        : ended(next.end, state),
  ];
}

function isApproved(next: Next): boolean {
  return "step" in next ? next.step === "approve" : next.end === "approved";
}

const turnDone = ({ cycle }: CycleState): PlanItem => ({
  kind: "reused",
  words: "the turn is done: nothing is run again",
  data: { cycle },
});

function waits(retryAt: string): PlanItem {
  const words = `a usage limit holds until ${retryAt}: the agent may refuse to work before`;
  return { kind: "waits", words, data: { retryAt } };
}

const ENDS: Readonly<Record<string, string>> = {
  budget: "the budget is used up: nothing is run before it is raised",
  max_cycles: "all cycles are used up: nothing is run before there are more",
};

function ended(end: string, state: CycleState): PlanItem {
  if (end === "approved") return approved(state);
  return {
    kind: "refused",
    words: ENDS[end] ?? `the run has ended: ${end}`,
    data: { check: end },
  };
}

const approved = ({ cycle }: CycleState): PlanItem => ({
  kind: "reused",
  words: "the work is approved: nothing is run again",
  data: { cycle },
});

const checks = ({ cycle }: CycleState): PlanItem => ({
  kind: "reused",
  words: "the coder's work is committed: the checks are next",
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
    words: `the ${turn.role}'s turn is under way: its agent is followed to its end`,
    data: turnData(turn),
  }),
  ended: (turn) => ({
    kind: "read",
    words: `the ${turn.role}'s agent has ended: what it did is read, not bought again`,
    data: turnData(turn),
  }),
  "not-started": (turn) => ({
    kind: "run-again",
    words: `the ${turn.role}'s turn was under way, but its agent never began: it is started now`,
    data: { ...turnData(turn), costUsd: 0, unknownUsd: 0 },
  }),
  unknown: (turn, state) => again(turn, `the ${turn.role}'s turn was under way: `, state),
};

/** Before anybody has looked. */
const unseen: Describe = (turn, state, agents) => {
  const looks = agents[turn.role].adopt !== undefined;
  const search = looks ? "its end is looked for; if nobody knows it, " : "";
  return again(turn, `the ${turn.role}'s turn was under way: ${search}`, state);
};

/** A turn without a limit has no reservation that could stand for what it has cost. */
function again(turn: CheckpointTurn, found: string, { maxBudgetUsd }: CycleState): PlanItem {
  const { reservedUsd } = turn;
  const cost =
    reservedUsd > 0 || maxBudgetUsd > 0
      ? `counts with up to ${dollars(reservedUsd)}`
      : "what it has cost cannot be counted";
  return {
    kind: "run-again",
    words: `${found}it is started again, and ${cost}`,
    data: { ...turnData(turn), costUsd: reservedUsd, unknownUsd: reservedUsd },
  };
}

/** What a killed agent has spent is partly known; its session is gone on in where that can be. */
function killed(
  turn: CheckpointTurn,
  found: Extract<FoundTurn, { state: "died" }>,
  agents: PlanAgents,
): PlanItem {
  const { costUsd } = found;
  const cost = settledCost({ costUsd, costSource: "partial" }, turn.reservedUsd);
  const spent = spentWords({ totalCostUsd: cost.totalUsd, unknownCostUsd: cost.unknownUsd });
  const sessionId = found.sessionId ?? turn.sessionId;
  const data = { ...turnData(turn), costUsd: cost.totalUsd, unknownUsd: cost.unknownUsd };
  const words = `the ${turn.role}'s agent was killed, after ${spent}`;
  return agents[turn.role].capabilities.resumesSession && sessionId !== ""
    ? { kind: "resumed", words: `${words}: ${IN_SESSION}`, data: { ...data, sessionId } }
    : { kind: "run-again", words: `${words}: it is started again`, data };
}

const IN_SESSION = "it goes on in its own session, unless it would be told something else now";

type DescribeStep = (
  state: CycleState,
  agents: PlanAgents,
  found: FoundTurn | undefined,
) => PlanItem;

const begins: DescribeStep = (state) => {
  const cycle = cycleToBegin(state);
  return { kind: "begins", words: `the coder begins cycle ${cycle}`, data: { cycle } };
};

const STEPS: Readonly<Record<Step, DescribeStep>> = {
  begin: begins,
  recover: (state, agents, found) => {
    const { turn } = state;
    if (turn === undefined) return begins(state, agents, found);
    if (found?.state === "died") return killed(turn, found, agents);
    const canBeTaken = agents[turn.role].adopt !== undefined || found?.state === "not-started";
    if (found === undefined) return unseen(turn, state, agents);
    return RECOVERED[canBeTaken ? found.state : "unknown"](turn, state, agents);
  },
  again: (state, agents, found) => {
    const { turn } = state;
    if (turn === undefined) return begins(state, agents, found);
    const { role, sessionId } = turn;
    const words = `the ${role}'s turn came to nothing`;
    return agents[role].capabilities.resumesSession && sessionId !== ""
      ? { kind: "resumed", words: `${words}: ${IN_SESSION}`, data: turnData(turn) }
      : { kind: "run-again", words: `${words}: it is started again`, data: turnData(turn) };
  },
  commit: ({ cycle }) => ({
    kind: "reused",
    words: "the coder's turn is finished: its work is committed, not done again",
    data: { cycle },
  }),
  lint: checks,
  filter: checks,
  review: ({ cycle, phase }) =>
    phase === "filtering" || phase === "reviewing"
      ? {
          kind: "reused",
          words: "the coder's work is committed and checked: the review is next",
          data: { cycle },
        }
      : { kind: "begins", words: "the review begins", data: { cycle } },
  judge: ({ cycle }) => ({
    kind: "reused",
    words: "the reviewer's turn is finished: its answer is used, not asked for again",
    data: { cycle },
  }),
  approve: approved,
  resolve: ({ cycle }) => ({
    kind: "reused",
    words: `cycle ${cycle} is whole: the coder goes on with what was found`,
    data: { cycle },
  }),
};
