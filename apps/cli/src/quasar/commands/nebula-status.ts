import { findNebula, isUnfinished } from "@quasar/nebula";
import { openWorkspace } from "@quasar/runs/internal";
import { jsonLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { section } from "../../shared/output/section.ts";
import { phaseTable } from "../nebula/state-lines.ts";
import { lookAtNebula, statusLines } from "../nebula/status.ts";
import type { NebulaStatusLine } from "../schemas/nebula-apply.ts";

export interface NebulaStatusOptions {
  readonly all?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar nebula status`: how a nebula stands, and what to type; with `--all` each of its phases. */
export async function nebulaStatusCommand(
  named: string | undefined,
  { all, json }: NebulaStatusOptions,
): Promise<ExitCode> {
  const workspace = await openWorkspace(process.cwd());
  const state = findNebula(workspace.repositoryId, named);
  const look = await lookAtNebula(workspace, state);
  if (json === true) {
    const isFinished = !isUnfinished(state);
    const line = result("nebula_status", { ...look.facts, isFinished }, EXIT.ok, look.next);
    process.stdout.write(jsonLine(line satisfies NebulaStatusLine));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const table = all === true ? [...section(phaseTable(look.facts, view)), ""] : [];
  write(process.stdout, statusLines(look, view, table));
  return EXIT.ok;
}
