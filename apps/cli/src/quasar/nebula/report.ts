import { createRedactionSet, type RedactionSet } from "@quasar/agents/internal";
import type { NebulaState } from "@quasar/nebula";
import { type NebulaFacts, readNebulaFacts, redactNebulaFacts } from "@quasar/nebula/facts";
import { nebulaMarkdown } from "@quasar/nebula/report";
import type { Workspace } from "@quasar/runs";
import { jsonLine } from "@quasar/runs/text";
import { EXIT } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { nebulaReportFacts } from "../facts/nebula-report.ts";
import type { PageOptions } from "../report/show-page.ts";
import type { NebulaReportLine } from "../schemas/nebula-report.ts";
import { limitsIn } from "./limits.ts";
import { lookAtNebula } from "./status.ts";

/** A nebula's facts without secrets. */
interface ReadForReport {
  readonly facts: NebulaFacts;
  readonly redactionSet: RedactionSet;
  /** What a person types. */
  readonly next: readonly string[];
}

async function readForReport(workspace: Workspace, state: NebulaState): Promise<ReadForReport> {
  const { repositoryId, root } = workspace;
  const { beside: found, next } = await lookAtNebula(workspace, state);
  const { raising, obstacles } = found;
  const beside = { obstacles, shortages: raising.shortages };
  const redactionSet = createRedactionSet(process.env, root);
  const read = await readNebulaFacts(repositoryId, state, {
    beside,
    limitsOf: limitsIn(workspace),
  });
  return { facts: redactNebulaFacts(read, redactionSet.redact), redactionSet, next };
}

/** What a nebula came to, to be shown to others: as Markdown, or as a line of JSON. */
export async function nebulaReport(
  workspace: Workspace,
  state: NebulaState,
  { json }: { readonly json?: true | undefined },
): Promise<string> {
  const { facts, redactionSet, next } = await readForReport(workspace, state);
  const { digest } = redactionSet;
  if (json === true) {
    const printed = { ...nebulaReportFacts(facts), redactionSet: digest };
    return jsonLine(result("nebula_report", printed, EXIT.ok, next) satisfies NebulaReportLine);
  }
  const shown = [`quasar nebula status ${state.id} --all`, ...next];
  return nebulaMarkdown(facts, { next: shown, redactionSet: digest });
}

/** Writes the same as a page. @throws as `showPage` */
export async function showNebulaPage(
  workspace: Workspace,
  state: NebulaState,
  options: PageOptions,
): Promise<void> {
  const { facts, redactionSet } = await readForReport(workspace, state);
  const { redact, digest } = redactionSet;
  const { nebulaPage } = await import("../report/nebula-page.ts");
  const { showPage } = await import("../report/show-page.ts");
  await showPage(await nebulaPage(workspace, state, facts, redact), digest, options);
}
