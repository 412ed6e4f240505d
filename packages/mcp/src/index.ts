/** Runs and nebulae as tools and resources of the Model Context Protocol. */
export type { Argv, OwnCommands } from "./command.ts";
export { McpError, type McpErrorCode } from "./errors.ts";
export type { NebulaLimits } from "./tools/tool.ts";
export { serveMcp, type ServeOptions } from "./serve.ts";
