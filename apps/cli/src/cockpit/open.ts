import type { Watched } from "../quasar/runs/find-watched.ts";
import { openCockpit, type Left } from "./cockpit.tsx";
import { createDecider } from "./live/decide.ts";
import { openNebulaSource } from "./live/nebula-source.ts";
import { openRunSource } from "./live/run-source.ts";
import { abilitiesOf } from "./model/paint.ts";

/** Opens the cockpit on a run or a nebula. */
export function openOn({ kind, id, workspace }: Watched): Promise<Left> {
  const { root, repositoryId } = workspace;
  const isNebula = kind === "nebula";
  // An agent that a run has started may look, and decides nothing.
  const isPerson = process.env["QUASAR_RUN_ID"] === undefined;
  return openCockpit({
    source: isNebula ? openNebulaSource(workspace, id) : openRunSource(workspace, id),
    root,
    decider: isNebula && isPerson ? createDecider(repositoryId, id) : undefined,
    abilities: abilitiesOf(process.env),
  });
}
