import { messageOf } from "../emitter.ts";
import type { LoopRepository } from "../repository/repository.ts";
import type { CycleState } from "../state.ts";
import { truncate } from "../text.ts";

const LISTED = 20;
const PATH_LENGTH = 200;
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu;

/** Paths for a reader, who may be an agent: one line each, the first of many. */
export function listPaths(paths: readonly string[]): readonly string[] {
  const lines = paths
    .slice(0, LISTED)
    .map((path) => truncate(path.toWellFormed().replace(UNSAFE, " "), PATH_LENGTH));
  const more = paths.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

/** Whether a path is one of those that a run must not touch, or lies within one. */
export function isProtected(path: string, untouchable: readonly string[]): boolean {
  return untouchable.some((known) => {
    // A repository within is listed with a slash, and committed without.
    const bare = known.replace(/\/$/u, "");
    return path === known || path === bare || path.startsWith(`${bare}/`);
  });
}

/** How git lists a repository within that it does not track: as a link it would lose the files. */
export function isNested(path: string): boolean {
  return path.endsWith("/");
}

/** Which of the paths that a run must not touch are, or hold, one that was changed. */
function touched(untouchable: readonly string[], changed: readonly string[]): readonly string[] {
  return untouchable.filter((path) => changed.some((other) => isProtected(other, [path])));
}

/**
 * What to warn of after commits that the loop did not make: they hold what the user had not
 * committed. `undefined` when they do not.
 */
export async function foreignWork(
  { untouchablePaths }: Pick<CycleState, "untouchablePaths">,
  repository: LoopRepository | undefined,
  from: string,
  to: string,
): Promise<string | undefined> {
  if (repository === undefined || from === to || untouchablePaths.length === 0) return undefined;
  try {
    const paths = touched(untouchablePaths, await repository.changedPaths(from, to));
    if (paths.length === 0) return undefined;
    const list = listPaths(paths).join(", ");
    return `the agent has committed files that had changes before the run: ${list}. See git log ${range(from, to)}`;
  } catch (error) {
    return `what the agent committed by itself cannot be read: ${messageOf(error)}`;
  }
}

function range(from: string, to: string): string {
  const short = (sha: string): string => sha.slice(0, 12);
  return from === "" ? short(to) : `${short(from)}..${short(to)}`;
}
