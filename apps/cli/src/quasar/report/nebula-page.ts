import { join } from "node:path";
import type { Redactor } from "@quasar/agents/environment";
import type { NebulaState } from "@quasar/nebula";
import type { NebulaFacts } from "@quasar/nebula/facts";
import { nebulaHome, runsFolder } from "@quasar/nebula/internal";
import type { NebulaReport } from "@quasar/page";
import type { Workspace } from "@quasar/runs";
import { diffsOf, transcriptsOf } from "./evidence.ts";

/** What the page of a nebula shows. @param nebula - Without secrets. */
export async function nebulaPage(
  { root, repositoryId }: Workspace,
  state: NebulaState,
  nebula: NebulaFacts,
  redact: Redactor,
): Promise<NebulaReport> {
  const home = nebulaHome(repositoryId, state.id);
  const refs = new Map(state.phases.map(({ id, ref }) => [id, ref]));
  const runs = nebula.phases.flatMap((phase) => {
    const runsDir = runsFolder(home, refs.get(phase.id) ?? "");
    return phase.runs.map((run) => ({
      run,
      folders: { workTree: root, dir: join(runsDir, run.id) },
    }));
  });
  const transcripts = await transcriptsOf(runs, redact);
  const landed = nebula.landings.map(({ sha, onto }) => ({ sha, from: onto }));
  return { kind: "nebula", nebula, transcripts, diffs: await diffsOf(root, landed, redact) };
}
