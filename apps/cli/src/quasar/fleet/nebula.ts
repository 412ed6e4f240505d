import type { NebulaState } from "@quasar/nebula";
import { stateOf } from "@quasar/nebula/fleet";
import type { NebulaEntry, NebulaPort, NebulaStatus } from "@quasar/nebula/port";
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
 * Does something with the nebula of a fleet that is named: by its id or name; the unfinished one where none is, or several
 * have the name.
 *
 * @param step - What to type for one of several, by its id.
 * @param isForEnded - Whether it is for an ended one, too: the newest is taken where none is unfinished.
 * @throws {CliError} `ERR_NOT_FOUND`, `ERR_USAGE`
 */
export async function withFleetNebula<T>(
  {
    fleet,
    named,
    step,
    isForEnded = false,
  }: {
    readonly fleet: string | undefined;
    readonly named: string | undefined;
    readonly step: (id: string) => string;
    readonly isForEnded?: boolean;
  },
  body: (nebula: NebulaOfFleet) => Promise<T>,
): Promise<T> {
  const settings = fleetSettings({ url: fleet });
  const port = openFleet(settings, { patienceMs: PATIENCE_MS });
  try {
    const meant = await meantBy(port, named, isForEnded);
    const [found] = meant;
    if (meant.length > 1) {
      throw new CliError("ERR_USAGE", "several nebulae of the fleet may be meant", {
        next: meant.map(({ id, name }) => withRemark(step(id), fit(cleanLine(name), 40))),
      });
    }
    if (found === undefined) {
      const kind = isForEnded ? "nebula" : "unfinished nebula";
      const what = named === undefined ? kind : `nebula ${cleanLine(named)}`;
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

/** The nebulae that a person may mean. */
async function meantBy(
  port: NebulaPort,
  named: string | undefined,
  isForEnded: boolean,
): Promise<readonly NebulaEntry[]> {
  const entries = await port.list();
  const all = entries.filter(
    ({ id, name }) => named === undefined || id === named || name === named,
  );
  const open = all.filter(({ isUnfinished }) => isUnfinished);
  if (open.length === 1) return open;
  if (!isForEnded) return named === undefined ? open : all;
  return open.length > 0 ? open : newestOf(port, all);
}

/** The one that was begun last; none of none. */
async function newestOf(
  port: NebulaPort,
  entries: readonly NebulaEntry[],
): Promise<readonly NebulaEntry[]> {
  if (entries.length < 2) return entries;
  const dated = await Promise.all(
    entries.map(async (entry) => ({ entry, at: stateOf(await port.status(entry.id)).createdAt })),
  );
  return dated
    .toSorted((one, other) => other.at.localeCompare(one.at))
    .slice(0, 1)
    .map(({ entry }) => entry);
}
