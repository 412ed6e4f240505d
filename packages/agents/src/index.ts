export type {
  AgentCapabilities,
  AgentDenial,
  AgentEvent,
  AgentFailure,
  AgentFailureKind,
  AgentInvoker,
  AgentRequest,
  AgentResult,
  AgentRole,
  InvokeOptions,
} from "./agent.ts";
export { type AgentScript, parseAgentScript, type ScriptedTurn } from "./agent-script.ts";
export { createClaudeAgent } from "./claude.ts";
export { createCodexAgent } from "./codex.ts";
export type { CodexSandbox } from "./codex/args.ts";
export { createCommandAgent } from "./command.ts";
export { type AgentConfig, createAgent } from "./create-agent.ts";
export { AgentsError, type AgentsErrorCode } from "./errors.ts";
export { createQwenAgent } from "./qwen.ts";
export { createScriptedAgent } from "./scripted.ts";
export { createAcpAgent } from "./acp.ts";
export { createOpencodeAgent } from "./opencode.ts";
