import type { NebulaState } from "@quasar/nebula";
import { nebulaCost, nebulaNow } from "@quasar/nebula/internal";
import type { Workspace } from "@quasar/runs";
import { nextLines, type View } from "../../shared/output/text.ts";
import { type NebulaFacts, nebulaFacts } from "../facts/nebula-apply.ts";
import { aroundOf } from "./next.ts";
import { stepsOfNebula } from "./outcome.ts";
import { stateLines } from "./state-lines.ts";

/** How a nebula stands, and what to type. */
export interface NebulaLook {
  readonly facts: NebulaFacts;
  readonly next: readonly string[];
}

export async function lookAtNebula(workspace: Workspace, state: NebulaState): Promise<NebulaLook> {
  const { repositoryId } = workspace;
  const now = await nebulaNow(repositoryId, state);
  const cost = await nebulaCost(repositoryId, state);
  const around = await aroundOf(workspace, state, { cost });
  return {
    facts: nebulaFacts(state, cost, now, around.raising.shortages),
    next: stepsOfNebula(state, now, around),
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
