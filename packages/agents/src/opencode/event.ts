import * as v from "valibot";
import { parseLine } from "../json-line.ts";
import type { Tokens } from "../prices.ts";

/** A call of a tool, told when it is over. */
export interface OpencodeCall {
  readonly tool: string;
  readonly status: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Why it did not succeed; `""` when it did. */
  readonly error: string;
}

/** Why a request failed. */
export interface OpencodeError {
  readonly name: string;
  readonly message: string;
  readonly statusCode: number | undefined;
  readonly isRetryable: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** What is read of `opencode run --format json`. Other events and keys are noise. */
export type OpencodeEvent =
  | OpencodeSaid
  /** A line whose end is not kept: what it said is unknown. */
  | { readonly type: "cut_line"; readonly line_bytes: number };

export type OpencodeSaid = { readonly sessionID: string } & (
  | { readonly type: "step_start" }
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_use";
      readonly call: OpencodeCall;
      /** Length of the line that it came in, where this is not that line. */
      readonly line_bytes?: number | undefined;
    }
  /** A response is whole, and its tools have ended. */
  | {
      readonly type: "step_finish";
      readonly reason: string;
      readonly tokens: Tokens;
      /** US dollars; 0 where OpenCode knows no price. */
      readonly costUsd: number;
    }
  | { readonly type: "error"; readonly at: Date; readonly error: OpencodeError }
);

const count = v.nullish(v.pipe(v.number(), v.finite(), v.minValue(0)), 0);
const text = v.nullish(v.string(), "");
const session = { sessionID: text };

const Usage = v.pipe(
  v.object({
    input: count,
    output: count,
    reasoning: count,
    cache: v.nullish(v.object({ read: count, write: count }), {}),
  }),
  v.transform(({ input, output, reasoning, cache }): Tokens => {
    const { read: cacheRead, write: cacheWrite } = cache;
    const said = { input, output: output + reasoning, cacheRead, cacheWrite };
    return { ...said, cacheWriteLong: 0, webSearches: 0 };
  }),
);

const Call = v.pipe(
  v.object({
    tool: text,
    state: v.object({
      status: text,
      input: v.nullish(v.record(v.string(), v.unknown()), {}),
      error: text,
    }),
  }),
  v.transform(({ tool, state }): OpencodeCall => ({ tool, ...state })),
);

const ErrorData = v.object({
  message: text,
  statusCode: v.nullish(v.number()),
  isRetryable: v.nullish(v.boolean(), false),
  responseHeaders: v.fallback(v.nullish(v.record(v.string(), v.string()), {}), {}),
});

/** What fails before a model is asked has another form in some versions. */
const Failed = v.pipe(
  v.object({ name: text, message: text, data: v.fallback(v.nullish(ErrorData), undefined) }),
  v.transform(({ name, message, data }): OpencodeError => {
    const { statusCode, isRetryable = false, responseHeaders: headers = {} } = data ?? {};
    const said = data?.message ?? message;
    return { name, message: said, statusCode: statusCode ?? undefined, isRetryable, headers };
  }),
);

const Event = v.variant("type", [
  v.object({ type: v.literal("step_start"), ...session }),
  v.pipe(
    v.object({ type: v.literal("text"), ...session, part: v.object({ text }) }),
    v.transform(({ part, ...event }) => ({ ...event, text: part.text })),
  ),
  v.pipe(
    v.object({ type: v.literal("tool_use"), ...session, part: Call, line_bytes: v.nullish(count) }),
    v.transform(({ part, line_bytes, ...event }) => ({
      ...event,
      call: part,
      ...(line_bytes != null && { line_bytes }),
    })),
  ),
  v.pipe(
    v.object({
      type: v.literal("step_finish"),
      ...session,
      part: v.object({ reason: text, tokens: v.nullish(Usage, {}), cost: count }),
    }),
    v.transform(({ part, ...event }) => {
      const { reason, tokens, cost: costUsd } = part;
      return { ...event, reason, tokens, costUsd };
    }),
  ),
  v.pipe(
    v.object({ type: v.literal("error"), ...session, timestamp: count, error: Failed }),
    v.transform(({ timestamp, ...event }) => ({ ...event, at: new Date(timestamp) })),
  ),
  v.object({ type: v.literal("cut_line"), line_bytes: v.pipe(v.number(), v.minValue(0)) }),
]);

/** No line that is shorter is cut, in UTF-16 units. */
const SHORTEST_CUT = 2 ** 21;

/** A line of output as an event; `undefined` for noise. */
export function parseOpencodeEvent(line: string): OpencodeEvent | undefined {
  return parseLine(Event, line) ?? cutLine(line);
}

function cutLine(line: string): OpencodeEvent | undefined {
  const isCut = line.length >= SHORTEST_CUT && line.startsWith("{");
  return isCut ? { type: "cut_line", line_bytes: Buffer.byteLength(line) } : undefined;
}
