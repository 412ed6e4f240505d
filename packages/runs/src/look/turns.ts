import { turnEndedAt, type TurnName } from "@quasar/agents/turns";
import type { Checkpoint, CheckpointLedgerEntry } from "@quasar/checkpoint";
import { mostOfTurn } from "@quasar/loop/internal";
import { isTurnOpen } from "@quasar/loop/turn";
import { turnsFolder } from "../tree/turns-folder.ts";
import type { Fact } from "../journal/fact.ts";

/** A turn of a run, as its checkpoint counts it. Costs are US dollars. */
export interface TurnSummary
  extends Omit<CheckpointLedgerEntry, "status" | "source" | "reservedUsd"> {
  /** What it might cost; of one that is open the most that it may have cost by now. */
  readonly reservedUsd: number;
  /** `open`: its end is not known yet. */
  readonly status: CheckpointLedgerEntry["status"] | "open";
  /** Who says what it has cost; nobody yet for one that is open. */
  readonly source: CheckpointLedgerEntry["source"] | "";
  /** Milliseconds; `undefined` where the journal does not say. */
  readonly durationMs: number | undefined;
}

/**
 * The turns that have ended, oldest first, with what the journal says of them, and of one that did not end well the
 * record of its process.
 *
 * @param dir - The run's folder.
 */
export function endedTurns(
  checkpoint: Checkpoint,
  facts: readonly Fact[],
  dir: string,
): readonly EndedTurn[] {
  return turnsInLedger(checkpoint, durationsIn(facts), dir);
}

type EndedTurn = CheckpointLedgerEntry & Pick<TurnSummary, "durationMs">;

/** How long turns took, by their ids, as a journal says. */
type DurationOf = (turnId: string) => unknown;

function durationsIn(facts: readonly Fact[]): DurationOf {
  const durations = new Map(
    facts
      .filter(({ type }) => type === "agent_done")
      .map(({ turnId, durationMs }) => [turnId, durationMs]),
  );
  return (turnId) => durations.get(turnId);
}

function turnsInLedger(
  { ledger, runId }: Checkpoint,
  durationOf: DurationOf,
  dir: string,
): readonly EndedTurn[] {
  return ledger.map((entry) => {
    const durationMs = durationOf(entry.turnId);
    if (typeof durationMs === "number") return { ...entry, durationMs };
    return { ...entry, durationMs: processMs(entry, { runId, turnsDir: turnsFolder(dir) }) };
  });
}

/** From a turn's beginning to the end of its process; `undefined`: unknown. */
function processMs(
  { turnId, startedAt }: CheckpointLedgerEntry,
  where: Pick<TurnName, "runId" | "turnsDir">,
): number | undefined {
  if (startedAt === "" || !turnId.startsWith(`${where.runId}.`)) return undefined;
  const endedAt = turnEndedAt({ ...where, turnId });
  return endedAt && Math.max(0, endedAt.getTime() - Date.parse(startedAt));
}

/** The turns that have ended, and the one whose end is not known. */
export function allTurns(
  checkpoint: Checkpoint,
  facts: readonly Fact[],
  dir: string,
): readonly TurnSummary[] {
  return turnsOf(checkpoint, durationsIn(facts), dir);
}

/** {@link allTurns}, where it is known what the journal says. */
export function turnsOf(
  checkpoint: Checkpoint,
  durationOf: DurationOf,
  dir: string,
): readonly TurnSummary[] {
  const ended = turnsInLedger(checkpoint, durationOf, dir);
  const { turn, cycle } = checkpoint;
  if (turn === undefined || !isTurnOpen(checkpoint)) return ended;
  const { id: turnId, role, attempt, startedAt } = turn;
  const reservedUsd = mostOfTurn(turn);
  const nothingKnown = { costUsd: 0, unknownUsd: 0, source: "", durationMs: undefined } as const;
  const open = { turnId, role, cycle, attempt, status: "open", reservedUsd, startedAt } as const;
  return [...ended, { ...open, ...nothingKnown }];
}
