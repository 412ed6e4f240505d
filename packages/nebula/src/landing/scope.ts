import { changedPaths } from "@quasar/git/history";
import type { Engine } from "../context/context.ts";
import { isInScope, scopesOf } from "../spec/scope.ts";
import type { PhaseSpec } from "../spec/types.ts";
import type { PhaseState } from "../state/state.ts";

/** Paths that a landing changes outside of what its phase says that it changes. A phase without a scope has none. */
export async function pathsOutside(
  { repository, signal }: Engine,
  { scope }: PhaseSpec,
  { onto, candidate }: Pick<PhaseState, "onto" | "candidate">,
): Promise<readonly string[]> {
  if (scope.length === 0) return [];
  const scopes = scopesOf(scope);
  const paths = await changedPaths(repository.root, onto, candidate, { signal });
  return paths.filter((path) => !scopes.some((each) => isInScope(each, path)));
}
