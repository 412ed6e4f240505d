import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import { createRedactionSet } from "@quasar/agents/internal";
import type { Workspace } from "@quasar/runs";
import { openWorkspace } from "@quasar/runs/internal";
import { refusalOf } from "../refusal.ts";
import { guarded } from "../untrusted/guard.ts";
import { inertJson } from "../untrusted/json.ts";
import { NOTE } from "../untrusted/quoted.ts";
import type { CallContext, Tool } from "./tool.ts";

/** What the tools of a server share. */
export interface ToolDeps
  extends Pick<CallContext, "commands" | "limits" | "nebulaLimits" | "book"> {
  /** The top folder of the work tree, or one in it. */
  readonly root: string;
}

/** Makes a tool one of a server. */
export function registerTool(server: McpServer, tool: Tool, { root, ...deps }: ToolDeps): void {
  const { name, title, description, permission, input } = tool;
  const isRead = permission === undefined;
  const annotations = {
    readOnlyHint: isRead,
    destructiveHint: false,
    idempotentHint: isRead,
    openWorldHint: false,
  };
  const caller = (): string => server.server.getClientVersion()?.name ?? "an MCP client";
  const config = { title, description, inputSchema: input, annotations };
  server.registerTool(name, config, async (args, asked: ServerContext) => {
    try {
      const workspace: Workspace = await openWorkspace(root);
      const { signal } = asked.mcpReq;
      const progress = progressOf(asked);
      const context = { ...deps, workspace, caller, signal, progress };
      const { origin, facts } = await tool.call(args, context);
      const { redact } = createRedactionSet(process.env, workspace.root);
      return answer({ note: NOTE, ...(guarded(facts, origin, redact) as object) });
    } catch (error) {
      return { ...answer({ note: NOTE, error: refusalOf(error, name) }), isError: true };
    }
  });
}

/** The same twice: for programs, and as text for those who know only that. */
function answer(value: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: "text", text: inertJson(value) }], structuredContent: value };
}

/** Tells a caller who gave a token; nobody else. */
function progressOf({ mcpReq }: ServerContext): CallContext["progress"] {
  const { _meta: { progressToken: token } = {} } = mcpReq;
  return async (progress, total, message) => {
    if (token === undefined) return;
    const params = { progressToken: token, progress, total, message };
    await mcpReq.notify({ method: "notifications/progress", params });
  };
}
