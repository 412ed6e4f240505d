import * as v from "valibot";

/**
 * The lines of a turn: messages of the agent as they came, what it says in pieces joined, and one for each message that we
 * sent, `{"sent":…}`, with the session alone of its parameters.
 *
 * @see SPEC.md, "ACP"
 */
export type AcpEvent =
  /** A request or a notification that we sent. */
  | {
      readonly type: "asked";
      readonly id: Id | undefined;
      readonly method: string;
      readonly sessionId: string | undefined;
    }
  /** Our answer to a request for a permission. */
  | { readonly type: "decided"; readonly id: Id; readonly optionId: string | undefined }
  | { readonly type: "answer"; readonly id: Id; readonly result: unknown }
  | { readonly type: "error"; readonly id: Id; readonly error: AcpError }
  | {
      readonly type: "permission";
      readonly id: Id;
      readonly call: ToolCall;
      readonly options: readonly PermissionOption[];
    }
  | { readonly type: "text"; readonly text: string; readonly messageId: string | undefined }
  | { readonly type: "tool"; readonly call: ToolCall }
  /** What its session has cost so far, in US dollars. */
  | { readonly type: "cost"; readonly usd: number }
  /** Anything else that is said of the session. */
  | { readonly type: "update" };

export type Id = string | number;

/** Something that the agent gets wrong is as if it were not said. */
const lenient = <S extends v.GenericSchema>(schema: S) => v.fallback(v.optional(schema), undefined);
const Id = v.union([v.string(), v.number()]);
const count = v.pipe(v.number(), v.minValue(0));

const Location = v.object({ path: v.string() });
const Diff = v.object({ type: v.literal("diff"), path: v.string() });

/** What is known of the use of a tool; what comes later is the rest. */
export const ToolCall = v.object({
  toolCallId: v.string(),
  kind: lenient(v.string()),
  title: lenient(v.string()),
  status: lenient(v.string()),
  locations: lenient(v.array(v.union([Location, v.unknown()]))),
  content: lenient(v.array(v.union([Diff, v.unknown()]))),
  rawInput: lenient(v.record(v.string(), v.unknown())),
});
export type ToolCall = v.InferOutput<typeof ToolCall>;

/** An id that is sent back some day. */
export const SessionId = v.pipe(v.string(), v.regex(/^[!-~]{1,256}$/));

const PermissionOption = v.object({ optionId: v.string(), kind: lenient(v.string()) });
export type PermissionOption = v.InferOutput<typeof PermissionOption>;

const AcpError = v.object({
  code: v.fallback(v.number(), 0),
  message: v.fallback(v.string(), ""),
  data: v.optional(v.unknown()),
});
export type AcpError = v.InferOutput<typeof AcpError>;

const Sent = v.object({
  sent: v.object({
    id: v.optional(Id),
    method: v.optional(v.string()),
    sessionId: lenient(v.string()),
    result: lenient(v.object({ outcome: v.object({ optionId: lenient(v.string()) }) })),
  }),
});

const Answer = v.object({ jsonrpc: v.string(), id: Id, result: v.unknown() });
const Failure = v.object({ jsonrpc: v.string(), id: Id, error: AcpError });

const Permission = v.object({
  id: Id,
  method: v.literal("session/request_permission"),
  params: v.object({ toolCall: ToolCall, options: v.array(PermissionOption) }),
});

const Update = v.object({
  method: v.literal("session/update"),
  params: v.object({ update: v.looseObject({ sessionUpdate: v.string() }) }),
});

const Chunk = v.object({
  messageId: lenient(v.string()),
  content: v.object({ type: v.literal("text"), text: v.string() }),
});

/** More than a session can cost: what says so is wrong. */
const MAX_USD = 1e6;
const Cost = v.object({
  cost: v.object({ amount: v.pipe(count, v.maxValue(MAX_USD)), currency: v.literal("USD") }),
});

/** A line as an event; `undefined` for noise. */
export function parseAcpLine(line: string): AcpEvent | undefined {
  const message = parseJson(line);
  return message === undefined ? undefined : acpEventOf(message);
}

/** The object that a line is; `undefined` for none. */
export function parseJson(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A message as an event; `undefined` for noise. */
export function acpEventOf(message: Readonly<Record<string, unknown>>): AcpEvent | undefined {
  if ("sent" in message) return sentOf(message);
  if (message["method"] === "session/update") return updateOf(message);
  if ("method" in message) {
    const { success, output } = v.safeParse(Permission, message);
    if (!success) return undefined;
    const { toolCall: call, options } = output.params;
    return { type: "permission", id: output.id, call, options };
  }
  const failed = v.safeParse(Failure, message);
  if (failed.success) return { type: "error", id: failed.output.id, error: failed.output.error };
  const answered = v.safeParse(Answer, message);
  if (!answered.success) return undefined;
  return { type: "answer", id: answered.output.id, result: answered.output.result };
}

function sentOf(message: unknown): AcpEvent | undefined {
  const { success, output } = v.safeParse(Sent, message);
  if (!success) return undefined;
  const { id, method, sessionId, result } = output.sent;
  if (method !== undefined) return { type: "asked", id, method, sessionId };
  if (id === undefined || result === undefined) return undefined;
  return { type: "decided", id, optionId: result.outcome.optionId };
}

function updateOf(message: unknown): AcpEvent | undefined {
  const { success, output } = v.safeParse(Update, message);
  if (!success) return undefined;
  const { update } = output.params;
  switch (update.sessionUpdate) {
    case "agent_message_chunk": {
      const chunk = v.safeParse(Chunk, update);
      if (!chunk.success) return { type: "update" };
      const { content, messageId } = chunk.output;
      return { type: "text", text: content.text, messageId };
    }
    case "tool_call":
    case "tool_call_update": {
      const call = v.safeParse(ToolCall, update);
      return call.success ? { type: "tool", call: call.output } : { type: "update" };
    }
    case "usage_update": {
      const cost = v.safeParse(Cost, update);
      return cost.success ? { type: "cost", usd: cost.output.cost.amount } : { type: "update" };
    }
    default:
      return { type: "update" };
  }
}
