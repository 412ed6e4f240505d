import type { AgentInvoker } from "@quasar/agents";

/** Its session is on its machine, and what was reserved for it counts as spent. */
const GONE = { state: "died", sessionId: "", costUsd: undefined, costSource: "unknown" } as const;

/**
 * Of a turn that another machine has begun nothing is known but its end, where that was copied: its agent was started after
 * the copy was made, and may have worked on since.
 */
export function fromElsewhere(agent: AgentInvoker): AgentInvoker {
  const { find } = agent;
  if (find === undefined) return agent;
  return {
    ...agent,
    async find(turn) {
      const found = await find.call(agent, turn);
      if (found.state === "ended") return found;
      if (found.state !== "died" || found.costUsd === undefined) return GONE;
      // What its copy shows counts, where that is more than what was reserved.
      const costUsd = found.costUsd + (found.unknownUsd ?? 0);
      return { ...GONE, costUsd, costSource: "partial" };
    },
  };
}
