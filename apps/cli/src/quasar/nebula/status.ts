import type { NebulaState } from "@quasar/nebula";
import { nebulaCost, nebulaNow } from "@quasar/nebula/internal";
import type { Workspace } from "@quasar/runs";
import { nextLines, type View } from "../../shared/output/text.ts";
import { type NebulaFacts, nebulaFacts } from "../facts/nebula-apply.ts";
import { githubRemote } from "./github-remote.ts";
import { stepsOfNebula } from "./outcome.ts";
import { stateLines } from "./state-lines.ts";

/** How a nebula stands, and what to type. */
export interface NebulaLook {
  readonly facts: NebulaFacts;
  readonly next: readonly string[];
}

export async function lookAtNebula(
  { root, repositoryId }: Pick<Workspace, "root" | "repositoryId">,
  state: NebulaState,
): Promise<NebulaLook> {
  const now = await nebulaNow(repositoryId, state);
  return {
    facts: nebulaFacts(state, await nebulaCost(repositoryId, state), now),
    next: stepsOfNebula(state, now, await githubRemote(root, state)),
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
