import { jsonLine } from "@quasar/runs/text";
import { findingLines, headLine, healthOf } from "../../shared/doctor/lines.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { examineFleet } from "../fleet/doctor.ts";
import { fleetSettings } from "../fleet/settings.ts";
import type { FleetDoctorLine } from "../schemas/fleet.ts";

export interface FleetDoctorOptions {
  readonly fleet?: string | undefined;
  readonly json?: true | undefined;
}

/** `quasar fleet doctor`: whether the fleet can be used from here. */
export async function fleetDoctorCommand({ fleet, json }: FleetDoctorOptions): Promise<ExitCode> {
  const findings = await examineFleet(fleetSettings({ url: fleet }));
  const health = healthOf(findings);
  const exit = health.left === 0 ? EXIT.ok : EXIT.error;
  if (json === true) {
    const line = result("fleet_doctor", { findings }, exit) satisfies FleetDoctorLine;
    process.stdout.write(jsonLine(line));
    return exit;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [headLine(health, view), ...findingLines(findings, view)]);
  return exit;
}
