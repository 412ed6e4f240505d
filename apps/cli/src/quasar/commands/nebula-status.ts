import { isUnfinished, type NebulaState } from "@quasar/nebula";
import { chooseNebula, namedNebulae } from "@quasar/nebula/internal";
import type { Workspace } from "@quasar/runs";
import { openWorkspace } from "@quasar/runs/internal";
import { cleanLine, fit, jsonLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { section } from "../../shared/output/section.ts";
import { nextLines, type View } from "../../shared/output/text.ts";
import { withRemark } from "../../shared/remark.ts";
import { attemptCosts, costTable } from "../nebula/attempt-costs.ts";
import { phaseTable, stateLines } from "../nebula/state-lines.ts";
import { lookAtNebula, type NebulaLook, statusLines } from "../nebula/status.ts";
import type { NebulaStatusLine } from "../schemas/nebula-apply.ts";

export interface NebulaStatusOptions {
  readonly all?: true | undefined;
  readonly cost?: true | undefined;
  readonly fleet?: string | undefined;
  readonly json?: true | undefined;
}

/**
 * `quasar nebula status`: how a nebula stands, and what to type; with `--all` each of its phases, with `--cost` what each
 * attempt has cost. Of several that may be meant a person is shown how each stands, and a program is refused.
 */
export async function nebulaStatusCommand(
  named: string | undefined,
  options: NebulaStatusOptions,
): Promise<ExitCode> {
  const { fleet, json } = options;
  if (fleet !== undefined) {
    return (await import("../fleet/look.ts")).statusOverFleet(named, { fleet, json });
  }
  const workspace = await openWorkspace(process.cwd());
  const several = namedNebulae(workspace.repositoryId, named);
  if (several.length > 1 && options.json !== true) {
    await showSeveral(workspace, several, options);
    return EXIT.ok;
  }
  const state = chooseNebula(workspace.repositoryId, named);
  const look = await lookAtNebula(workspace, state);
  if (options.json === true) {
    const { facts: shown, isFolderChanged } = look;
    const runs =
      options.cost === true ? await attemptCosts(workspace.repositoryId, state) : undefined;
    const facts = { ...shown, isFolderChanged, isFinished: !isUnfinished(state), runs };
    const line = result("nebula_status", facts, EXIT.ok, look.next);
    process.stdout.write(jsonLine(line satisfies NebulaStatusLine));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const tables = await tableLines(workspace, state, look, options, view);
  write(process.stdout, statusLines(look, view, tables.length === 0 ? [] : [...tables, ""]));
  return EXIT.ok;
}

async function showSeveral(
  workspace: Workspace,
  several: readonly NebulaState[],
  options: NebulaStatusOptions,
): Promise<void> {
  const view = viewOf(process.stdout);
  const lines: string[] = [];
  for (const state of several) {
    const look = await lookAtNebula(workspace, state);
    const tables = await tableLines(workspace, state, look, options, view);
    lines.push(...stateLines(look.facts, view), ...tables, "");
  }
  const next = several.map(({ id, name }) =>
    withRemark(`quasar nebula status ${id}`, fit(cleanLine(name), 40)),
  );
  write(process.stdout, [...lines, ...nextLines(next, view)]);
}

async function tableLines(
  { repositoryId }: Workspace,
  state: NebulaState,
  { facts }: NebulaLook,
  { all, cost }: NebulaStatusOptions,
  view: View,
): Promise<readonly string[]> {
  const attempts = cost === true ? await attemptCosts(repositoryId, state) : undefined;
  return [
    ...(all === true ? section(phaseTable(facts, view)) : []),
    ...(attempts === undefined ? [] : section(costTable(facts, attempts, view))),
  ];
}
