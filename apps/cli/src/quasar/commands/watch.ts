import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { findWatched, type Watched } from "../runs/find-watched.ts";
import { canHaveScreen } from "../screen/wanted.ts";

export interface WatchOptions {
  /** Lines as they happen instead of a screen. */
  readonly plain?: true | undefined;
  readonly json?: true | undefined;
}

const ENDS = { SIGINT: EXIT.sigint, SIGTERM: EXIT.sigterm, SIGHUP: EXIT.sighup } as const;

/** `quasar watch`: the cockpit of a run or a nebula; without a terminal its log, as it happens. */
export async function watchCommand(
  named: string | undefined,
  { plain, json }: WatchOptions,
): Promise<ExitCode> {
  if (plain === true || json === true || !canHaveScreen()) {
    return followLog(await findWatched(named), json);
  }
  // It takes longer to load than git to answer.
  const cockpit = import("../../cockpit/open.ts");
  cockpit.catch(() => undefined);
  const watched = await findWatched(named);
  const { openOn } = await cockpit;
  const { signal } = await openOn(watched);
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
