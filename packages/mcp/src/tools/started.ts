import { setTimeout as sleep } from "node:timers/promises";
import type { Workspace } from "@quasar/runs";
import { readRun } from "../places/read.ts";
import type { startDetached } from "../start/detached.ts";
import type { CallContext, Told } from "./tool.ts";

/**
 * Counts a start, and says which run has begun, or why none has.
 *
 * @returns When other tools find the run, which is a moment after it has begun.
 */
export async function startedFacts(
  { book, workspace, signal }: Pick<CallContext, "book" | "workspace" | "signal">,
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
  await untilReadable(workspace, String(line["runId"]), signal);
  const { runId, workTree, branch, coder, reviewer, maxCycles, maxBudgetUsd } = line;
  return {
    origin: "the command",
    facts: { isStarted: true, runId, workTree, branch, coder, reviewer, maxCycles, maxBudgetUsd },
  };
}

const LOOKS = 100;
const LOOK_MS = 100;

/** Waits for the first save of a run; what asks next reports one that never comes. */
async function untilReadable(own: Workspace, id: string, signal: AbortSignal): Promise<void> {
  for (let look = 0; look < LOOKS && !signal.aborted; look += 1) {
    const isThere = await readRun(own, id).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await sleep(LOOK_MS);
  }
}
