import * as v from "valibot";
import { parseLine } from "../json-line.ts";
import type { Tokens } from "../prices.ts";

/** A message's block of a kind that is read; others are left out. */
export type ClaudeBlock =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "tool_result"; readonly tool_use_id: string; readonly is_error: boolean };

/** What a response used, and at which rates. */
export type ClaudeUsage = Tokens & { readonly isFast: boolean };

/** Tokens and cost by model. */
export type ClaudeModelUsage = Readonly<Record<string, Tokens & { readonly costUSD: number }>>;

export interface ClaudeResult {
  readonly type: "result";
  readonly subtype: string;
  readonly is_error: boolean;
  readonly result: string;
  readonly errors: readonly unknown[];
  readonly num_turns?: number | null | undefined;
  readonly session_id?: string | null | undefined;
  readonly total_cost_usd?: number | null | undefined;
  /** Of the run. */
  readonly usage?: ClaudeUsage | null | undefined;
  /** Of the session, from 2.1.329 on; of the run before. */
  readonly modelUsage?: ClaudeModelUsage | null | undefined;
  /** Since the run's last result, from 2.1.329 on. */
  readonly model_usage_since_last_result?: ClaudeModelUsage | null | undefined;
  readonly permission_denials: readonly {
    readonly tool_name: string;
    readonly tool_input: Readonly<Record<string, unknown>>;
  }[];
  readonly api_error_status?: number | null | undefined;
  readonly api_error: string;
  readonly terminal_reason: string;
  readonly stop_reason: string;
  readonly structured_output?: unknown;
}

/** What is read of Claude Code's `stream-json`. Other events and keys are noise. */
export type ClaudeEvent =
  | {
      readonly type: "system";
      readonly subtype: string;
      readonly session_id?: string | null | undefined;
      readonly claude_code_version?: string | null | undefined;
      readonly model: string;
      /** `requesting`: the agent itself asks the model. */
      readonly status: string;
      /** The tool call that a background task answers. */
      readonly tool_use_id: string;
      readonly task_type: string;
      readonly is_backgrounded: boolean;
      readonly attempt?: number | null | undefined;
      readonly max_retries?: number | null | undefined;
      readonly error_status?: number | null | undefined;
      readonly error: string;
    }
  | {
      readonly type: "rate_limit_event";
      /** `resetsAt`: seconds since 1970. */
      readonly rate_limit_info: {
        readonly status: string;
        readonly resetsAt?: number | null | undefined;
      };
    }
  | {
      readonly type: "stream_event";
      /** `""` for the agent itself, else the tool call that a subagent answers. */
      readonly parent_tool_use_id: string;
      readonly event:
        | {
            readonly type: "message_start";
            readonly message: {
              readonly id: string;
              readonly model: string;
              readonly usage: ClaudeUsage;
            };
          }
        | { readonly type: "message_delta"; readonly usage: ClaudeUsage };
    }
  | {
      /** One for each block, with the message's first usage repeated. */
      readonly type: "assistant";
      readonly parent_tool_use_id: string;
      readonly message: {
        readonly id: string;
        readonly model: string;
        readonly content: readonly ClaudeBlock[];
        readonly usage?: ClaudeUsage | null | undefined;
      };
      /** How long the line was, where less of it was kept. */
      readonly line_bytes?: number | null | undefined;
    }
  | {
      readonly type: "user";
      readonly parent_tool_use_id: string;
      readonly line_bytes?: number | null | undefined;
      readonly message: { readonly content: readonly ClaudeBlock[] };
    }
  /** A line whose end is not kept: what it said is unknown. */
  | { readonly type: "cut_line"; readonly line_bytes: number }
  | ClaudeResult;

export const tokens = v.nullish(v.pipe(v.number(), v.finite(), v.minValue(0)), 0);
export const text = v.nullish(v.string(), "");
export const lineBytes = v.nullish(v.pipe(v.number(), v.finite(), v.minValue(0)));

export const Usage = v.pipe(
  v.object({
    input_tokens: tokens,
    output_tokens: tokens,
    cache_read_input_tokens: tokens,
    cache_creation_input_tokens: tokens,
    cache_creation: v.nullish(v.object({ ephemeral_1h_input_tokens: tokens })),
    server_tool_use: v.nullish(v.object({ web_search_requests: tokens })),
    speed: text,
  }),
  v.transform((usage): ClaudeUsage => {
    const written = usage.cache_creation_input_tokens;
    const long = Math.min(written, usage.cache_creation?.ephemeral_1h_input_tokens ?? 0);
    return {
      input: usage.input_tokens,
      output: usage.output_tokens,
      cacheRead: usage.cache_read_input_tokens,
      cacheWrite: written - long,
      cacheWriteLong: long,
      webSearches: usage.server_tool_use?.web_search_requests ?? 0,
      isFast: usage.speed === "fast",
    };
  }),
);

const ModelUsage = v.record(
  v.string(),
  v.pipe(
    v.object({
      inputTokens: tokens,
      outputTokens: tokens,
      cacheReadInputTokens: tokens,
      cacheCreationInputTokens: tokens,
      cacheCreationEphemeral1hInputTokens: tokens,
      webSearchRequests: tokens,
      costUSD: tokens,
    }),
    v.transform((usage) => {
      const written = usage.cacheCreationInputTokens;
      const long = Math.min(written, usage.cacheCreationEphemeral1hInputTokens);
      return {
        input: usage.inputTokens,
        output: usage.outputTokens,
        cacheRead: usage.cacheReadInputTokens,
        cacheWrite: written - long,
        cacheWriteLong: long,
        webSearches: usage.webSearchRequests,
        costUSD: usage.costUSD,
      };
    }),
  ),
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
export const Content = v.pipe(
  v.array(v.unknown()),
  v.transform((blocks) =>
    blocks.flatMap((block) => {
      const parsed = v.safeParse(Block, block);
      return parsed.success ? [parsed.output] : [];
    }),
  ),
);

export const Denials = v.nullish(
  v.array(
    v.object({
      tool_name: v.string(),
      tool_input: v.nullish(v.record(v.string(), v.unknown()), {}),
    }),
  ),
  [],
);

const Result = v.object({
  type: v.literal("result"),
  subtype: text,
  is_error: v.nullish(v.boolean(), false),
  result: text,
  errors: v.nullish(v.array(v.unknown()), []),
  num_turns: v.nullish(v.number()),
  session_id: v.nullish(v.string()),
  total_cost_usd: v.nullish(v.pipe(v.number(), v.finite(), v.minValue(0))),
  usage: v.nullish(Usage),
  modelUsage: v.nullish(ModelUsage),
  model_usage_since_last_result: v.nullish(ModelUsage),
  permission_denials: Denials,
  api_error_status: v.nullish(v.number()),
  api_error: text,
  terminal_reason: text,
  stop_reason: text,
  structured_output: v.optional(v.unknown()),
});

const Event = v.variant("type", [
  v.object({
    type: v.literal("system"),
    subtype: v.string(),
    session_id: v.nullish(v.string()),
    claude_code_version: v.nullish(v.string()),
    model: text,
    status: text,
    tool_use_id: text,
    task_type: text,
    is_backgrounded: v.nullish(v.boolean(), false),
    attempt: v.nullish(v.number()),
    max_retries: v.nullish(v.number()),
    error_status: v.nullish(v.number()),
    error: text,
  }),
  v.object({
    type: v.literal("rate_limit_event"),
    rate_limit_info: v.object({
      status: text,
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
    parent_tool_use_id: text,
    message: v.object({ id: v.string(), model: text, content: Content, usage: v.nullish(Usage) }),
    line_bytes: lineBytes,
  }),
  v.object({
    type: v.literal("user"),
    parent_tool_use_id: text,
    message: v.object({ content: Content }),
    line_bytes: lineBytes,
  }),
  v.object({ type: v.literal("cut_line"), line_bytes: v.pipe(v.number(), v.minValue(0)) }),
  Result,
]);

/** No line that is shorter is cut, in UTF-16 units. */
const SHORTEST_CUT = 2 ** 21;

/** A line of output as an event; `undefined` for noise. */
export function parseClaudeEvent(line: string): ClaudeEvent | undefined {
  return parseLine(Event, line) ?? cutLine(line);
}

/** A line that was cut, or noise. */
export function cutLine(line: string): ClaudeEvent | undefined {
  const isCut = line.length >= SHORTEST_CUT && line.startsWith("{");
  return isCut ? { type: "cut_line", line_bytes: Buffer.byteLength(line) } : undefined;
}
