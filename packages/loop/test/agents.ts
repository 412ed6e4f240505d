import type {
  AgentFailure,
  AgentInvoker,
  AgentRequest,
  AgentResult,
  InvokeOptions,
} from "@quasar/agents";
import type { FoundTurn } from "@quasar/agents/turns";
import type { ProcessIdentity } from "@quasar/process";
import type { SimulatedTree } from "./simulated-tree.ts";
import type { Life } from "./points.ts";

/** What becomes of an agent whose runner is killed. */
export type Fate =
  /** It dies, and nothing of it is found. */
  | "unknown"
  /** It dies, which is found. */
  | "dies"
  /** It ends by itself before the next runner comes. */
  | "ends"
  /** It is still at work when the next runner comes. */
  | "lives";

export interface Nature {
  readonly fate: Fate;
  /**
   * Whether a dead agent's conversation can be continued, under an id that we choose or that it
   * tells; `lost`: it says so, but the conversation is gone.
   */
  readonly sessions: "none" | "chosen" | "told" | "lost";
}

export interface Work {
  /** What the coder makes of the committed file, told what it was asked. */
  code(text: string, prompt: string): string;
  review(text: string): string;
}

/** A conversation with the model's server, which remembers what was said in it. */
interface Session {
  readonly prompt: string;
  responses: number;
}

interface Agent {
  readonly request: AgentRequest;
  readonly process: ProcessIdentity;
  /** `undefined`: there is no such conversation. */
  readonly session: Session | undefined;
  sessionId: string | undefined;
  state: "waiting" | "working" | "ended" | "dead";
  began: boolean;
  billedUsd: number;
  /** How much of it the agent has said: a killed one leaves its last response out. */
  saidUsd: number;
  result: AgentResult | undefined;
}

/** What the server bills for a response; a turn takes two. */
export const RESPONSE_USD = 0.0625;
const RESPONSES = 2;

/** Agents and the server that answers them: what continues beside a runner, and after it. */
export class Agents {
  readonly #simulated: SimulatedTree;
  readonly #work: Work;
  readonly #nature: Nature;
  readonly #agents = new Map<string, Agent>();
  readonly #sessions = new Map<string, Session>();
  /** What the loop may never let happen, and did. */
  readonly violations: string[] = [];
  /** Agents that began to work. */
  starts = 0;

  constructor(simulated: SimulatedTree, work: Work, nature: Nature) {
    this.#simulated = simulated;
    this.#work = work;
    this.#nature = nature;
  }

  /** US dollars by turn. */
  get bills(): ReadonlyMap<string, number> {
    return new Map([...this.#agents].map(([id, { billedUsd }]) => [id, billedUsd]));
  }

  /** The runner was killed: what becomes of its agents. */
  orphan(): void {
    for (const agent of this.#agents.values()) {
      // The end of its runner's pipe: it was never told to go.
      if (agent.state === "waiting") agent.state = "dead";
      if (agent.state !== "working") continue;
      if (this.#nature.fate === "ends") this.#finish(agent);
      if (this.#nature.fate === "dies" || this.#nature.fate === "unknown") agent.state = "dead";
    }
  }

  /**
   * @param starting - Told whenever an agent begins to work.
   */
  invoker(life: Life, starting: (request: AgentRequest) => void): AgentInvoker {
    const { fate, sessions } = this.#nature;
    const agent: AgentInvoker = {
      name: "simulated",
      capabilities: {
        structuredOutput: false,
        choosesSessionId: sessions === "chosen",
        reportsCost: true,
        streamsUsage: true,
        resumesSession: sessions !== "none",
      },
      invoke: (request, options = {}) => this.#invoke(life, request, options, starting),
    };
    if (fate === "unknown") return agent;
    return {
      ...agent,
      find: async ({ request, process }) => {
        await life.point("adopt");
        return this.#find(request.turnId, process);
      },
      adopt: ({ request }, options) => this.#adopt(life, request.turnId, options),
      end: async ({ request }) =>
        life.around("adopt", () => {
          const found = this.#agents.get(request.turnId);
          if (found?.state === "working") found.state = "dead";
        }),
    };
  }

  async #invoke(
    life: Life,
    request: AgentRequest,
    { onStart, onEvent }: InvokeOptions,
    starting: (request: AgentRequest) => void,
  ): Promise<AgentResult> {
    await life.point("spawn");
    const agent = this.#spawn(request);
    if (this.#nature.fate !== "unknown") await onStart?.(agent.process);
    await life.point("spawn");
    if (agent.session === undefined) return SESSION_MISSING;
    starting(request);
    this.#go(agent);
    await life.point("spawn");
    if (agent.sessionId !== undefined) onEvent?.({ type: "session", sessionId: agent.sessionId });
    await life.point("work");
    while (agent.state === "working") {
      this.#respond(agent);
      await life.point("work");
      agent.saidUsd = agent.billedUsd;
      onEvent?.({ type: "usage", costUsd: agent.saidUsd });
      await life.point("work");
    }
    return agent.result ?? SESSION_MISSING;
  }

  #spawn(request: AgentRequest): Agent {
    const { turnId, resumesSession, prompt } = request;
    const told = this.#nature.sessions === "none" ? undefined : `s-${turnId}`;
    const sessionId = request.sessionId ?? told;
    const isLost = this.#nature.sessions === "lost";
    const known = isLost ? undefined : this.#sessions.get(sessionId ?? "");
    const agent: Agent = {
      request,
      process: { pid: 1000 + this.#agents.size, startTime: 1, bootId: "boot", host: "here" },
      session: resumesSession === true ? known : { prompt, responses: 0 },
      sessionId,
      state: "waiting",
      began: false,
      billedUsd: 0,
      saidUsd: 0,
      result: undefined,
    };
    if (this.#agents.get(turnId)?.began === true)
      this.violations.push(`turn ${turnId} began twice`);
    this.#agents.set(turnId, agent);
    return agent;
  }

  #go(agent: Agent): void {
    this.starts += 1;
    const { turnId, role, resumesSession } = agent.request;
    for (const other of this.#agents.values()) {
      if (other.state === "working") this.violations.push("two agents are at work");
      const shares = other !== agent && other.sessionId === agent.sessionId;
      if (!shares || agent.sessionId === undefined) continue;
      if (other.request.role !== role) this.violations.push("two roles share a session");
      if (resumesSession !== true) this.violations.push(`turn ${turnId} takes a used session`);
    }
    agent.state = "working";
    agent.began = true;
    if (agent.sessionId !== undefined && agent.session !== undefined) {
      this.#sessions.set(agent.sessionId, agent.session);
    }
  }

  /** The server answers and bills, and the agent does what it says. */
  #respond(agent: Agent): void {
    const { session, request, sessionId } = agent;
    if (session === undefined) return;
    agent.billedUsd += RESPONSE_USD;
    session.responses += 1;
    const isDone = session.responses >= RESPONSES;
    const text = this.#act(request, session.prompt, isDone);
    const isSpent = request.maxCostUsd !== undefined && agent.billedUsd >= request.maxCostUsd;
    if (!isDone && !isSpent) return;
    agent.state = "ended";
    agent.result = {
      failure: isDone ? undefined : BUDGET_SPENT,
      text,
      costUsd: agent.billedUsd,
      costSource: "reported",
      durationMs: 1,
      sessionId,
    };
  }

  #act({ role }: AgentRequest, prompt: string, isDone: boolean): string {
    const simulated = this.#simulated;
    if (role === "reviewer") return this.#work.review(simulated.read());
    const text = this.#work.code(simulated.committed(), prompt);
    simulated.write(isDone ? text : `${simulated.read()}(half)`);
    return `made ${text}`;
  }

  #finish(agent: Agent): void {
    while (agent.state === "working") this.#respond(agent);
  }

  /** What is not named in the store has not begun. */
  #find(turnId: string, process: ProcessIdentity | undefined): FoundTurn {
    const agent = this.#agents.get(turnId);
    if (agent?.began !== true || process === undefined) return { state: "not-started" };
    if (agent.process.pid !== process.pid) this.violations.push(`turn ${turnId} has another pid`);
    if (agent.state === "working") return { state: "alive" };
    if (agent.state === "ended") return { state: "ended" };
    const { saidUsd: costUsd, sessionId } = agent;
    const unknownUsd = RESPONSE_USD;
    return { state: "died", sessionId, costUsd, costSource: "partial", unknownUsd };
  }

  async #adopt(life: Life, turnId: string, { onEvent }: InvokeOptions = {}): Promise<AgentResult> {
    await life.point("adopt");
    const agent = this.#agents.get(turnId);
    if (agent === undefined) throw new Error(`nothing is known of turn ${turnId}`);
    if (agent.sessionId !== undefined) {
      onEvent?.({ type: "session", sessionId: agent.sessionId });
      await life.point("adopt");
    }
    this.#finish(agent);
    await life.point("adopt");
    return agent.result ?? SESSION_MISSING;
  }
}

const BUDGET_SPENT: AgentFailure = {
  kind: "budget",
  message: "the turn's budget is spent",
  retryable: true,
};

const SESSION_MISSING: AgentResult = {
  failure: { kind: "session-missing", message: "no such conversation", retryable: false },
  text: "",
  costSource: "unknown",
  durationMs: 0,
};
