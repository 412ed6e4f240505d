import * as v from "valibot";
import {
  type ClaudeEvent,
  type ClaudeUsage,
  Content,
  cutLine,
  Denials,
  lineBytes,
  text,
  tokens,
} from "../claude/event.ts";
import { parseLine } from "../json-line.ts";
import { NO_TOKENS } from "../prices.ts";

/** Tokens as Qwen Code counts them: `read` is a part of `input`, and what is thought may be in `total` only. */
interface QwenCount {
  readonly input: number;
  readonly output: number;
  readonly read: number;
  readonly total: number;
}

/**
 * Tokens as they are billed. Which of the input was written to a cache is not said; that is the dearest that it
 * can have been.
 */
export function qwenTokens({ input, output, read, total }: QwenCount): ClaudeUsage {
  const cacheRead = Math.min(read, input);
  const cacheWrite = input - cacheRead;
  return {
    ...NO_TOKENS,
    cacheRead,
    cacheWrite,
    output: Math.max(output, total - input),
    isFast: false,
  };
}

const Usage = v.pipe(
  v.object({
    input_tokens: tokens,
    output_tokens: tokens,
    cache_read_input_tokens: tokens,
    total_tokens: tokens,
  }),
  v.transform((usage) =>
    qwenTokens({
      input: usage.input_tokens,
      output: usage.output_tokens,
      read: usage.cache_read_input_tokens,
      total: usage.total_tokens,
    }),
  ),
);

const NOTHING_MORE = {
  tool_use_id: "",
  task_type: "",
  is_backgrounded: false,
  status: "",
  error: "",
} as const;

const Begun = v.pipe(
  v.object({
    type: v.literal("system"),
    subtype: v.literal("init"),
    session_id: v.nullish(v.string()),
    qwen_code_version: v.nullish(v.string()),
    model: text,
  }),
  v.transform(
    ({ qwen_code_version, ...begun }): ClaudeEvent => ({
      ...NOTHING_MORE,
      ...begun,
      claude_code_version: qwen_code_version,
    }),
  ),
);

/** A request is made again. One that the server refused is said with its attempt; of another a response broke off. */
const Retried = v.pipe(
  v.object({
    type: v.literal("system"),
    subtype: v.literal("retry"),
    data: v.object({
      reason: text,
      attempt: v.nullish(v.number()),
      maxRetries: v.nullish(v.number()),
    }),
  }),
  v.transform(
    ({ type, data: { reason, attempt, maxRetries } }): ClaudeEvent => ({
      ...NOTHING_MORE,
      ...{ type, subtype: "api_retry", model: "", attempt, max_retries: maxRetries },
      status: attempt == null ? "dropped" : "",
      error: reason,
    }),
  ),
);

/** One for each kind of block; the last one of a response has the response's count, the others have none. */
const Said = v.pipe(
  v.object({
    type: v.literal("assistant"),
    parent_tool_use_id: text,
    message: v.object({
      id: v.string(),
      model: text,
      content: Content,
      usage: v.nullish(Usage),
    }),
  }),
  v.transform(({ message: { usage, ...message }, ...said }): ClaudeEvent => {
    const isCounted = usage && usage.cacheRead + usage.cacheWrite + usage.output > 0;
    // The count is whole: nothing of what is said comes on top of it.
    return { ...said, message: { ...message, ...(isCounted && { usage }) }, line_bytes: 0 };
  }),
);

const Told = v.object({
  type: v.literal("user"),
  parent_tool_use_id: text,
  message: v.object({ content: Content }),
  line_bytes: lineBytes,
});

/** `[API Error: 401 {"type":"error", …}]` */
const STATUS = /\[API Error: (\d{3})\b/u;

const Result = v.pipe(
  v.object({
    type: v.literal("result"),
    subtype: text,
    is_error: v.nullish(v.boolean(), false),
    result: text,
    error: v.nullish(v.object({ message: text })),
    num_turns: v.nullish(v.number()),
    session_id: v.nullish(v.string()),
    usage: v.nullish(Usage),
    permission_denials: Denials,
    structured_result: v.optional(v.unknown()),
  }),
  v.transform(({ error, structured_result, ...result }): ClaudeEvent => {
    const message = error?.message ?? "";
    const status = STATUS.exec(message)?.[1];
    return {
      ...result,
      errors: message === "" ? [] : [message],
      ...(status !== undefined && { api_error_status: Number(status) }),
      ...{ api_error: "", terminal_reason: "", stop_reason: "" },
      ...(structured_result !== undefined && { structured_output: structured_result }),
    };
  }),
);

const Cut = v.object({
  type: v.literal("cut_line"),
  line_bytes: v.pipe(v.number(), v.minValue(0)),
});

const Event = v.union([Begun, Retried, Said, Told, Result, Cut]);

/** A line of Qwen Code's `stream-json` as what Claude Code would have said; `undefined` for noise. */
export function parseQwenEvent(line: string): ClaudeEvent | undefined {
  return parseLine(Event, line) ?? cutLine(line);
}
