import { setTimeout as sleep } from "node:timers/promises";
import { GitError } from "../errors.ts";
import { missingObject } from "../landing/missing-object.ts";
import { remoteFailed, withoutSecrets } from "../remote-access.ts";
import { type OpenedRepository, rootOf } from "../repository.ts";
import { checkRef, checkSha } from "../revision.ts";
import { git, gitOutput, type GitResult } from "../run.ts";
import { tail } from "../text.ts";
import { depotAccess, type DepotOptions } from "./depot-access.ts";
import { checkAddress } from "./depot-address.ts";
import { depotRefs } from "./depot-refs.ts";
import { isLostRace, isRejected } from "./push-report.ts";

export interface DepotUpdate {
  /** Its full name. */
  readonly ref: string;
  /** Full id of the commit that it is at; `""`: it is not there; `undefined`: whatever it is at. */
  readonly from: string | undefined;
  /** Full id of the commit that it comes to be at. */
  readonly to: string;
}

export interface DepotPush extends DepotOptions {
  readonly updates: readonly DepotUpdate[];
}

export type PushedToDepot =
  /** All refs are where they were to come to, also where they were there before. */
  | { readonly kind: "pushed" }
  /** Refs that are somewhere else than expected; nothing was changed. */
  | { readonly kind: "stale"; readonly refs: readonly string[] }
  /** By a git hook or a rule of the depot; nothing was changed. @see `message`: git's words, fit for a person */
  | { readonly kind: "refused"; readonly message: string }
  /** It is unknown whether it was changed: look at the refs, or push again. */
  | { readonly kind: "unreachable"; readonly message: string };

/** A ref that another push is just writing is tried again. */
const [TRIES, PAUSE_MS] = [6, 100];

/**
 * Moves refs of a depot, all or none, each only from where it is expected to be; forwards or not is the caller's to see to.
 * Nothing else is pushed, and no git hook of this side runs. To push again what was pushed changes nothing.
 *
 * @throws {GitError} `ERR_MISSING_OBJECT` where a commit is not here; `ERR_INVALID_ARGUMENT`, `ERR_BAD_REVISION`,
 *   `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when aborted: it may have been pushed.
 * @see SPEC.md, "Depots"
 */
export async function pushToDepot(
  repository: string | OpenedRepository,
  { url, updates, signal }: DepotPush,
): Promise<PushedToDepot> {
  const args = pushArgs(checkAddress(url), updates);
  if (updates.length === 0) return { kind: "pushed" };
  const patterns = updates.map(({ ref }) => ref);
  for (let tries = 1; ; tries += 1) {
    const result = await git("write", rootOf(repository), args, depotAccess(signal));
    if (result.exitCode === 0) return { kind: "pushed" };
    await requireCommits(repository, updates, signal);
    const failure = remoteFailed(args, result);
    const refs = await depotRefs(repository, { url, patterns, signal }).catch(unlessReached);
    if (refs instanceof GitError) return { kind: "unreachable", message: told(result) };
    if (updates.every(({ ref, to }) => refs.get(ref) === to)) return { kind: "pushed" };
    const stale = updates.filter((update) => isStale(update, refs.get(update.ref)));
    if (stale.length > 0) return { kind: "stale", refs: stale.map(({ ref }) => ref) };
    if (!isLostRace(result.stdout) || tries === TRIES) return failed(result, failure);
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

function pushArgs(address: string, updates: readonly DepotUpdate[]): readonly string[] {
  const names = new Set(updates.map(({ ref }) => checkRef(ref)));
  if (names.size < updates.length) {
    throw new GitError("ERR_INVALID_ARGUMENT", "a ref can be moved to one commit only");
  }
  const leases = updates.flatMap(({ ref, from }) =>
    from === undefined ? [] : [`--force-with-lease=${ref}:${from === "" ? "" : checkSha(from)}`],
  );
  const specs = updates.map(
    ({ ref, from, to }) => `${from === undefined ? "+" : ""}${checkSha(to)}:${ref}`,
  );
  return [...PUSH, ...leases, "--", address, ...specs];
}

const PUSH = [
  ...["push", "--atomic", "--porcelain", "--no-verify", "--no-follow-tags"],
  ...["--no-recurse-submodules", "--no-signed", "--no-force-if-includes"],
  // A repository can name another program here.
  "--receive-pack=git-receive-pack",
];

/** A ref that is already where it was to come to, git leaves alone, whatever was expected. */
function isStale({ from, to }: DepotUpdate, at: string | undefined): boolean {
  return from !== undefined && at !== to && (at ?? "") !== from;
}

/** What is not here git finds out in the middle of a push, and blames on the depot. */
async function requireCommits(
  repository: string | OpenedRepository,
  updates: readonly DepotUpdate[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const input = updates.map(({ to }) => `${to}^{commit}\n`).join("");
  const args = ["cat-file", "--batch-check"];
  const found = await gitOutput("read", rootOf(repository), args, { signal, input });
  const [, lost] = /^(\S+)\^\{commit\} missing$/mu.exec(found) ?? [];
  if (lost !== undefined) throw missingObject(`no commit ${lost} to push`);
}

function unlessReached(error: unknown): GitError {
  const code = error instanceof GitError ? error.code : undefined;
  if (code === "ERR_REMOTE_AUTH" || code === "ERR_REMOTE_UNREACHABLE") return error as GitError;
  throw error;
}

/** The depot answers, and is not changed. A user who may read there and not write is refused. */
function failed(result: GitResult, failure: GitError): PushedToDepot {
  if (isRejected(result.stdout) || failure.code === "ERR_REMOTE_AUTH") {
    return { kind: "refused", message: told(result) };
  }
  if (failure.code === "ERR_REMOTE_UNREACHABLE") {
    return { kind: "unreachable", message: told(result) };
  }
  throw failure;
}

function told({ stderr, stdout }: GitResult): string {
  return withoutSecrets(tail(`${stderr}\n${stdout}`));
}
