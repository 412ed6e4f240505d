import { join } from "node:path";
import type { Workspace } from "@quasar/runs";
import { openRunFacts } from "@quasar/runs/facts";
import { locateRun } from "@quasar/runs/internal";
import type { LocalSource } from "./source.ts";

/** Reads a run. One that is removed after it was read is no run that has yet to begin: `ERR_USAGE` says so. */
export function openRunSource(workspace: Workspace, runId: string): LocalSource {
  const reader = openRunFacts(workspace, runId);
  let isRead = false;
  return {
    async read() {
      const run = await reader.look();
      if (run === undefined && isRead) locateRun(workspace, runId);
      isRead ||= run !== undefined;
      return run && { kind: "run", run };
    },
    folders: () => [join(workspace.runsDir, runId)],
    workspaceOf: () => workspace,
  };
}
