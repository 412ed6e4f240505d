import { TURNS } from "../first-task.ts";
import { MORE_AGENTS } from "../more/agents.ts";

/**
 * Whose process is killed, by SIGKILL. `worker`: the one that the agent's process starts to work in its place.
 * `everything`: runner, supervisor and agent in one go.
 */
export const VICTIMS = ["runner", "supervisor", "agent", "worker", "everything"] as const;
export type Victim = (typeof VICTIMS)[number];

/** Points in the life of a turn, in their order, and what is true there. */
export const POINTS = {
  started: "the agent's process is there and has asked the model nothing",
  asked: "the first request is at the model, and nothing of its answer has come",
  answering: "half of the first answer has come",
  tool: "a command of the agent's works",
  answered: "the last answer has been sent, and the agent has not ended",
  ended: "the agent has ended, and its runner does not know",
} as const;
export type Point = keyof typeof POINTS;
export const POINT_NAMES = Object.keys(POINTS) as Point[];

export type AgentName = keyof typeof MORE_AGENTS;
export const AGENT_NAMES = Object.keys(MORE_AGENTS) as AgentName[];

/** One kill of one run. */
export interface Kill {
  readonly agent: AgentName;
  readonly turn: string;
  readonly point: Point;
  readonly victim: Victim;
}

/** Which kills are made of an agent's. */
interface Share {
  readonly turns: readonly string[];
  readonly points: readonly Point[];
}

const ALL: Share = { turns: ["coder 1", "reviewer 2"], points: POINT_NAMES };
/** For agents that are started in the same way as one of the others. */
const TWO: Share = { turns: ["coder 1"], points: ["asked", "tool"] };

const SHARES: Readonly<Record<AgentName, Share>> = {
  opencode: ALL,
  gemini: ALL,
  qwen: TWO,
  copilot: TWO,
};

/** Those that work in a second process. */
const HAVE_WORKERS: readonly AgentName[] = ["qwen", "copilot"];

/** Whether there is such a moment: reviewers run nothing here, and an agent that has ended cannot be killed. */
function isPossible({ agent, turn, point, victim }: Kill): boolean {
  if (victim === "worker" && !HAVE_WORKERS.includes(agent)) return false;
  const isWriting = turn.startsWith("coder");
  return (point !== "tool" || isWriting) && (point !== "ended" || victim !== "agent");
}

/** The whole table, agent by agent. */
export const KILLS: readonly Kill[] = AGENT_NAMES.flatMap((agent) =>
  SHARES[agent].turns.flatMap((turn) =>
    SHARES[agent].points.flatMap((point) =>
      VICTIMS.map((victim): Kill => ({ agent, turn, point, victim })).filter(isPossible),
    ),
  ),
);

/** Number of a turn in its run. */
export const numberOf = ({ turn }: Kill): number => TURNS.indexOf(turn) + 1;

export const nameOf = ({ agent, turn, point, victim }: Kill): string =>
  `${agent}, ${turn}, ${point}: ${victim}`;
