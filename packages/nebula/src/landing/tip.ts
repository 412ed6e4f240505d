import type { Repository } from "@quasar/git";
import { isAncestor, refSha } from "@quasar/git/history";
import { shellWord } from "@quasar/runs/text";
import { branchGone, type Engine } from "../context/context.ts";
import { NebulaError } from "../errors.ts";
import { landedPhases, type NebulaState, type PhaseState } from "../state/state.ts";
import { findLaneObstacle } from "./obstacle.ts";

/** A nebula's branch, and what has landed on it. */
interface Where {
  readonly repository: Repository;
  /** As it was before the branch is read: the lane may land something meanwhile. */
  readonly state: NebulaState;
  readonly signal?: AbortSignal | undefined;
}

/** The branch's tip, which has all that has landed. @throws {NebulaError} `ERR_REWOUND` */
export function tipOf({ repository, store, signal }: Engine): Promise<string> {
  return wholeTip({ repository, state: store.current, signal });
}

/** The same, whether an engine works on the nebula or not. @throws {NebulaError} `ERR_REWOUND` */
export async function wholeTip(where: Where): Promise<string> {
  const { repository, state, signal } = where;
  const last = landedPhases(state).at(-1);
  const tip = await refSha(repository, `refs/heads/${state.branch}`, { signal });
  if (tip === undefined) throw branchGone(state);
  if (last === undefined) return tip;
  if (await isAncestor(repository, last.candidate, tip, { signal })) return tip;
  throw await rewound(where, last);
}

/** @param lost - A landing that the branch does not contain. */
export async function rewound(
  { repository, state, signal }: Where,
  lost: PhaseState,
): Promise<NebulaError> {
  const { branch } = state;
  const message = `the branch ${branch} does not contain the landing of ${JSON.stringify(lost.id)} any more`;
  const { candidate } = landedPhases(state).at(-1) ?? lost;
  const note = "brings back all that has landed";
  const back = { shell: `git branch --force ${shellWord(branch)} ${candidate.slice(0, 12)}`, note };
  // Git moves no branch that a work tree is on.
  const obstacle = await findLaneObstacle({ repository, branch, signal });
  const next = obstacle === undefined ? [back] : [{ shell: obstacle.shell }, back];
  return new NebulaError("ERR_REWOUND", message, { next });
}
