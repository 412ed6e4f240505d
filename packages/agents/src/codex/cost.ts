import type { AgentRequest } from "@quasar/loop";
import type { Cost } from "../agent-process.ts";
import { costOf, NO_TOKENS, sumOf, tokensBetween } from "../prices.ts";
import type { Tokens } from "../prices.ts";
import { type CodexLedger, readCodexLedger } from "./ledger.ts";
import type { CodexReading } from "./reader.ts";

/**
 * What a thread has used before a turn, to be asked before the turn begins and kept with it.
 *
 * @returns `undefined` when the thread is to be gone on in and has no record: its turn's cost will
 *   be unknown.
 */
export function codexTokensBefore(
  codexHome: string,
  { resumesSession, sessionId }: AgentRequest,
): Tokens | undefined {
  if (!resumesSession || sessionId === undefined) {
    return NO_TOKENS;
  }
  const { model, tokens } = readCodexLedger(codexHome, sessionId);
  return tokens ?? (model === undefined ? undefined : NO_TOKENS);
}

/**
 * What a turn cost: what its thread has used by its record, less what it had used before. The total
 * of `turn.completed` forgets the last response of a turn that was killed, so it only counts for a
 * new thread without a record.
 *
 * @param before - {@link codexTokensBefore} of the turn.
 * @param model - what to take where the record does not say it.
 * @see SPEC.md, "Cost of Codex"
 */
export function codexCost(
  { tokens, ended }: Pick<CodexReading, "tokens" | "ended">,
  ledger: CodexLedger,
  before: Tokens | undefined,
  model: string | undefined,
): Cost {
  const name = ledger.model ?? model;
  // The record of a thread that came to no answer has no tokens in it: none were spent.
  const recorded = ledger.tokens ?? (ledger.model === undefined ? undefined : NO_TOKENS);
  const isNew = before !== undefined && sumOf(before) === 0;
  const after = recorded ?? (isNew ? tokens : undefined);
  const costUsd =
    name === undefined || after === undefined || before === undefined
      ? undefined
      : costOf(name, tokensBetween(before, after));
  return costUsd === undefined
    ? { costSource: "unknown" }
    : { costUsd, costSource: ended ? "computed" : "partial" };
}
