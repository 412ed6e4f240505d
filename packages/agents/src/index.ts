export type * from "./agent.ts";

export { afterEnd } from "./after-end.ts";
export type { AgentProcessOptions } from "./agent-process.ts";
export { type ClaudeAgentOptions, createClaudeAgent } from "./claude.ts";
export type { ClaudeSettingSource } from "./claude/args.ts";
export type { ProcessLimits } from "./child.ts";
export { type CodexAgentOptions, createCodexAgent } from "./codex.ts";
export type { CodexSandbox } from "./codex/args.ts";
export { type Command, type CommandAgentOptions, createCommandAgent } from "./command.ts";
export { AGENT_KINDS, type AgentConfig, createAgent } from "./create-agent.ts";
export { type DetectedAgent, detectAgents, type DetectOptions } from "./detect.ts";
export {
  checkEnvironment,
  type EnvironmentOptions,
  withheldFromChecks,
} from "./environment.ts";
export { AgentsError, type AgentsErrorCode } from "./errors.ts";
export type { AgentLogin } from "./login.ts";
export { prewarm } from "./prewarm.ts";
export { type ModelPrice, type ModelPrices, PRICES_AS_OF } from "./prices.ts";
export {
  endRunProcesses,
  findRunProcesses,
  listRunProcesses,
  runMark,
  type RunProcess,
} from "./run-processes.ts";
export { turnEndedAt } from "./exit-record.ts";
export { createEnvFileRedactor } from "./secrets/env-files.ts";
export { createRedactor, type Redactor } from "./secrets/redact.ts";
export { supervisorErrors, type TurnName } from "./supervisor-errors.ts";
export { type AgentScript, parseAgentScript, type ScriptedTurn } from "./agent-script.ts";
export { watchTurn, type WatchTurnOptions } from "./watch-turn.ts";
export { createScriptedAgent, type ScriptedAgentOptions } from "./scripted.ts";
