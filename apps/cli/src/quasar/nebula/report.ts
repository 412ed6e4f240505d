import { createRedactionSet } from "@quasar/agents/environment";
import type { NebulaState } from "@quasar/nebula";
import { readNebulaFacts, redactNebulaFacts } from "@quasar/nebula/facts";
import { keptSpec } from "@quasar/nebula/internal";
import { nebulaMarkdown } from "@quasar/nebula/report";
import type { Workspace } from "@quasar/runs";
import { jsonLine } from "@quasar/runs/text";
import { EXIT } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { nebulaReportFacts } from "../facts/nebula-report.ts";
import type { NebulaReportLine } from "../schemas/nebula-report.ts";
import { limitsOf, withTypedPhase } from "./limits.ts";
import { aroundOf } from "./next.ts";
import { lookAtNebula } from "./status.ts";
import { settingsIn } from "./user-settings.ts";

/** What a nebula came to, to be shown to others: as Markdown, or as a line of JSON. */
export async function nebulaReport(
  workspace: Workspace,
  state: NebulaState,
  { json }: { readonly json?: true | undefined },
): Promise<string> {
  const { repositoryId, root } = workspace;
  const settings = settingsIn(workspace);
  const { raising, obstacles } = await aroundOf(workspace, state, { settings });
  const limits = limitsOf(keptSpec(repositoryId, state), withTypedPhase(settings, state));
  const beside = { limits, obstacles, shortages: raising.shortages };
  const { redact, digest: redactionSet } = createRedactionSet(process.env, root);
  const facts = redactNebulaFacts(await readNebulaFacts(repositoryId, state, beside), redact);
  const { next } = await lookAtNebula(workspace, state);
  if (json === true) {
    const printed = { ...nebulaReportFacts(facts), redactionSet };
    return jsonLine(result("nebula_report", printed, EXIT.ok, next) satisfies NebulaReportLine);
  }
  const shown = [`quasar nebula status ${state.id} --all`, ...next];
  return nebulaMarkdown(facts, { next: shown, redactionSet });
}
