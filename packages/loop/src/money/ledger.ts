import type { CheckpointLedgerEntry, CheckpointTurn } from "@quasar/checkpoint";
import type { Cost } from "./money.ts";
import type { CycleState } from "../state.ts";

/** The money of a run: what its turns have cost one by one, and together. */
export type Books = Pick<CycleState, "totalCostUsd" | "unknownCostUsd" | "ledger">;

type Entries = readonly CheckpointLedgerEntry[];

/** How many turns are listed one by one; older ones are one sum. */
export const MOST_ENTRIES = 1000;

/** What a turn has cost, once that is known or given up. */
export function entryOf(
  turn: Pick<CheckpointTurn, "id" | "role" | "attempt" | "reservedUsd" | "startedAt">,
  cycle: number,
  status: CheckpointLedgerEntry["status"],
  { totalUsd, unknownUsd, source }: Cost,
): CheckpointLedgerEntry {
  const { id, role, attempt, reservedUsd, startedAt } = turn;
  const money = { source, reservedUsd, costUsd: totalUsd, unknownUsd };
  return { turnId: id, role, cycle, attempt, status, ...money, startedAt };
}

/**
 * Adds an entry, and its cost to the totals. Both are added up in the same order, so that the
 * entries' sums are the totals to the last bit.
 */
export function book(books: Books, entry: CheckpointLedgerEntry): Books {
  const { ledger, totalCostUsd, unknownCostUsd } = balanced(books);
  return {
    totalCostUsd: totalCostUsd + entry.costUsd,
    unknownCostUsd: unknownCostUsd + entry.unknownUsd,
    ledger: shortened([...ledger, entry]),
  };
}

/**
 * Books whose entries add up to the totals: what a file counts without saying for which turn, as
 * files without a ledger do, becomes a sum before all entries. Of two totals the larger one counts.
 */
export function balanced({ totalCostUsd, unknownCostUsd, ledger }: Books): Books {
  const listed = sumOf(ledger);
  if (listed.costUsd === totalCostUsd && listed.unknownUsd === unknownCostUsd) {
    return { totalCostUsd, unknownCostUsd, ledger };
  }
  const costUsd = Math.max(0, totalCostUsd - listed.costUsd);
  const unknownUsd = Math.min(costUsd, Math.max(0, unknownCostUsd - listed.unknownUsd));
  const whole = costUsd === 0 ? ledger : [unlisted(costUsd, unknownUsd), ...ledger];
  const sum = sumOf(whole);
  return { totalCostUsd: sum.costUsd, unknownCostUsd: sum.unknownUsd, ledger: shortened(whole) };
}

/** The costs of all entries together. */
export function sumOf(entries: Entries): Pick<CheckpointLedgerEntry, "costUsd" | "unknownUsd"> {
  let costUsd = 0;
  let unknownUsd = 0;
  for (const entry of entries) {
    costUsd += entry.costUsd;
    unknownUsd += entry.unknownUsd;
  }
  return { costUsd, unknownUsd };
}

/** The oldest entries become one as soon as there are too many. */
function shortened(entries: Entries): Entries {
  if (entries.length <= MOST_ENTRIES) return entries;
  const kept = entries.slice(1 - MOST_ENTRIES);
  const { costUsd, unknownUsd } = sumOf(entries.slice(0, entries.length - kept.length));
  return [unlisted(costUsd, unknownUsd), ...kept];
}

/** What turns have cost that are not listed one by one. */
function unlisted(costUsd: number, unknownUsd: number): CheckpointLedgerEntry {
  return {
    turnId: "",
    role: "coder",
    cycle: 0,
    attempt: 0,
    status: "settled",
    source: unknownUsd > 0 ? "partial" : "reported",
    reservedUsd: 0,
    costUsd,
    unknownUsd,
    startedAt: "",
  };
}
