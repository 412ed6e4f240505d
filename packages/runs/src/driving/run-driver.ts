import type { RunDriver } from "../tree/drive-run.ts";
import { repositoryOf } from "../workspace.ts";
import type { Session } from "./session.ts";

/** A session as the driver of its run. */
export function driverOf({ workspace, hold, signal, tell, syncRecord }: Session): RunDriver {
  return {
    repository: repositoryOf(workspace),
    signal,
    holdsLock: () => hold.isHeld(),
    beforeSave: syncRecord,
    notice: (message) => tell({ type: "notice", message }),
    warn: (message) => tell({ type: "warning", cycle: 0, message }),
    waiting: tell,
  };
}
