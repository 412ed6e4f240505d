import type { AgentInvoker, AgentRole } from "@quasar/loop";
import type { Settings } from "./config/settings.ts";
import { CliError } from "./errors.ts";
import { createScriptedAgent, type ScriptedTurn } from "./interim-agents.ts";
import { readInput } from "./read-input.ts";

const MAX_SCRIPT_BYTES = 4 * 1024 * 1024;

/** The agent that the settings name for a role. */
export function createAgent(settings: Settings, role: AgentRole): AgentInvoker {
  const [kind, rest] = settings[role].split(/:(.*)/su);
  if (kind === "scripted") return createScriptedAgent(readScript((rest ?? "").trim()));
  throw new CliError("ERR_NOT_INSTALLED", `agent ${settings[role]} is not there yet`);
}

/** Creates both agents once, so that what is wrong with them is told before anything is touched. */
export function checkAgents(settings: Settings): void {
  createAgent(settings, "coder");
  createAgent(settings, "reviewer");
}

function readScript(path: string): { turns: readonly ScriptedTurn[] } {
  const text = readInput(path, {
    maxBytes: MAX_SCRIPT_BYTES,
    code: "ERR_CONFIG",
    followLink: true,
  });
  if (text === undefined) throw new CliError("ERR_CONFIG", `there is no script ${path}`);
  return JSON.parse(text) as { turns: readonly ScriptedTurn[] };
}
