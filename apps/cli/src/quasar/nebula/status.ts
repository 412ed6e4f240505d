import type { NebulaState } from "@quasar/nebula";
import { nebulaCost, nebulaNow } from "@quasar/nebula/internal";
import type { Workspace } from "@quasar/runs";
import { nextLines, type View } from "../../shared/output/text.ts";
import { type NebulaFacts, nebulaFacts } from "../facts/nebula-apply.ts";
import { githubRemote } from "./github-remote.ts";
import { raisingOf } from "./limits.ts";
import { stepsOfNebula } from "./outcome.ts";
import { stateLines } from "./state-lines.ts";
import { settingsIn } from "./user-settings.ts";

/** How a nebula stands, and what to type. */
export interface NebulaLook {
  readonly facts: NebulaFacts;
  readonly next: readonly string[];
}

export async function lookAtNebula(workspace: Workspace, state: NebulaState): Promise<NebulaLook> {
  const { root, repositoryId } = workspace;
  const now = await nebulaNow(repositoryId, state);
  const cost = await nebulaCost(repositoryId, state);
  const raising = raisingOf(repositoryId, state, { cost, settings: settingsIn(workspace) });
  return {
    facts: nebulaFacts(state, cost, now, raising.shortages),
    next: stepsOfNebula(state, now, { raising, remote: await githubRemote(root, state) }),
  };
}

/** The same for a person. @param more - Stands before what to type. */
export function statusLines(
  { facts, next }: NebulaLook,
  view: View,
  more: readonly string[] = [],
): readonly string[] {
  return [...stateLines(facts, view), ...more, ...nextLines(next, view)];
}
