import { setTimeout as sleep } from "node:timers/promises";
import { remoteFailed } from "../remote-access.ts";
import { type OpenedRepository, rootOf } from "../repository.ts";
import { checkRef } from "../revision.ts";
import { git } from "../run.ts";
import { depotAccess, type DepotOptions } from "./depot-access.ts";
import { checkAddress } from "./depot-address.ts";
import { depotRefs } from "./depot-refs.ts";

export interface WantedRef {
  /** Its full name at the depot. */
  readonly ref: string;
  /** Full name of the ref that it becomes here, whatever that was at. @default none: the objects are fetched alone */
  readonly into?: string | undefined;
}

export interface DepotFetch extends DepotOptions {
  readonly wants: readonly WantedRef[];
}

/** Refs that move while they are fetched are looked up again. */
const [TRIES, PAUSE_MS] = [3, 100];

/**
 * Fetches what refs of a depot name, all or none, with the past of each. A ref that is not there is left out, and the one
 * that it was to become stays. Nothing else is written: no tag, no `FETCH_HEAD`. What no ref here names, a `git gc`
 * removes in some weeks.
 *
 * @returns What was fetched, by the full names at the depot.
 * @throws {GitError} as `depotRefs` does; `ERR_GIT_FAILED` also where a work tree has the branch checked out that one
 *   is to become.
 * @see SPEC.md, "Depots"
 */
export async function fetchFromDepot(
  repository: string | OpenedRepository,
  { url, wants, signal }: DepotFetch,
): Promise<ReadonlyMap<string, string>> {
  const address = checkAddress(url);
  for (const { into } of wants) if (into !== undefined) checkRef(into);
  const patterns = wants.map(({ ref }) => checkRef(ref));
  for (let tries = 1; ; tries += 1) {
    const found = await depotRefs(repository, { url, patterns, signal });
    const specs = wants.flatMap(({ ref, into }) => {
      const id = found.get(ref);
      if (id === undefined) return [];
      return [into === undefined ? id : `+${id}:${into}`];
    });
    if (specs.length === 0) return found;
    const args = [...FETCH, "--", address, ...new Set(specs)];
    const result = await git("write", rootOf(repository), args, depotAccess(signal));
    if (result.exitCode === 0) return found;
    const isGone = /not our ref|unadvertised object/u.test(result.stderr);
    if (!isGone || tries === TRIES) throw remoteFailed(args, result);
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

const FETCH = [
  ...["fetch", "--quiet", "--atomic", "--refmap=", "--no-tags", "--no-prune"],
  ...["--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance"],
  ...["--no-write-commit-graph", "--no-show-forced-updates", "--upload-pack=git-upload-pack"],
];
