import * as v from "valibot";

const tokens = v.nullish(v.pipe(v.number(), v.finite(), v.minValue(0)), 0);
const text = v.nullish(v.string(), "");

/** Codex counts what was cached as input too. */
export const CodexUsage = v.pipe(
  v.object({
    input_tokens: tokens,
    cached_input_tokens: tokens,
    cache_write_input_tokens: tokens,
    output_tokens: tokens,
  }),
  v.transform((usage) => {
    const { cached_input_tokens: cacheRead, cache_write_input_tokens: cacheWrite } = usage;
    const input = Math.max(0, usage.input_tokens - cacheRead - cacheWrite);
    return { input, output: usage.output_tokens, cacheRead, cacheWrite };
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

/** What is read of `codex exec --json`. Other events, items and keys are noise. */
export const CodexEvent = v.variant("type", [
  v.object({ type: v.literal("thread.started"), thread_id: v.string() }),
  v.object({ type: v.picklist(["item.started", "item.completed"]), item: Item }),
  v.object({ type: v.literal("error"), message: text }),
  v.object({ type: v.literal("turn.completed"), usage: v.nullish(CodexUsage) }),
  v.object({ type: v.literal("turn.failed"), error: v.nullish(v.object({ message: text })) }),
]);
