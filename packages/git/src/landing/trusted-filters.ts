import { allSettings, type Setting } from "../all-settings.ts";
import { DISARMED, FILTER } from "../config.ts";
import type { ConfigPair } from "../environment.ts";
import type { SignalOptions } from "../head.ts";

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
  const { settings } = await allSettings(workTree, options);
  return trusted(settings.filter(({ name }) => FILTER.test(name)));
}

const OWN_SCOPES: ReadonlySet<string> = new Set(["system", "global"]);

function trusted(settings: readonly Setting[]): readonly ConfigPair[] {
  const own = new Map(
    settings
      .filter(({ scope }) => OWN_SCOPES.has(scope))
      // One that stands alone is true.
      .map(({ name, value = "true" }) => [name, value]),
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
