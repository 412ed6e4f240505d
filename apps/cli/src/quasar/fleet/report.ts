import { createRedactionSet } from "@quasar/agents/internal";
import { redactNebulaFacts } from "@quasar/nebula/facts";
import {
  continueHistory,
  type FleetHistory,
  fleetNebulaFacts,
  NO_HISTORY,
} from "@quasar/nebula/internal";
import { nebulaMarkdown } from "@quasar/nebula/report";
import { jsonLine, shellWord } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { nebulaReportFacts } from "../facts/nebula-report.ts";
import type { NebulaReportLine } from "../schemas/nebula-report.ts";
import { eventsThere } from "./events.ts";
import { type NebulaOfFleet, withFleetNebula } from "./nebula.ts";
import { fleetSteps } from "./nebula-lines.ts";

export interface FleetReportOptions {
  readonly fleet: string;
  readonly json?: true | undefined;
}

/** `quasar report --fleet`: what a nebula came to as its server has it, with the machines that have worked on each phase. */
export function reportOverFleet(
  named: string | undefined,
  { fleet, json }: FleetReportOptions,
): Promise<ExitCode> {
  const step = (id: string): string => `quasar report ${id} --fleet ${fleet}`;
  return withFleetNebula({ fleet, named, step }, async (nebula) => {
    const { state, status, url, id } = nebula;
    const { redact, digest: redactionSet } = createRedactionSet(process.env, undefined);
    const to = `${id} --fleet ${shellWord(url)}`;
    const read = fleetNebulaFacts({
      ...{ state, status, history: await historyOf(nebula), at: new Date() },
      continueStep: `quasar nebula continue ${to}`,
    });
    const facts = redactNebulaFacts(read, redact);
    const next = [`quasar nebula status ${to}`, ...fleetSteps(state, status, url)];
    if (json === true) {
      const printed = { ...nebulaReportFacts(facts), redactionSet };
      const line = result("nebula_report", printed, EXIT.ok, next) satisfies NebulaReportLine;
      process.stdout.write(jsonLine(line));
    } else {
      process.stdout.write(nebulaMarkdown(facts, { next, redactionSet }));
    }
    return EXIT.ok;
  });
}

async function historyOf({ port, id }: NebulaOfFleet): Promise<FleetHistory> {
  const change = await eventsThere(port, id, 0);
  return continueHistory(NO_HISTORY, change?.events ?? []);
}
