import { resolve } from "node:path";
import { initDepot } from "@quasar/git/depot";
import { jsonLine, shellWord } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import { fleetSettings } from "../fleet/settings.ts";
import type { DepotInitLine } from "../schemas/fleet.ts";

export interface DepotInitOptions {
  readonly json?: true | undefined;
}

/** `quasar depot init`: makes the repository over which the machines of a fleet exchange their work. */
export async function depotInitCommand(
  path: string,
  { json }: DepotInitOptions,
): Promise<ExitCode> {
  const depot = resolve(path);
  const isNew = (await initDepot(depot)) === "made";
  const over = `--fleet ${fleetSettings().url ?? "URL"} --depot ${shellWord(depot)}`;
  const next = [
    `quasar worker ${over}   # on each machine that reaches it so; others by ssh://HOST${depot}`,
    `quasar nebula apply DIR --auto ${over}   # in your repository`,
  ];
  if (json === true) {
    const line = result("depot_init", { depot, isNew }, EXIT.ok, next) satisfies DepotInitLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    ...labelled(view, "depot", `${depot} ${isNew ? "is made" : "was there already"}`),
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}
