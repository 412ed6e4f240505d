import type { NebulaState } from "@quasar/nebula";
import { submitNebula } from "@quasar/nebula/fleet";
import { loadNebula } from "@quasar/nebula/spec";
import { openUser, repositoryOf } from "@quasar/runs/internal";
import { cleanLine, count, jsonLine, shellWord } from "@quasar/runs/text";
import { resolve as absolute } from "node:path";
import { existsSync } from "node:fs";
import { type FlagValues, resolve } from "../../shared/config/layers.ts";
import { SETTING_NAMES, SETTINGS } from "../../shared/config/settings.ts";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { listenForInterrupts } from "../../shared/interrupts.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import { loadConfig } from "../config/load.ts";
import type { NebulaApplyOptions } from "../nebula/apply-options.ts";
import { typedTotal, typedWorkers } from "../nebula/limits.ts";
import { workspaceOfNebula } from "../nebula/repository.ts";
import { baseOf } from "../nebula/base-of.ts";
import { validSpec } from "../nebula/valid-spec.ts";
import type { NebulaSubmitLine } from "../schemas/fleet.ts";
import { openFleet } from "./open.ts";
import { fleetSettings } from "./settings.ts";

/** What of `quasar nebula apply` is for an engine on this machine alone. */
const HERE_ALONE = ["resume", "fresh", "push", "mirror", "failFast", "acceptRedBase"] as const;

/** `quasar nebula apply --fleet`: gives a nebula to a fleet, and returns. */
export async function submitToFleet(named: string, options: NebulaApplyOptions): Promise<ExitCode> {
  const settings = fleetSettings({ url: options.fleet });
  const depot = depotOf([options.depot ?? settings.depots].flat()[0]);
  const alone = HERE_ALONE.find((name) => options[name] !== undefined);
  refuseSettings(options.flags);
  if (alone !== undefined) {
    const flag = `--${alone.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new CliError(
      "ERR_USAGE",
      `${flag} is for work on this machine alone, and not for a fleet`,
    );
  }
  if (options.auto !== true) {
    throw new CliError("ERR_USAGE", "without --auto nothing begins", {
      next: [`quasar nebula apply ${shellWord(named)} --auto --fleet ${settings.url ?? "URL"}`],
    });
  }
  const loaded = loadNebula(named);
  const spec = validSpec(loaded, named);
  const workspace = await workspaceOfNebula(loaded.dir, process.cwd());
  const { folders } = openUser();
  const where = { cwd: process.cwd(), root: workspace.root, folders, env: process.env };
  const user = resolve(
    loadConfig({ flags: options.flags, ...where, trust: options.trustConfig === true }),
  );
  const port = openFleet(settings);
  const interrupts = listenForInterrupts(() => {});
  try {
    const state = await submitNebula({
      ...{ port, loaded, depot, signal: interrupts.signal, branch: options.branch },
      repository: repositoryOf(workspace),
      base: await baseOf(workspace.root, options.base),
      typed: {
        typedMaxWorkers: typedWorkers(options),
        typedTotalUsd: typedTotal(options) ?? spec.execution.totalBudgetUsd,
        typedPhaseUsd: user.maxBudgetUsd,
      },
    });
    const maxWorkers = state.typedMaxWorkers ?? spec.execution.maxWorkers;
    report(state, { url: settings.url ?? "", depot, maxWorkers }, options.json);
    return EXIT.ok;
  } finally {
    port.close();
    interrupts.stop();
  }
}

/** What each machine has of its own. @throws {CliError} `ERR_USAGE` */
function refuseSettings(flags: FlagValues): void {
  const typed = SETTING_NAMES.find(
    (name) => flags[name] !== undefined && name !== "maxBudgetUsd" && SETTINGS[name].flag,
  );
  if (typed === undefined) return;
  const { flag = "", key } = SETTINGS[typed];
  throw new CliError(
    "ERR_USAGE",
    `${flag}: agents work by the settings of the machine that they run on`,
    { next: [`set ${key} in ~/.config/quasar/config.toml of each machine that works`] },
  );
}

/** A path is made absolute: workers know the depot by the same words. */
function depotOf(named: string | undefined): string {
  if (named === undefined) {
    throw new CliError("ERR_USAGE", "--depot is missing: where the machines exchange their work", {
      next: ["quasar depot init /srv/depot.git   # makes one"],
    });
  }
  return existsSync(named) ? absolute(named) : named;
}

interface Given {
  readonly url: string;
  readonly depot: string;
  /** `undefined`: as many as workers take. */
  readonly maxWorkers: number | undefined;
}

function report(
  { id, name, branch, phases }: NebulaState,
  { url, depot, maxWorkers }: Given,
  json: true | undefined,
): void {
  const next = [
    `quasar nebula status ${id} --fleet ${url}`,
    `quasar worker --fleet ${url} --depot ${shellWord(depot)}   # on each machine that is to work`,
    `quasar nebula fetch ${id} --fleet ${url}   # brings ${branch} here`,
  ];
  if (json === true) {
    const facts = { nebulaId: id, nebula: name, branch, url, depot, maxWorkers };
    const line = result("nebula_submit", facts, EXIT.ok, next) satisfies NebulaSubmitLine;
    process.stdout.write(jsonLine(line));
    return;
  }
  const view = viewOf(process.stdout);
  const words = `${cleanLine(name)} (${id}) with ${count(phases.length, "phase")}, for ${cleanLine(branch)}`;
  const atOnce = maxWorkers === undefined ? "as many phases as workers take" : `${maxWorkers}`;
  write(process.stdout, [
    ...labelled(view, "given", words),
    ...labelled(view, "workers", `${atOnce} at once, on all machines together`),
    ...nextLines(next, view),
  ]);
}
