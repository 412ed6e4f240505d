import type { Left } from "../../cockpit/cockpit.tsx";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { findWatched, type Watched } from "../runs/find-watched.ts";
import { canHaveScreen } from "../screen/wanted.ts";

export interface WatchOptions {
  /** Lines as they happen instead of a screen. */
  readonly plain?: true | undefined;
  readonly json?: true | undefined;
  /** The server of the fleet that works on the nebula. */
  readonly fleet?: string | undefined;
}

const ENDS = { SIGINT: EXIT.sigint, SIGTERM: EXIT.sigterm, SIGHUP: EXIT.sighup } as const;

/** `quasar watch`: the cockpit of a run or a nebula; without a terminal its log, as it happens. */
export async function watchCommand(
  named: string | undefined,
  { plain, json, fleet }: WatchOptions,
): Promise<ExitCode> {
  const isLog = plain === true || json === true || !canHaveScreen();
  if (fleet !== undefined) {
    if (isLog)
      return (await import("../fleet/look.ts")).logOverFleet(named, { fleet, json, follow: true });
    return exitOf(await (await import("../fleet/watch.ts")).watchOverFleet(named, fleet));
  }
  if (isLog) return followLog(await findWatched(named), json);
  // It takes longer to load than git to answer.
  const cockpit = import("../../cockpit/open.ts");
  cockpit.catch(() => undefined);
  const watched = await findWatched(named);
  const { openOn } = await cockpit;
  return exitOf(await openOn(watched));
}

function exitOf({ signal }: Left): ExitCode {
  return signal === undefined ? EXIT.ok : ENDS[signal];
}

async function followLog({ kind, id }: Watched, json: true | undefined): Promise<ExitCode> {
  if (kind === "run") {
    const { logCommand } = await import("./log.ts");
    return logCommand(id, { follow: true, json });
  }
  const { nebulaLogCommand } = await import("./nebula-log.ts");
  return nebulaLogCommand(id, { follow: true, json });
}
