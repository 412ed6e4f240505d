import * as v from "valibot";

const tokens = v.nullish(v.pipe(v.number(), v.finite(), v.minValue(0)), 0);
const text = v.nullish(v.string(), "");

const Usage = v.pipe(
  v.object({
    input_tokens: tokens,
    output_tokens: tokens,
    cache_read_input_tokens: tokens,
    cache_creation_input_tokens: tokens,
  }),
  v.transform((usage) => ({
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens,
  })),
);

const ModelUsage = v.record(
  v.string(),
  v.object({
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadInputTokens: tokens,
    cacheCreationInputTokens: tokens,
    costUSD: tokens,
  }),
);

const Block = v.variant("type", [
  v.object({ type: v.literal("text"), text: v.string() }),
  v.object({
    type: v.literal("tool_use"),
    id: v.string(),
    name: v.string(),
    input: v.nullish(v.record(v.string(), v.unknown()), {}),
  }),
  v.object({
    type: v.literal("tool_result"),
    tool_use_id: v.string(),
    is_error: v.nullish(v.boolean(), false),
  }),
]);

/** Blocks of kinds that are not known are left out, not refused with their message. */
const Content = v.pipe(
  v.array(v.unknown()),
  v.transform((blocks) =>
    blocks.flatMap((block) => {
      const parsed = v.safeParse(Block, block);
      return parsed.success ? [parsed.output] : [];
    }),
  ),
);

const Result = v.object({
  type: v.literal("result"),
  subtype: text,
  is_error: v.nullish(v.boolean(), false),
  result: text,
  errors: v.nullish(v.array(v.unknown()), []),
  session_id: v.nullish(v.string()),
  total_cost_usd: v.nullish(v.pipe(v.number(), v.finite(), v.minValue(0))),
  usage: v.nullish(Usage),
  modelUsage: v.nullish(ModelUsage),
  /** From 2.1.329 on: what the other two are for the session, for this run. */
  model_usage_since_last_result: v.nullish(ModelUsage),
  permission_denials: v.nullish(v.array(v.object({ tool_name: v.string() })), []),
  api_error_status: v.nullish(v.number()),
  api_error: text,
  terminal_reason: text,
  stop_reason: text,
  structured_output: v.optional(v.unknown()),
});

/** What is read of Claude Code's `stream-json`. Other events and keys are noise. */
export const ClaudeEvent = v.variant("type", [
  v.object({
    type: v.literal("system"),
    subtype: v.string(),
    session_id: v.nullish(v.string()),
    claude_code_version: v.nullish(v.string()),
    attempt: v.nullish(v.number()),
    max_retries: v.nullish(v.number()),
    error_status: v.nullish(v.number()),
    error: text,
  }),
  v.object({
    type: v.literal("rate_limit_event"),
    rate_limit_info: v.object({
      status: text,
      /** Seconds since 1970. */
      resetsAt: v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(8.64e12))),
    }),
  }),
  v.object({
    type: v.literal("stream_event"),
    parent_tool_use_id: text,
    event: v.variant("type", [
      v.object({
        type: v.literal("message_start"),
        message: v.object({ id: v.string(), model: v.string(), usage: Usage }),
      }),
      v.object({ type: v.literal("message_delta"), usage: Usage }),
    ]),
  }),
  v.object({
    type: v.literal("assistant"),
    message: v.object({ id: v.string(), model: text, content: Content, usage: v.nullish(Usage) }),
  }),
  v.object({ type: v.literal("user"), message: v.object({ content: Content }) }),
  Result,
]);

export type ClaudeEvent = v.InferOutput<typeof ClaudeEvent>;
export type ClaudeResult = v.InferOutput<typeof Result>;
export type ClaudeModelUsage = v.InferOutput<typeof ModelUsage>;
