import { type AcpAgentOptions, createAcpAgent } from "./acp.ts";
import type { AgentInvoker } from "./agent.ts";
import { type ClaudeAgentOptions, createClaudeAgent } from "./claude.ts";
import { type CodexAgentOptions, createCodexAgent } from "./codex.ts";
import { type CommandAgentOptions, createCommandAgent } from "./command.ts";
import { AgentsError } from "./errors.ts";
import { createOpencodeAgent, type OpencodeAgentOptions } from "./opencode.ts";
import { createQwenAgent, type QwenAgentOptions } from "./qwen.ts";
import { createScriptedAgent, type ScriptedAgentOptions } from "./scripted.ts";

/** Which agent, and what it is told. */
export type AgentConfig =
  | ({ readonly kind: "claude" } & ClaudeAgentOptions)
  | ({ readonly kind: "codex" } & CodexAgentOptions)
  | ({ readonly kind: "command" } & CommandAgentOptions)
  | ({ readonly kind: "scripted" } & ScriptedAgentOptions)
  | ({ readonly kind: "acp" } & AcpAgentOptions)
  | ({ readonly kind: "opencode" } & OpencodeAgentOptions)
  | ({ readonly kind: "qwen" } & QwenAgentOptions);

/** What {@link createAgent} knows. */
export const AGENT_KINDS: readonly AgentConfig["kind"][] = [
  "claude",
  "codex",
  "command",
  "scripted",
  "acp",
  "opencode",
  "qwen",
];

/**
 * The agent that a configuration names.
 *
 * @throws {AgentsError} `ERR_INVALID_CONFIG` for an unknown kind or an empty command,
 *   `ERR_INVALID_SCRIPT`.
 */
export function createAgent(config: AgentConfig): AgentInvoker {
  switch (config.kind) {
    case "claude":
      return createClaudeAgent(config);
    case "codex":
      return createCodexAgent(config);
    case "command":
      return createCommandAgent(config);
    case "scripted":
      return createScriptedAgent(config);
    case "acp":
      return createAcpAgent(config);
    case "opencode":
      return createOpencodeAgent(config);
    case "qwen":
      return createQwenAgent(config);
    default: {
      const { kind } = config as { kind: unknown };
      const message = `there is no agent ${JSON.stringify(kind)}: ${AGENT_KINDS.join(", ")}`;
      throw new AgentsError("ERR_INVALID_CONFIG", message);
    }
  }
}
