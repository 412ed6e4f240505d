import type { ClaudeResult } from "./event.ts";

/**
 * Several results of a run as one: Claude Code gives one whenever it goes idle, and continues when what it
 * has in the background is done. The last one says how it ended; what the earlier ones say stays.
 */
export function joined(before: ClaudeResult | undefined, next: ClaudeResult): ClaudeResult {
  if (before === undefined) return next;
  return {
    ...next,
    result: next.result || before.result,
    errors: [...before.errors, ...next.errors],
    num_turns: (before.num_turns ?? 0) + (next.num_turns ?? 0),
    permission_denials: [...before.permission_denials, ...next.permission_denials],
    structured_output: next.structured_output ?? before.structured_output,
  };
}
