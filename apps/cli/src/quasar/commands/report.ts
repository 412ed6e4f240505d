import { createRedactionSet } from "@quasar/agents/internal";
import { readRunFacts, redactFacts } from "@quasar/runs/facts";
import { openWorkspace } from "@quasar/runs/internal";
import { runMarkdown } from "@quasar/runs/report";
import { jsonLine, shellWord } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { reportFacts } from "../facts/report.ts";
import { stepsInWords } from "../next-steps.ts";
import { nebulaeOf, workspaceOfRun } from "../nebula/phase-run.ts";
import { nebulaToReport } from "../nebula/report-meant.ts";
import type { PageOptions } from "../report/show-page.ts";
import type { ReportLine } from "../schemas/report.ts";

export interface ReportOptions extends PageOptions {
  /** As without it. */
  readonly md?: true | undefined;
  readonly json?: true | undefined;
  /** The server of the fleet that works on the nebula. */
  readonly fleet?: string | undefined;
}

/** `quasar report`: what a run or a nebula came to, to be shown to others. */
export async function reportCommand(
  named: string | undefined,
  options: ReportOptions,
): Promise<ExitCode> {
  const isPage = options.html !== undefined || options.open === true;
  if (isPage && (options.md === true || options.json === true)) {
    const form = options.md === true ? "--md" : "--json";
    throw new CliError("ERR_USAGE", `a page, or ${form}: one of them at a time`, {
      next: [`quasar report ${form}`],
    });
  }
  const { fleet, json } = options;
  if (fleet !== undefined) {
    if (isPage) throw noPage(named, fleet);
    return (await import("../fleet/report.ts")).reportOverFleet(named, { fleet, json });
  }
  const workspace = await openWorkspace(process.cwd());
  const nebula = await nebulaToReport(workspace, named);
  if (nebula === undefined) {
    await reportRun(named, options, isPage);
    return EXIT.ok;
  }
  const { nebulaReport, showNebulaPage } = await import("../nebula/report.ts");
  if (isPage) await showNebulaPage(workspace, nebula, options);
  else process.stdout.write(await nebulaReport(workspace, nebula, options));
  return EXIT.ok;
}

function noPage(named: string | undefined, fleet: string): CliError {
  const message = "a page shows runs, which are on the machines of the fleet";
  const nebula = named === undefined ? "" : ` ${shellWord(named)}`;
  return new CliError("ERR_USAGE", message, {
    next: [`quasar report${nebula} --fleet ${shellWord(fleet)}`],
  });
}

async function reportRun(
  id: string | undefined,
  options: ReportOptions,
  isPage: boolean,
): Promise<void> {
  const workspace = await workspaceOfRun(id);
  const { redact, digest: redactionSet } = createRedactionSet(process.env, workspace.root);
  const facts = redactFacts(await readRunFacts(workspace, id), redact);
  if (isPage) {
    const { runPage } = await import("../report/run-page.ts");
    const { showPage } = await import("../report/show-page.ts");
    await showPage(await runPage(workspace, facts, redact), redactionSet, options);
    return;
  }
  // A nebula's run is resumed with its nebula.
  const { phase } = workspace;
  const ofNebula = phase && (await (await nebulaeOf(workspace))?.stepsOf(phase.nebula));
  const next = ofNebula ?? stepsInWords(facts.next);
  const { stdout } = process;
  if (options.json === true) {
    const printed = { ...reportFacts(facts), redactionSet };
    const line = result("report", printed, EXIT.ok, next) satisfies ReportLine;
    stdout.write(jsonLine(line));
  } else {
    stdout.write(runMarkdown(facts, { next: [`quasar show ${facts.id}`, ...next], redactionSet }));
  }
}
