import { basename } from "node:path";
import type { AcpAgentOptions } from "../acp.ts";
import type { AgentRole } from "../agent.ts";
import { type AgentPreset, installCommand } from "../preset.ts";
import { AGENT_PRESETS } from "../presets.ts";
import type { KnownAcpAgent } from "./known.ts";

/** What is known of an agent of the protocol, however it is started. */
export type KnownAcpOptions = Omit<KnownAcpAgent, "name" | "file" | "args"> &
  Pick<AcpAgentOptions, "installHint" | "reportsCost" | "resumesSession">;

/** What a known agent of the protocol is made with, by who works; `undefined` for one that is spoken to otherwise. */
export function acpOptionsOf(preset: AgentPreset, role: AgentRole): AcpAgentOptions | undefined {
  const { route } = preset;
  if (route.kind !== "acp") return undefined;
  const { name, file, args } = route.agent;
  return { name, file, args: args[role], ...knownOf(preset, route.agent) };
}

/** The same of the program that a command line begins with, whatever its folder; `undefined` for one that is not known. */
export function acpOptionsOfLine(line: string): KnownAcpOptions | undefined {
  const words = line.trim().split(/\s+/u);
  const program = basename(words.find((word) => !ASSIGNMENT.test(word)) ?? "");
  for (const preset of AGENT_PRESETS) {
    const { route } = preset;
    if (route.kind === "acp" && preset.program === program) return knownOf(preset, route.agent);
  }
  return undefined;
}

const ASSIGNMENT = /^\w+=/u;

function knownOf(preset: AgentPreset, agent: KnownAcpAgent): KnownAcpOptions {
  const { name: _name, file: _file, args: _args, ...known } = agent;
  const { reportsCost, resumesSession } = preset.capabilities;
  return {
    ...known,
    installHint: `Install it with: ${installCommand(preset)}`,
    reportsCost,
    resumesSession,
  };
}
