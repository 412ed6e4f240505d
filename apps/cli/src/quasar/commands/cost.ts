import { PRICES_AS_OF } from "@quasar/agents/prices";
import type { Checkpoint } from "@quasar/checkpoint";
import { isTurnOpen } from "@quasar/loop/turn";
import type { TurnSummary } from "@quasar/runs";
import {
  allTurns,
  endedTurns,
  findRun,
  knownUsd,
  readFacts,
  storedUnreportedCosts,
} from "@quasar/runs/internal";
import { budget, firstLine, jsonLine } from "@quasar/runs/text";
import { openTurnWords } from "@quasar/runs/words";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { costOfTurn, costTable } from "../../shared/output/cost-table.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, type View } from "../../shared/output/text.ts";
import { turnFacts } from "../../shared/facts/turn.ts";
import { section } from "../../shared/output/section.ts";
import { nebulaBillLines, nebulaBills, orNebulaBills } from "../nebula/costs.ts";
import { workspaceOfRun } from "../nebula/phase-run.ts";
import type { CostLine } from "../schemas/cost.ts";

export interface CostOptions {
  readonly json?: true | undefined;
}

/** `quasar cost`: what each turn of a run has cost, what counts against its limit, and what nebulae have cost. */
export async function costCommand(
  id: string | undefined,
  { json }: CostOptions,
): Promise<ExitCode> {
  const workspace = await workspaceOfRun(id);
  const nebulae = id === undefined ? await nebulaBills(workspace) : [];
  const found = await findRun(workspace, id).catch((error: unknown) => {
    throw orNebulaBills(error, nebulae);
  });
  const { id: runId, dir, loaded } = found;
  const { checkpoint } = loaded;
  const facts = readFacts(dir);
  if (json === true) {
    const bill = billOf(checkpoint, endedTurns(checkpoint, facts, dir));
    const line = result("cost", { runId, ...bill, nebulae }, EXIT.ok) satisfies CostLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const turns = allTurns(checkpoint, facts, dir);
  const view = viewOf(process.stdout);
  write(process.stdout, [
    ...billLines(runId, checkpoint, turns, view),
    ...section(nebulaBillLines(nebulae, view)),
  ]);
  return EXIT.ok;
}

function billOf(
  checkpoint: Checkpoint,
  ended: ReturnType<typeof endedTurns>,
): Omit<CostLine, "v" | "type" | "runId" | "nebulae" | "exit" | "next"> {
  const { totalCostUsd: spentUsd, unknownCostUsd: unknownUsd, maxBudgetUsd, turn } = checkpoint;
  const open = isTurnOpen(checkpoint) ? turn : undefined;
  return {
    spentUsd,
    knownUsd: knownUsd({ spentUsd, unknownUsd }),
    unknownUsd,
    hasUnreportedCosts: storedUnreportedCosts(checkpoint),
    maxBudgetUsd,
    pricesAsOf: PRICES_AS_OF,
    turns: ended.map(turnFacts),
    openTurn: open && {
      turnId: open.id,
      role: open.role,
      cycle: checkpoint.cycle,
      attempt: open.attempt,
      reservedUsd: open.reservedUsd,
      allowanceUsd: open.allowanceUsd,
      unmetered: open.unmetered,
      startedAt: open.startedAt,
    },
  };
}

function billLines(
  runId: string,
  checkpoint: Checkpoint,
  turns: readonly TurnSummary[],
  view: View,
): string[] {
  const { totalCostUsd: spentUsd, unknownCostUsd: unknownUsd, maxBudgetUsd } = checkpoint;
  const spending = {
    spentUsd,
    unknownUsd,
    hasUnreportedCosts: storedUnreportedCosts(checkpoint),
  };
  const openUsd = turns.find(({ status }) => status === "open")?.reservedUsd ?? 0;
  const rows = turns.map(costOfTurn);
  const none = spentUsd > 0 ? "no turn is listed: another program wrote this run" : "no turn yet";
  const isPriced = turns.some(({ source }) => source === "computed" || source === "partial");
  return [
    view.paint("bold", `run ${runId}`),
    ...labelled(view, "task", firstLine(checkpoint.taskTitle)),
    ...labelled(view, "cost", budget(spending, maxBudgetUsd) + openTurnWords(openUsd)),
    ...(isPriced ? labelled(view, "prices", PRICES) : []),
    "",
    ...(rows.length === 0 ? [`  ${none}`] : costTable(rows, spentUsd, view)),
  ];
}

const PRICES = `list prices where the agent reports no cost; price list of ${PRICES_AS_OF}`;
