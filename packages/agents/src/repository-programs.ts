import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentFailure } from "./agent.ts";
import { failure } from "./failure.ts";

/** The first path of these names that there is, from the work tree up to the folder that git keeps. */
export function findUpward(workTree: string, names: readonly string[]): string | undefined {
  for (let dir = workTree; ; dir = dirname(dir)) {
    const found = names.map((name) => join(dir, name)).find((path) => existsSync(path));
    if (found !== undefined) return found;
    if (existsSync(join(dir, ".git"))) return undefined;
    if (dirname(dir) === dir) return undefined;
  }
}

/**
 * Why no turn is taken in a repository, a reviewer's neither: the agent would run what it holds, unasked.
 *
 * @param names - Paths in a repository by which the agent does so, whatever its settings say.
 */
export function failureOfRepository(
  title: string,
  workTree: string,
  names: readonly string[],
): AgentFailure | undefined {
  const found = findUpward(workTree, names);
  if (found === undefined) return undefined;
  const message = `${title} would run what ${found} names, whatever its settings say. Move it away, or set project_settings = true in your own configuration if you trust it.`;
  return failure("usage", message);
}
