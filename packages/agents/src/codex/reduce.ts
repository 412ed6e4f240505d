import { type CodexItem, parseCodexEvent } from "./event.ts";

/**
 * What of a line of Codex's decides: whoever reads that learns the same of the turn. What was done is left
 * out, but for whether it succeeded. `undefined`: nothing of it does.
 */
export function reduceCodexLine(line: string): string | undefined {
  const event = parseCodexEvent(line);
  if (event === undefined) return undefined;
  if (!("item" in event)) return line;
  return JSON.stringify({ ...event, item: reducedItem(event.item) });
}

function reducedItem(item: CodexItem): CodexItem {
  switch (item.type) {
    case "agent_message":
      return item;
    case "command_execution":
      return { ...item, command: "" };
    case "file_change":
      return { ...item, changes: [] };
  }
}
