import { findNebula, isUnfinished } from "@quasar/nebula";
import { openWorkspace } from "@quasar/runs/internal";
import { jsonLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { section } from "../../shared/output/section.ts";
import { attemptCosts, costTable } from "../nebula/attempt-costs.ts";
import { phaseTable } from "../nebula/state-lines.ts";
import { lookAtNebula, statusLines } from "../nebula/status.ts";
import type { NebulaStatusLine } from "../schemas/nebula-apply.ts";

export interface NebulaStatusOptions {
  readonly all?: true | undefined;
  readonly cost?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar nebula status`: how a nebula stands, and what to type; with `--all` each of its phases, with `--cost` what each attempt has cost. */
export async function nebulaStatusCommand(
  named: string | undefined,
  { all, cost, json }: NebulaStatusOptions,
): Promise<ExitCode> {
  const workspace = await openWorkspace(process.cwd());
  const state = findNebula(workspace.repositoryId, named);
  const look = await lookAtNebula(workspace, state);
  const attempts = cost === true ? await attemptCosts(workspace.repositoryId, state) : undefined;
  if (json === true) {
    const { facts: shown, isFolderChanged } = look;
    const facts = { ...shown, isFolderChanged, isFinished: !isUnfinished(state), runs: attempts };
    const line = result("nebula_status", facts, EXIT.ok, look.next);
    process.stdout.write(jsonLine(line satisfies NebulaStatusLine));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const tables = [
    ...(all === true ? section(phaseTable(look.facts, view)) : []),
    ...(attempts === undefined ? [] : section(costTable(look.facts, attempts, view))),
  ];
  const more = tables.length === 0 ? [] : [...tables, ""];
  write(process.stdout, statusLines(look, view, more));
  return EXIT.ok;
}
