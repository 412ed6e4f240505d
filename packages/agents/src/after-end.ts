import type { AgentInvoker } from "./agent.ts";

/** The agent; once it has ended what was left of a turn, this is done. */
export function afterEnd(agent: AgentInvoker, act: () => Promise<void>): AgentInvoker {
  if (agent.end === undefined) return agent;
  const end = agent.end.bind(agent);
  return {
    ...agent,
    async end(turn) {
      await end(turn);
      await act();
    },
  };
}
