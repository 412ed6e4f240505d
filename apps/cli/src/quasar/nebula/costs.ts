import { RunsError, type Workspace } from "@quasar/runs";
import { cleanLine, costWords, fit } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { labelled, type View } from "../../shared/output/text.ts";
import { type SpendingFacts, spendingFacts } from "../facts/nebula-apply.ts";
import { nebulaeOf } from "./phase-run.ts";

/** What a nebula has cost, as `--json` has it. */
export interface NebulaBill extends SpendingFacts {
  readonly nebulaId: string;
  readonly nebula: string;
}

/** What each nebula of a repository has cost, the newest first. */
export async function nebulaBills(workspace: Workspace): Promise<readonly NebulaBill[]> {
  const nebulae = await nebulaeOf(workspace);
  if (nebulae === undefined) return [];
  return Promise.all(
    nebulae.all().map(async (state) => ({
      ...{ nebulaId: state.id, nebula: state.name },
      ...spendingFacts((await nebulae.costOf(state)).total),
    })),
  );
}

const MOST_SHOWN = 5;

/** A line each, with the command that shows what its phases have cost. */
export function nebulaBillLines(bills: readonly NebulaBill[], view: View): readonly string[] {
  const shown = bills.slice(0, MOST_SHOWN).map((bill) => {
    const name = fit(cleanLine(bill.nebula), 40);
    return `${name}: ${costWords(bill)} (${costCommand(bill)})`;
  });
  const more = bills.length - shown.length;
  const lines = more > 0 ? [...shown, `${more} more: --json has all`] : shown;
  return lines.flatMap((line, at) => labelled(view, at === 0 ? "nebulae" : "", line));
}

/** Says of a work tree without runs which commands show what its nebulae have cost. */
export function orNebulaBills(error: unknown, bills: readonly NebulaBill[]): unknown {
  if (!(error instanceof RunsError) || error.code !== "ERR_NOTHING_TO_RESUME") return error;
  if (bills.length === 0) return error;
  const next = bills.slice(0, MOST_SHOWN).map(costCommand);
  return new CliError(error.code, error.message, { cause: error, next });
}

function costCommand({ nebulaId }: NebulaBill): string {
  return `quasar nebula status ${nebulaId} --cost`;
}
