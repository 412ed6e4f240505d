import type { Checkpoint } from "@quasar/checkpoint";
import type { Commit } from "@quasar/git";
import { stateFromCheckpoint } from "../convert.ts";
import type { PlanItem } from "./describe-resume.ts";
import type { LoopEventData } from "../event.ts";
import { type BoundedAgents, boundsOf } from "../money/next-turns.ts";
import { adoptCommits } from "./resume.ts";
import type { Since } from "./since.ts";
import { listPaths } from "../commit/untouchable.ts";

export interface Adopted {
  readonly checkpoint: Checkpoint;
  readonly items: readonly PlanItem[];
  readonly committed: readonly LoopEventData[];
}

/**
 * The checkpoint with the run's own commits taken in; at HEAD if there are no others. A commit
 * without marks finishes no turn: its agent may not have been done.
 *
 * @param agents - They say what the turns count with that only commits know.
 */
export function adopt(
  checkpoint: Checkpoint,
  { marked, unmarked, whole }: Pick<Since, "marked" | "unmarked" | "whole">,
  head: string,
  agents: BoundedAgents,
): Adopted {
  if (marked.length + unmarked.length === 0) return { checkpoint, items: [], committed: [] };
  const stored = stateFromCheckpoint(checkpoint);
  const { createdAt } = checkpoint;
  const { state, committed } = adoptCommits(stored, marked, createdAt, boundsOf(stored, agents));
  const items = [
    ...marked.map((commit) => item(commit, `${nameOf(commit)} is kept`)),
    ...unmarked.map((commit) =>
      item(commit, `${nameOf(commit)} is kept: an agent of this run made it`),
    ),
  ];
  return {
    checkpoint: { ...checkpoint, ...state, gitSha: whole ? head : checkpoint.gitSha },
    items,
    committed,
  };
}

function item({ sha }: Commit, message: string): PlanItem {
  return { kind: "adopted", message, data: { sha } };
}

function nameOf({ sha, subject }: Commit): string {
  return `commit ${sha.slice(0, 12)} (${listPaths([subject])[0] ?? ""})`;
}
