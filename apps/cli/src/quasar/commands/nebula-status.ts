import { findNebula, isUnfinished } from "@quasar/nebula";
import { nebulaCost, nebulaNow } from "@quasar/nebula/internal";
import { openWorkspace } from "@quasar/runs/internal";
import { jsonLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { section } from "../../shared/output/section.ts";
import { nextLines } from "../../shared/output/text.ts";
import { nebulaFacts } from "../facts/nebula-apply.ts";
import { stepsOfNebula } from "../nebula/outcome.ts";
import { phaseTable, stateLines } from "../nebula/state-lines.ts";
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
  const { repositoryId } = await openWorkspace(process.cwd());
  const state = findNebula(repositoryId, named);
  const now = await nebulaNow(repositoryId, state);
  const facts = nebulaFacts(state, await nebulaCost(repositoryId, state), now);
  const next = stepsOfNebula(state, now);
  if (json === true) {
    const isDone = !isUnfinished(state);
    const line = result("nebula_status", { ...facts, isFinished: isDone }, EXIT.ok, next);
    process.stdout.write(jsonLine(line satisfies NebulaStatusLine));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    ...stateLines(facts, view),
    ...(all === true ? [...section(phaseTable(facts, view)), ""] : []),
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}
