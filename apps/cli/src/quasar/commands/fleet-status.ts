import { jsonLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { nextLines } from "../../shared/output/text.ts";
import { openFleet } from "../fleet/open.ts";
import { fleetSettings } from "../fleet/settings.ts";
import { fleetLines, lookAtFleet } from "../fleet/status.ts";
import type { FleetStatusLine } from "../schemas/fleet.ts";

export interface FleetStatusOptions {
  readonly fleet?: string | undefined;
  readonly json?: true | undefined;
}

/** For how long a server may be silent that a person asks. */
const PATIENCE_MS = 5000;

/** `quasar fleet status`: the nebulae of a fleet, and which machine works on what. */
export async function fleetStatusCommand({ fleet, json }: FleetStatusOptions): Promise<ExitCode> {
  const settings = fleetSettings({ url: fleet });
  const port = openFleet(settings, { patienceMs: PATIENCE_MS });
  try {
    const nebulae = await lookAtFleet(port);
    const url = settings.url ?? "";
    const next =
      nebulae.length === 0
        ? [`quasar nebula apply DIR --auto --fleet ${url} --depot DEPOT   # in your repository`]
        : [];
    if (json === true) {
      const line = result("fleet_status", { url, nebulae }, EXIT.ok, next);
      process.stdout.write(jsonLine(line satisfies FleetStatusLine));
      return EXIT.ok;
    }
    const view = viewOf(process.stdout);
    write(process.stdout, [
      view.paint("bold", `fleet ${url}`),
      ...fleetLines(nebulae, view),
      ...nextLines(next, view),
    ]);
    return EXIT.ok;
  } finally {
    port.close();
  }
}
