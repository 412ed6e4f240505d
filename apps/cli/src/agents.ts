import {
  type AgentProcessOptions,
  type AgentScript,
  AgentsError,
  createCommandAgent,
  createScriptedAgent,
  parseAgentScript,
} from "@quasar/agents";
import type { AgentInvoker, AgentRole } from "@quasar/loop";
import type { Settings } from "./config/settings.ts";
import { CliError } from "./errors.ts";
import { cleanLine } from "./output/clean.ts";
import { readInput } from "./read-input.ts";

const MAX_SCRIPT_BYTES = 4 * 1024 * 1024;

/**
 * The agent that the settings name for a role.
 *
 * @throws {CliError} `ERR_CONFIG` for a script that is none.
 */
export function createAgent(settings: Settings, role: AgentRole): AgentInvoker {
  const { name, argument } = parseAgent(settings[role]);
  const options = processOptions(settings);
  switch (name) {
    case "scripted":
      return createScriptedAgent({ ...readScript(argument), ...options });
    case "command":
      return createCommandAgent({ command: argument, name: cleanLine(argument), ...options });
    case "claude":
    case "codex":
      throw new CliError("ERR_NOT_INSTALLED", `agent ${name} is not there yet`);
  }
}

/** Creates both agents once, so that what is wrong with them is told before anything is touched. */
export function checkAgents(settings: Settings): void {
  createAgent(settings, "coder");
  createAgent(settings, "reviewer");
}

type AgentName = "claude" | "codex" | "command" | "scripted";

function parseAgent(spec: string): { readonly name: AgentName; readonly argument: string } {
  const [name = "", ...rest] = spec.split(":");
  return { name: name as AgentName, argument: rest.join(":").trim() };
}

const MINUTE_MS = 60_000;

function processOptions({ turnTimeout, idleTimeout, passEnv }: Settings): AgentProcessOptions {
  const limits = {
    totalTimeoutMs: turnTimeout * MINUTE_MS,
    idleTimeoutMs: idleTimeout * MINUTE_MS,
  };
  return { limits, passEnv };
}

function readScript(path: string): AgentScript {
  const text = readInput(path, {
    maxBytes: MAX_SCRIPT_BYTES,
    code: "ERR_CONFIG",
    followLink: true,
  });
  const shown = cleanLine(path);
  if (text === undefined) throw new CliError("ERR_CONFIG", `there is no script ${shown}`);
  try {
    return parseAgentScript(text);
  } catch (error) {
    if (!(error instanceof AgentsError)) throw error;
    throw new CliError("ERR_CONFIG", `${shown}: ${error.message}`, { cause: error });
  }
}
