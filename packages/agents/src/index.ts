export type { AgentProcessOptions } from "./agent-process.ts";
export type { ProcessLimits } from "./child.ts";
export { type Command, type CommandAgentOptions, createCommandAgent } from "./command.ts";
export type { EnvironmentOptions } from "./environment.ts";
export { AgentsError, type AgentsErrorCode } from "./errors.ts";
export {
  type EndedProcesses,
  endRunProcesses,
  type EndRunProcessesOptions,
  findRunProcesses,
} from "./run-processes.ts";
export {
  type AgentScript,
  createScriptedAgent,
  parseAgentScript,
  type ScriptedAgentOptions,
  type ScriptedTurn,
} from "./scripted.ts";
