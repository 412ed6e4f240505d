import type { NebulaState } from "@quasar/nebula";
import { editedSince, nebulaCost, nebulaNow } from "@quasar/nebula/internal";
import type { Workspace } from "@quasar/runs";
import { labelled, nextLines, type View } from "../../shared/output/text.ts";
import { type NebulaFacts, nebulaFacts } from "../facts/nebula-apply.ts";
import { type EditedAdvice, editedAdvice, withEdited } from "./edited.ts";
import { aroundOf, type FoundBeside } from "./next.ts";
import { stepsOfNebula } from "./outcome.ts";
import { stateLines } from "./state-lines.ts";

/** How a nebula stands, and what to type. */
export interface NebulaLook {
  readonly facts: NebulaFacts;
  /** Whether its folder says something else than its copy by now. */
  readonly isFolderChanged: boolean;
  readonly advice: EditedAdvice | undefined;
  readonly next: readonly string[];
  /** What was found beside its state. */
  readonly beside: FoundBeside;
}

export async function lookAtNebula(workspace: Workspace, state: NebulaState): Promise<NebulaLook> {
  const { repositoryId } = workspace;
  const now = await nebulaNow(repositoryId, state);
  const cost = await nebulaCost(repositoryId, state);
  const around = await aroundOf(workspace, state, { cost });
  const edited = editedSince(repositoryId, state);
  const advice = editedAdvice(edited, state.dir);
  return {
    facts: nebulaFacts(state, cost, now, around),
    isFolderChanged: edited !== undefined,
    advice,
    next: withEdited(advice, stepsOfNebula(state, now, around)),
    beside: around,
  };
}

/** The same for a person. @param more - Stands before what to type. */
export function statusLines(
  { facts, advice, next }: NebulaLook,
  view: View,
  more: readonly string[] = [],
): readonly string[] {
  return [
    ...stateLines(facts, view),
    ...(advice === undefined ? [] : labelled(view, "edited", advice.words, "yellow")),
    ...more,
    ...nextLines(next, view),
  ];
}
