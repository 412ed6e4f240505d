import { GitError } from "../errors.ts";
import { remoteFailed } from "../remote-access.ts";
import { type OpenedRepository, rootOf } from "../repository.ts";
import { checkRef, isSha } from "../revision.ts";
import { git } from "../run.ts";
import { depotAccess, type DepotOptions } from "./depot-access.ts";
import { checkAddress } from "./depot-address.ts";

export interface DepotRefsOptions extends DepotOptions {
  /** Full names of refs, or folders of refs with all that is below them: `refs/quasar/*`. */
  readonly patterns: readonly string[];
}

/**
 * What the refs of a depot name, by their full names; those that are not there are left out. Asks the depot once, and not
 * at all without a pattern. No git hook runs.
 *
 * @throws {GitError} `ERR_REMOTE_AUTH`, `ERR_REMOTE_UNREACHABLE`; `ERR_INVALID_ARGUMENT` for the address, `ERR_BAD_REVISION`
 *   for a pattern; `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 * @see SPEC.md, "Depots"
 */
export async function depotRefs(
  repository: string | OpenedRepository,
  { url, patterns, signal }: DepotRefsOptions,
): Promise<ReadonlyMap<string, string>> {
  const address = checkAddress(url);
  for (const pattern of patterns) checkRef(pattern.replace(/\/\*$/u, ""));
  if (patterns.length === 0) return new Map();
  const shape = ["--quiet", "--refs", "--upload-pack=git-upload-pack"];
  const args = ["ls-remote", ...shape, "--", address, ...patterns];
  const result = await git("write", rootOf(repository), args, depotAccess(signal));
  if (result.exitCode !== 0) throw remoteFailed(args, result);
  // To git a pattern may begin anywhere: `refs/x/refs/heads/main` fits `refs/heads/main` too.
  return new Map(refsIn(result.stdout).filter(([ref]) => patterns.some((each) => fits(ref, each))));
}

function refsIn(output: string): readonly (readonly [ref: string, id: string])[] {
  const lines = output.split("\n").slice(0, -1);
  return lines.map((line) => {
    const [id = "", ref = ""] = line.split("\t", 2);
    if (isSha(id)) return [ref, id];
    throw new GitError("ERR_GIT_FAILED", "git ls-remote answered with something else than refs");
  });
}

function fits(ref: string, pattern: string): boolean {
  return pattern.endsWith("/*") ? ref.startsWith(pattern.slice(0, -1)) : ref === pattern;
}
