import { parseAcpLine, type ToolCall } from "./event.ts";

/**
 * What of a line decides: a reader of that learns the same of the turn. What tools were given, and what they gave,
 * is left out. `undefined`: nothing of it does.
 */
export function reduceAcpLine(line: string): string | undefined {
  const event = parseAcpLine(line);
  switch (event?.type) {
    case "asked":
    case "decided":
    case "answer":
    case "error":
    case "text":
    case "cost":
      return line;
    case "permission": {
      const { id, call: toolCall, options } = event;
      const params = { toolCall: withoutContent(toolCall), options };
      return JSON.stringify({ id, method: "session/request_permission", params });
    }
    case "tool": {
      const update = { sessionUpdate: "tool_call_update", ...withoutContent(event.call) };
      return JSON.stringify({ method: "session/update", params: { update } });
    }
    case "update":
    case undefined:
      return undefined;
  }
}

function withoutContent({ rawInput, content: _content, ...call }: ToolCall): object {
  const command = rawInput?.["command"];
  return { ...call, ...(command !== undefined && { rawInput: { command } }) };
}
