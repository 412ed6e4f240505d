import { lstat, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";
import { isGone } from "./errors.ts";

const CEILINGS = "GIT_CEILING_DIRECTORIES";

/**
 * The nearest `.git` at or above a folder, fit for a repository or not, as far up as git looks: to the
 * user's ceiling, and to the end of the file system.
 *
 * @returns Its path without links; `undefined` where there is none, or no such folder.
 * @throws What the file system says where it cannot be searched for.
 */
export async function nearestGitEntry(
  workTree: string,
  environment: Environment,
): Promise<string | undefined> {
  const start = await unlessGone(realpath(workTree));
  if (start === undefined) return undefined;
  const ceiling = await ceilingOf(start, environment);
  const isBounded = !isTrue(environment["GIT_DISCOVERY_ACROSS_FILESYSTEM"]);
  const { dev } = await lstat(start);
  for (let dir = start; ; dir = dirname(dir)) {
    const entry = join(dir, ".git");
    if ((await unlessGone(lstat(entry))) !== undefined) return entry;
    const above = dirname(dir);
    if (above === dir || above === ceiling) return undefined;
    if (isBounded && (await lstat(above)).dev !== dev) return undefined;
  }
}

/**
 * `GIT_CEILING_DIRECTORIES` that keep git from looking above the folder of a `.git`: should it fail to
 * read that one, it would take a repository around it for the one that is meant.
 */
export function ceilingAbove(entry: string, environment: Environment): Record<string, string> {
  const known = environment[CEILINGS];
  const own = dirname(dirname(entry));
  if (own.includes(":")) return {}; // the list has no way to write it
  return { [CEILINGS]: known === undefined ? own : `${own}:${known}` };
}

/** The deepest folder above a folder that the user does not let git look in. */
async function ceilingOf(start: string, environment: Environment): Promise<string | undefined> {
  const listed = (environment[CEILINGS] ?? "").split(":");
  // Git takes those behind an empty one as they are written.
  const empty = listed.indexOf("");
  const literal = empty < 0 ? [] : listed.slice(empty);
  const others = listed.slice(0, listed.length - literal.length);
  const real = await Promise.all(others.map((dir) => realpath(dir).catch(() => dir)));
  return [...real, ...literal]
    .filter((dir) => isAbsolute(dir) && start.startsWith(dir === "/" ? dir : `${dir}/`))
    .toSorted((a, b) => a.length - b.length)
    .at(-1);
}

function isTrue(value: string | undefined): boolean {
  return /^(?:true|yes|on|[1-9]\d*)$/i.test(value ?? "");
}

async function unlessGone<T>(looking: Promise<T>): Promise<T | undefined> {
  return looking.catch((error: unknown) => {
    if (isGone(error)) return undefined;
    throw error;
  });
}
