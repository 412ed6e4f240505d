import { join } from "node:path";
import type { Workspace } from "@quasar/runs";
import { openRunFacts } from "@quasar/runs/facts";
import type { Source } from "./source.ts";

export function openRunSource(workspace: Workspace, runId: string): Source {
  const reader = openRunFacts(workspace, runId);
  return {
    async read() {
      const run = await reader.look();
      return run && { kind: "run", run };
    },
    folders: () => [join(workspace.runsDir, runId)],
    workspaceOf: () => workspace,
  };
}
