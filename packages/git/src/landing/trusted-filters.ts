import { DISARMED, FILTER } from "../config.ts";
import type { ConfigPair } from "../environment.ts";
import type { SignalOptions } from "../head.ts";
import { git, gitFailed } from "../run.ts";

/**
 * Settings under which no filter runs that a repository defines: each has what the user's own settings, or the
 * machine's, say of it, else it does nothing. A repository that adds a `process` to a user's filter turns that one off.
 *
 * @throws {GitError} `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function trustedFilters(
  workTree: string,
  options: SignalOptions,
): Promise<readonly ConfigPair[]> {
  const args = ["config", "--null", "--show-scope", "--get-regexp", "^filter\\."];
  const result = await git("read", workTree, args, options);
  if (result.exitCode > 1) throw gitFailed(args, result);
  return trusted(parseSettings(result.stdout));
}

interface Setting {
  /** `local`, `worktree`: of the repository. */
  readonly scope: string;
  readonly name: string;
  readonly value: string;
}

/** Parses `scope NUL name LF value NUL`. */
function parseSettings(output: string): readonly Setting[] {
  const fields = output.split("\0").slice(0, -1);
  return fields.flatMap((scope, at): readonly Setting[] => {
    if (at % 2 === 1) return [];
    const [name = "", ...value] = (fields[at + 1] ?? "").split("\n");
    // One that stands alone is true.
    return [{ scope, name, value: value.length === 0 ? "true" : value.join("\n") }];
  });
}

const OWN_SCOPES: ReadonlySet<string> = new Set(["system", "global"]);

function trusted(settings: readonly Setting[]): readonly ConfigPair[] {
  const own = new Map(
    settings.filter(({ scope }) => OWN_SCOPES.has(scope)).map(({ name, value }) => [name, value]),
  );
  const known = new Set(settings.map(({ name }) => name));
  const driversOf = (names: Iterable<string>): ReadonlySet<string> =>
    new Set([...names].flatMap((name) => FILTER.exec(name)?.[1] ?? []));
  const ownDrivers = driversOf(own.keys());
  return [...driversOf(known)].flatMap((driver) =>
    DISARMED.flatMap(([key, nothing]): readonly ConfigPair[] => {
      const name = `filter.${driver}.${key}`;
      // Git takes no `smudge` beside a `process`, be it empty: what nobody sets of a user's filter stays that way.
      if (ownDrivers.has(driver) && !known.has(name)) return [];
      return [[name, own.get(name) ?? nothing]];
    }),
  );
}
