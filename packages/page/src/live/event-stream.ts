/** A server-sent event. */
export interface ServerSentEvent {
  /** @default "message" */
  readonly type: string;
  readonly id: string;
  readonly data: string;
}

/** Reads server-sent events from pieces of text as they come, wherever those are cut. */
export function createEventParser(): (piece: string) => readonly ServerSentEvent[] {
  let rest = "";
  return (piece) => {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop() ?? "";
    return blocks.flatMap(eventIn);
  };
}

/** Comments, which keep the connection alive, are none. */
function eventIn(block: string): readonly ServerSentEvent[] {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const [, name = "", value = ""] = /^(\w+): ?(.*)$/u.exec(line) ?? [];
    if (name !== "") fields.set(name, value);
  }
  const data = fields.get("data");
  if (data === undefined) return [];
  return [{ type: fields.get("event") ?? "message", id: fields.get("id") ?? "", data }];
}
