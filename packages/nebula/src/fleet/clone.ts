import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openRepository, type Repository } from "@quasar/git";
import { fetchFromDepot, makeRepository, restoreFolder } from "@quasar/git/depot";
import { NebulaError } from "../errors.ts";
import { nebulaHome, specFolder } from "../state/home.ts";
import type { NebulaState } from "../state/state.ts";
import { depotNames } from "./depot-names.ts";

/** Bytes of all files of a nebula together. */
const MOST_SPEC_BYTES = 64 * 1024 * 1024;

export interface CloneOptions {
  /** Absolute path of its work tree, which stays empty. */
  readonly root: string;
  readonly depot: string;
  readonly state: Pick<NebulaState, "id" | "branch" | "revision">;
  readonly signal: AbortSignal;
}

/**
 * The repository in which this machine works on a nebula, made where it is missing, with the branch as the depot has it now
 * and the copy of the nebula's files.
 *
 * @throws {NebulaError} `ERR_NOT_FOUND` where the depot does not have them; {@link GitError} where it cannot be reached.
 */
export async function openClone(options: CloneOptions): Promise<Repository> {
  const { root, signal } = options;
  await makeRepository(root, { signal });
  const repository = await openRepository(root, { signal });
  await fetchBranch(repository, options);
  await fetchSpec(repository, options);
  return repository;
}

/** Has the branch here be where it is at the depot. @returns That commit. */
export async function fetchBranch(
  repository: Repository,
  { depot, state, signal }: Omit<CloneOptions, "root">,
): Promise<string> {
  const ref = `refs/heads/${state.branch}`;
  const found = await fetchFromDepot(repository, {
    ...{ url: depot, signal },
    wants: [{ ref, into: ref }],
  });
  const tip = found.get(ref);
  if (tip !== undefined) return tip;
  throw new NebulaError("ERR_NOT_FOUND", `the depot ${depot} has no branch ${state.branch}`);
}

async function fetchSpec(
  repository: Repository,
  { depot, state, signal }: CloneOptions,
): Promise<void> {
  const home = nebulaHome(repository.commonDir, state.id);
  if (existsSync(specFolder(home, state.revision))) return;
  const { spec: ref } = depotNames(state.id);
  const wants = [{ ref, into: ref }];
  const commit = (await fetchFromDepot(repository, { url: depot, wants, signal })).get(ref);
  if (commit === undefined) {
    throw new NebulaError(
      "ERR_NOT_FOUND",
      `the depot ${depot} has no files of the nebula ${state.id}`,
    );
  }
  const dir = join(home.dir, "spec");
  // Of an earlier revision: what the depot has holds that, too.
  rmSync(dir, { recursive: true, force: true });
  await restoreFolder(repository, { commit, dir, maxBytes: MOST_SPEC_BYTES, signal });
}
