import type { Checkpoint, CheckpointLedgerEntry } from "@quasar/checkpoint";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { cleanLine, jsonLine } from "../output/clean.ts";
import { budget, knownUsd, money, moment } from "../output/format.ts";
import { JSON_VERSION, viewOf, write } from "../output/reporter.ts";
import { tableLines } from "../output/table.ts";
import { firstLine, labelled, type View } from "../output/text.ts";
import { findRun } from "../runs/find.ts";
import { storedUnsaidCosts } from "../runs/store.ts";
import { isTurnOpen } from "../runs/turn.ts";
import { openWorkspace } from "../workspace.ts";

export interface CostOptions {
  readonly json?: true | undefined;
}

/** `quasar cost`: what each turn of a run has cost, and what counts against its limit. */
export async function costCommand(
  id: string | undefined,
  { json }: CostOptions,
): Promise<ExitCode> {
  const workspace = await openWorkspace(process.cwd());
  const { id: runId, loaded } = await findRun(workspace, id);
  const { checkpoint } = loaded;
  if (json === true) {
    process.stdout.write(jsonLine({ v: JSON_VERSION, type: "cost", runId, ...billOf(checkpoint) }));
    return EXIT.ok;
  }
  write(process.stdout, billLines(runId, checkpoint, viewOf(process.stdout)));
  return EXIT.ok;
}

function billOf(checkpoint: Checkpoint): object {
  const { totalCostUsd: spentUsd, unknownCostUsd, maxBudgetUsd, ledger, turn } = checkpoint;
  const open = isTurnOpen(checkpoint) ? turn : undefined;
  return {
    spentUsd,
    costUsd: knownUsd({ spentUsd, unknownCostUsd }),
    unknownCostUsd,
    hasUnsaidCosts: storedUnsaidCosts(checkpoint),
    maxBudgetUsd,
    turns: ledger,
    openTurn: open && {
      turnId: open.id,
      role: open.role,
      cycle: checkpoint.cycle,
      attempt: open.attempt,
      reservedUsd: open.reservedUsd,
      startedAt: open.startedAt,
    },
  };
}

const STATUSES: Readonly<Record<CheckpointLedgerEntry["status"], string>> = {
  settled: "done",
  failed: "failed",
  lost: "killed",
};

const SOURCES: Readonly<Record<CheckpointLedgerEntry["source"], string>> = {
  reported: "the agent says so",
  computed: "by the price table",
  partial: "known in part, the rest as reserved",
  unknown: "not known: as reserved",
};

function billLines(runId: string, checkpoint: Checkpoint, view: View): string[] {
  const { totalCostUsd: spentUsd, unknownCostUsd, maxBudgetUsd, ledger, turn } = checkpoint;
  const spending = { spentUsd, unknownCostUsd, hasUnsaidCosts: storedUnsaidCosts(checkpoint) };
  const rows = ledger.map((entry) => [
    entry.turnId === "" ? "earlier" : shortId(entry.turnId),
    entry.turnId === "" ? "" : entry.role,
    entry.turnId === "" ? "" : `${entry.cycle}`,
    STATUSES[entry.status],
    money(entry.costUsd),
    entry.reservedUsd > 0 ? money(entry.reservedUsd) : "",
    entry.startedAt === "" ? "" : cleanLine(moment(entry.startedAt)),
    SOURCES[entry.source],
  ]);
  const isOpen = isTurnOpen(checkpoint) && turn !== undefined;
  const open = isOpen
    ? [
        [
          shortId(turn.id),
          turn.role,
          `${checkpoint.cycle}`,
          "open",
          "",
          turn.reservedUsd > 0 ? money(turn.reservedUsd) : "",
          cleanLine(moment(turn.startedAt)),
          "its end is not known yet",
        ],
      ]
    : [];
  const head = ["turn", "role", "cycle", "end", "counts", "reserved", "began", ""];
  const none = spentUsd > 0 ? "no turn is listed: another program wrote this run" : "no turn yet";
  const align = ["left", "left", "right", "left", "right", "right", "left", "left"] as const;
  const all = [...rows, ...open];
  return [
    view.paint("bold", `run ${runId}`),
    ...labelled(view, "task", firstLine(checkpoint.taskTitle)),
    ...labelled(view, "cost", budget(spending, maxBudgetUsd)),
    "",
    ...(all.length === 0 ? [`  ${none}`] : tableLines(head, all, align, view)),
  ];
}

/** Of `<run>.<n>` what tells the turns of a run apart. */
function shortId(turnId: string): string {
  return cleanLine(turnId.slice(turnId.lastIndexOf(".") + 1));
}
