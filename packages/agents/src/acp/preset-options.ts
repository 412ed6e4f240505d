import type { AcpAgentOptions } from "../acp.ts";
import type { AgentRole } from "../agent.ts";
import { type AgentPreset, installCommand } from "../preset.ts";

/** What a known agent of the protocol is made with, by who works; `undefined` for one that is spoken to otherwise. */
export function acpOptionsOf(preset: AgentPreset, role: AgentRole): AcpAgentOptions | undefined {
  const { route, capabilities } = preset;
  if (route.kind !== "acp") return undefined;
  const { args, ...agent } = route.agent;
  return {
    ...agent,
    args: args[role],
    installHint: `Install it with: ${installCommand(preset)}`,
    reportsCost: capabilities.reportsCost,
    resumesSession: capabilities.resumesSession,
  };
}
