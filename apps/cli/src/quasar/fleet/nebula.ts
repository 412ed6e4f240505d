import type { NebulaState } from "@quasar/nebula";
import { stateOf } from "@quasar/nebula/fleet";
import type { NebulaPort, NebulaStatus } from "@quasar/nebula/port";
import { cleanLine, fit, shellWord } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { withRemark } from "../../shared/remark.ts";
import { openFleet } from "./open.ts";
import { fleetSettings } from "./settings.ts";

/** A nebula of a fleet, as its server has it. */
export interface NebulaOfFleet {
  readonly port: NebulaPort;
  readonly url: string;
  readonly id: string;
  readonly status: NebulaStatus;
  readonly state: NebulaState;
}

/** For how long a server may be silent that a person asks. */
const PATIENCE_MS = 5000;

/**
 * Does something with the nebula of a fleet that is named: by its id or name; the unfinished one where none is.
 *
 * @param step - What to type for one of several, by its id.
 * @throws {CliError} `ERR_NOT_FOUND`, `ERR_USAGE`
 */
export async function withFleetNebula<T>(
  {
    fleet,
    named,
    step,
  }: {
    readonly fleet: string | undefined;
    readonly named: string | undefined;
    readonly step: (id: string) => string;
  },
  body: (nebula: NebulaOfFleet) => Promise<T>,
): Promise<T> {
  const settings = fleetSettings({ url: fleet });
  const port = openFleet(settings, { patienceMs: PATIENCE_MS });
  try {
    const entries = await port.list();
    const meant = entries.filter(({ id, name, isUnfinished }) =>
      named === undefined ? isUnfinished : id === named || name === named,
    );
    const open = meant.filter(({ isUnfinished }) => isUnfinished);
    const found = meant.length === 1 ? meant[0] : open.length === 1 ? open[0] : undefined;
    if (found === undefined && meant.length > 1) {
      throw new CliError("ERR_USAGE", "several nebulae of the fleet may be meant", {
        next: meant.map(({ id, name }) => withRemark(step(id), fit(cleanLine(name), 40))),
      });
    }
    if (found === undefined) {
      const what = named === undefined ? "unfinished nebula" : `nebula ${cleanLine(named)}`;
      const url = shellWord(settings.url ?? "");
      throw new CliError("ERR_NOT_FOUND", `the fleet has no ${what}`, {
        next: [`quasar fleet status --fleet ${url}`],
      });
    }
    const status = await port.status(found.id);
    return await body({
      ...{ port, url: settings.url ?? "", id: found.id, status },
      state: stateOf(status),
    });
  } finally {
    port.close();
  }
}
