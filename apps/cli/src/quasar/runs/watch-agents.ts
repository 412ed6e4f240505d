import type { AgentRole } from "@quasar/agents";
import type { Fact, Workspace } from "@quasar/runs";
import { watchRunTurn } from "@quasar/runs/internal";
import type { OutputRecord } from "../../shared/output/record.ts";

/** What an agent said or did. */
export type AgentSaid = Extract<OutputRecord, { readonly type: "agent_event" }> & {
  readonly turnId: string;
};

/** Tells what agents say and do between the facts of a journal. */
export interface AgentWatch {
  /** Call it before a fact is shown, or at the end: reports first what an agent did before that. */
  until(next: Fact | undefined): Promise<void>;
  /** Call it after a fact was reported: a turn may begin with it. */
  after(fact: Fact): void;
}

export const NO_AGENTS: AgentWatch = { until: async () => {}, after: () => {} };

export interface WatchAgentsOptions {
  readonly workspace: Workspace;
  readonly runId: string;
  /** Whether a turn that is at work is watched to its end. @default false */
  readonly follow: boolean | undefined;
  readonly signal: AbortSignal;
}

const ENDS: ReadonlySet<string> = new Set([
  ...["agent_start", "agent_done", "turn_retry", "waiting", "result", "abandoned"],
]);

/** Whether an agent that has worked has ended before a fact. */
function isEnd({ type, how }: Fact): boolean {
  return ENDS.has(type) || (type === "turn_recovered" && how !== "followed");
}

export function watchAgents(
  { workspace, runId, follow, signal }: WatchAgentsOptions,
  tell: (said: AgentSaid) => void,
): AgentWatch {
  const told = new Set<string>();
  let over = new AbortController();
  let watching: Promise<unknown> = Promise.resolve();
  return {
    async until(next) {
      if (follow === true) {
        if (next !== undefined && !isEnd(next)) return;
        over.abort();
      }
      await watching;
    },
    after({ type, turnId, role, cycle }) {
      const begins = type === "agent_start" || type === "turn_recovered";
      if (!begins || typeof turnId !== "string" || told.has(turnId)) return;
      told.add(turnId);
      over = new AbortController();
      const of = { turnId, role: role as AgentRole, cycle: Number(cycle) };
      watching = watchRunTurn(workspace, runId, turnId, {
        follow,
        signal: AbortSignal.any([signal, over.signal]),
        onEvent: (event) => tell({ type: "agent_event", ...of, event }),
      }).catch(() => false); // The journal tells the rest all the same.
    },
  };
}
