import { CLAUDE, type ClaudeDialect } from "./dialect.ts";

/**
 * What of a line of Claude Code's decides: whoever reads that counts the same cost, and learns the same end.
 * What is said and done is left out. `undefined`: nothing of it does.
 */
export const reduceClaudeLine = (line: string): string | undefined => reduceLineOf(CLAUDE, line);

/** The same of a program with a dialect of its own. */
export function reduceLineOf(
  { parse }: Pick<ClaudeDialect, "parse">,
  line: string,
): string | undefined {
  const event = parse(line);
  switch (event?.type) {
    case "system":
    case "rate_limit_event":
    case "cut_line":
      return JSON.stringify(event);
    case "stream_event":
    case "result":
      return line;
    case "assistant": {
      const { type, parent_tool_use_id, message } = event;
      const { id, model } = message;
      const { usage } = (JSON.parse(line) as { message: { usage?: unknown } }).message;
      const said = { id, model, usage, content: [] };
      return JSON.stringify({ type, parent_tool_use_id, message: said, ...sizeOf(event, line) });
    }
    case "user": {
      const content = event.message.content.filter(({ type }) => type === "tool_result");
      return JSON.stringify({ ...event, message: { content }, ...sizeOf(event, line) });
    }
    case undefined:
      return undefined;
  }
}

/** A token is a byte at most: how long the line was is counted with. */
const sizeOf = (event: { readonly line_bytes?: number | null | undefined }, line: string) => ({
  line_bytes: event.line_bytes ?? Buffer.byteLength(line),
});
