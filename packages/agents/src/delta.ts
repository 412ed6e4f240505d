/** Whether a line of an agent's event stream is a piece of a text that comes whole later. */
export function isDelta(line: string): boolean {
  if (!line.startsWith("{") || !line.includes('"content_block_delta"')) return false;
  try {
    const { type, event } = JSON.parse(line) as { type?: unknown; event?: { type?: unknown } };
    return type === "stream_event" && event?.type === "content_block_delta";
  } catch {
    return false;
  }
}
