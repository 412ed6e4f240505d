import * as v from "valibot";
import { parseLine } from "../json-line.ts";
import type { Tokens } from "../prices.ts";

/** A step of the agent's, of a kind that is read. */
export type CodexItem =
  | { readonly type: "agent_message"; readonly text: string }
  | {
      readonly type: "command_execution";
      readonly command: string;
      readonly exit_code?: number | null | undefined;
    }
  | {
      readonly type: "file_change";
      readonly changes: readonly { readonly path: string }[];
      readonly status: string;
    };

/** What is read of `codex exec --json`. Other events, items and keys are noise. */
export type CodexEvent =
  | { readonly type: "thread.started"; readonly thread_id: string }
  | { readonly type: "item.started" | "item.completed"; readonly item: CodexItem }
  | { readonly type: "error"; readonly message: string }
  /** The usage is the whole thread's. */
  | { readonly type: "turn.completed"; readonly usage?: Tokens | null | undefined }
  | {
      readonly type: "turn.failed";
      readonly error?: { readonly message: string } | null | undefined;
    };

const tokens = v.nullish(v.pipe(v.number(), v.finite(), v.minValue(0)), 0);
const text = v.nullish(v.string(), "");

/** Codex counts what was cached as input too. */
export const CodexUsage: v.GenericSchema<unknown, Tokens> = v.pipe(
  v.object({
    input_tokens: tokens,
    cached_input_tokens: tokens,
    cache_write_input_tokens: tokens,
    output_tokens: tokens,
  }),
  v.transform((usage) => {
    const { cached_input_tokens: cacheRead, cache_write_input_tokens: cacheWrite } = usage;
    const input = Math.max(0, usage.input_tokens - cacheRead - cacheWrite);
    return {
      ...{ input, output: usage.output_tokens, cacheRead, cacheWrite },
      ...{ cacheWriteLong: 0, webSearches: 0 },
    };
  }),
);

const Item = v.variant("type", [
  v.object({ type: v.literal("agent_message"), text: v.string() }),
  v.object({
    type: v.literal("command_execution"),
    command: text,
    exit_code: v.nullish(v.number()),
  }),
  v.object({
    type: v.literal("file_change"),
    changes: v.nullish(v.array(v.object({ path: v.string() })), []),
    status: text,
  }),
]);

const Event = v.variant("type", [
  v.object({ type: v.literal("thread.started"), thread_id: v.string() }),
  v.object({ type: v.picklist(["item.started", "item.completed"]), item: Item }),
  v.object({ type: v.literal("error"), message: text }),
  v.object({ type: v.literal("turn.completed"), usage: v.nullish(CodexUsage) }),
  v.object({ type: v.literal("turn.failed"), error: v.nullish(v.object({ message: text })) }),
]);

/** A line of output as an event; `undefined` for noise. */
export function parseCodexEvent(line: string): CodexEvent | undefined {
  return parseLine(Event, line);
}
