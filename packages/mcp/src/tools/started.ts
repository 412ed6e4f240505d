import type { StartBook } from "../start/book.ts";
import type { startDetached } from "../start/detached.ts";
import type { Told } from "./tool.ts";

/** Counts a start, and says which run has begun, or why none has. */
export async function startedFacts(
  book: StartBook,
  start: () => ReturnType<typeof startDetached>,
): Promise<Told> {
  const note = book.begin(Date.now());
  const started = await start().catch((error: unknown) => {
    note(undefined);
    throw error;
  });
  const { line, command } = started;
  const hasBegun = line["type"] === "run";
  note(hasBegun ? command : undefined);
  if (!hasBegun) return { origin: "the command", facts: { isStarted: false, error: line } };
  const { runId, workTree, branch, coder, reviewer, maxCycles, maxBudgetUsd } = line;
  return {
    origin: "the command",
    facts: { isStarted: true, runId, workTree, branch, coder, reviewer, maxCycles, maxBudgetUsd },
  };
}
