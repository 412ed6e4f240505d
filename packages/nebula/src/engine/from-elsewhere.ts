import type { AgentInvoker } from "@quasar/agents";

/** Its session is on its machine, and what was reserved for it counts as spent. */
const GONE = { state: "died", sessionId: "", costUsd: undefined, costSource: "unknown" } as const;

/** Within the time after which a run is copied again an agent is asked for so much more: it has an answer, and asks once. */
const RESPONSES = 2;

/**
 * Of a turn that another machine has begun nothing is known but its end, where that was copied: its agent was started after
 * the copy was made, and may have worked on since. It counts with what the copy shows and two responses more, and with no less
 * than was reserved for it.
 */
export function fromElsewhere(agent: AgentInvoker): AgentInvoker {
  const { find } = agent;
  if (find === undefined) return agent;
  return {
    ...agent,
    async find(turn) {
      const found = await find.call(agent, turn);
      if (found.state === "ended") return found;
      const seen = found.state === "died" ? (found.costUsd ?? 0) + (found.unknownUsd ?? 0) : 0;
      const since = RESPONSES * (agent.responseBoundUsd?.(turn.request) ?? 0);
      const costUsd = seen + since;
      return costUsd === 0 ? GONE : { ...GONE, costUsd, costSource: "partial" };
    },
  };
}
