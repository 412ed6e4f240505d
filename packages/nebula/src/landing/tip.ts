import type { Repository } from "@quasar/git";
import { isAncestor, refSha } from "@quasar/git/history";
import { shellWord } from "@quasar/runs/text";
import { branchTip, type Engine, goneError } from "../context/context.ts";
import { NebulaError } from "../errors.ts";
import { landedPhases, type NebulaState, type PhaseState } from "../state/state.ts";
import { findLaneObstacle } from "./obstacle.ts";

/** The branch's tip, which has all that has landed. @throws {NebulaError} `ERR_REWOUND` */
export async function tipOf(engine: Engine): Promise<string> {
  const { repository, store, signal } = engine;
  // Before the tip is read: the lane may land something meanwhile.
  const last = landedPhases(store.current).at(-1);
  const tip = await branchTip(engine);
  if (last === undefined) return tip;
  if (await isAncestor(repository.root, last.candidate, tip, { signal })) return tip;
  throw await rewound(engine, last);
}

/** @param lost - A landing that the branch does not contain. */
export async function rewound(
  { repository, store, signal }: Pick<Engine, "repository" | "store" | "signal">,
  lost: PhaseState,
): Promise<NebulaError> {
  return rewoundError({ repository, state: store.current, signal }, lost);
}

interface Where {
  readonly repository: Repository;
  readonly state: NebulaState;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Why an engine would refuse the branch of a nebula: it is gone, or has not all that has landed. `undefined`: it would
 * not.
 */
export async function findRewound(where: Where): Promise<NebulaError | undefined> {
  const { repository, state, signal } = where;
  const last = landedPhases(state).at(-1);
  const tip = await refSha(repository.root, `refs/heads/${state.branch}`, { signal });
  if (tip === undefined) return goneError(state);
  if (last === undefined) return undefined;
  const isThere = await isAncestor(repository.root, last.candidate, tip, { signal });
  return isThere ? undefined : rewoundError(where, last);
}

async function rewoundError(
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
