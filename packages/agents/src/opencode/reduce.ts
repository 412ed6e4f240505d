import { isDenied } from "./denials.ts";
import { type OpencodeCall, parseOpencodeEvent } from "./event.ts";

/**
 * What of a line of OpenCode's decides: a reader of that learns the same of the turn. What tools were given and gave
 * is left out, but for what was denied. `undefined`: nothing of it does.
 */
export function reduceOpencodeLine(line: string): string | undefined {
  const event = parseOpencodeEvent(line);
  switch (event?.type) {
    case "cut_line":
      return JSON.stringify(event);
    case "tool_use": {
      const { type, sessionID, call, line_bytes = Buffer.byteLength(line) } = event;
      const { tool, status, ...state } = isDenied(call) ? deniedOf(call) : { ...call, ...NOTHING };
      return JSON.stringify({
        type,
        sessionID,
        part: { tool, state: { status, ...state } },
        line_bytes,
      });
    }
    case "step_start":
    case "step_finish":
    case "text":
    case "error":
      return line;
    case undefined:
      return undefined;
  }
}

const NOTHING = { input: {}, error: "" } as const;

/** What a file was to hold says nothing of why it was not written. */
function deniedOf(call: OpencodeCall): OpencodeCall {
  const kept = ["command", "filePath", "path", "url"].filter((key) =>
    Object.hasOwn(call.input, key),
  );
  return { ...call, input: Object.fromEntries(kept.map((key) => [key, call.input[key]])) };
}
