import { isOwnPath, type SeenWork } from "@quasar/git/internal";
import { assessResume, storedBranch } from "../resume/assess.ts";
import { wayBack } from "../resume/way-back.ts";
import { messageOf } from "../emitter.ts";
import { isHalfWritten } from "../commit/temporary.ts";
import type { Ending } from "../ending.ts";
import { failedBy } from "../full-disk.ts";
import type { LoopRepository } from "./repository.ts";
import type { Ports, Run } from "../run.ts";
import type { Settings } from "../settings.ts";
import { beginOfTurns } from "../state.ts";
import { isNested, isProtected } from "../commit/untouchable.ts";

// What a run knows of the tree that it works in. What may write (an agent, a check, a git hook)
// makes `run.seen` undefined; who needs to know looks again.

/** How a branch is stored; where HEAD is on none, as no branch is called. */
export function branchName({ branch }: Pick<SeenWork, "branch">): string {
  return branch ?? "HEAD";
}

/** Where HEAD is; both are `""` outside a repository. */
interface Head {
  readonly head: string;
  readonly branch: string;
}

const NO_HEAD: Head = { head: "", branch: "" };

/** @returns What no commit holds too: folders that git cannot look into, submodules with changed files. */
export async function headAtStart(
  { repository: known }: Settings,
  { repository }: Ports,
): Promise<Head & { readonly unheld: readonly string[] }> {
  if (repository === undefined) return { ...NO_HEAD, unheld: [] };
  const look = known?.seen ?? (await repository.look());
  const unheld = [...look.unread, ...look.submodules];
  return { head: look.head, branch: branchName(look), unheld };
}

/** @returns Whether nothing is uncommitted too, where that is known for certain. */
export async function headAtResume(
  { repository: known }: Settings,
  { repository }: Ports,
): Promise<Head & { readonly isClean: boolean }> {
  if (repository === undefined) return { ...NO_HEAD, isClean: false };
  const look = await known?.look?.();
  const { head, branch } = look ?? (await repository.currentHead());
  return { head, branch: branchName({ branch }), isClean: look?.dirty.length === 0 };
}

/** The tree as it is now. */
export async function seenOf(run: Run, repository: LoopRepository): Promise<SeenWork> {
  run.seen ??= await repository.look();
  return run.seen;
}

/**
 * Why the run may not continue with what was seen: by the rules of a resume, for whatever holds after a
 * crash holds after a turn. `undefined` where nothing stands against it.
 */
export async function misplaced(
  run: Run,
  repository: LoopRepository,
  seen: SeenWork,
): Promise<Ending | undefined> {
  const checkpoint = run.checkpoint();
  const facts = await repository.facts(run.head, seen, storedBranch(checkpoint));
  const { refusals } = assessResume(facts, { checkpoint });
  const remaining = refusals.filter(({ check }) => check !== "dirty");
  if (remaining.length === 0) return undefined;
  const words = remaining.map(({ message, advice }) =>
    advice === undefined ? message : `${message} (${advice})`,
  );
  return {
    outcome: "work-tree",
    message: words.join("; "),
    wayBack: wayBack(remaining, facts.isBranchGone === true),
  };
}

/** An ending where a commit was made, and HEAD is where it was before: a git hook has taken it back. */
export function takenBack(
  sha: string | undefined,
  before: SeenWork,
  after: SeenWork,
): Ending | undefined {
  if (sha === undefined || after.head !== before.head) return undefined;
  const short = sha.slice(0, 12);
  const message = `commit ${short} was made, and a git hook has undone it (git merge --ff-only ${short})`;
  const steps = [`git merge --ff-only ${short}`];
  return { outcome: "work-tree", message, wayBack: { steps, accepts: [], asItIs: undefined } };
}

/** Paths that are not committed and belong to the run: neither protected nor the product's own. */
export function uncommitted({ state }: Run, { dirty }: SeenWork): readonly string[] {
  const paths = dirty.filter((entry) => !isHalfWritten(entry)).map(({ path }) => path);
  return [...new Set(paths)].filter(
    (path) => !isOwnPath(path) && !isNested(path) && !isProtected(path, state.untouchablePaths),
  );
}

/**
 * Paths of the product's own, such as its settings, that are tracked and changed, or were changed since the run's
 * first turn began: a run does not commit them.
 */
export function changedOwn(
  { state }: Pick<Run, "state">,
  repository: LoopRepository,
  { dirty }: SeenWork,
): readonly string[] {
  const own = dirty.filter(({ path }) => isOwnPath(path));
  const began = beginOfTurns(state);
  const times = repository.changeTimes(own.map(({ path }) => path));
  const isSince = (path: string): boolean =>
    began !== undefined && Number((times.get(path) ?? 0n) / 1_000_000n) >= began.getTime();
  return own.filter(({ path, status }) => status !== "??" || isSince(path)).map(({ path }) => path);
}

/** Repositories within that are not committed, and not protected. */
export function nestedRepositories({ state }: Run, { dirty }: SeenWork): readonly string[] {
  const paths = dirty.map(({ path }) => path).filter(isNested);
  return paths.filter((path) => !isProtected(path.slice(0, -1), state.untouchablePaths.map(bare)));
}

/** Those of the paths, which no commit holds, that the run must not leave so. */
export function notHeld(
  { state }: Pick<Run, "state">,
  paths: readonly string[],
): readonly string[] {
  return paths.filter((path) => !isProtected(path, state.untouchablePaths));
}

const bare = (path: string): string => path.replace(/\/$/u, "");

/** What no commit of a run holds, whatever it is. */
export function neverCommitted(run: Run, seen: SeenWork): readonly string[] {
  return [
    ...run.state.untouchablePaths,
    ...temporaryFiles(seen),
    ...seen.caches.map(({ path }) => path),
    ...nestedRepositories(run, seen),
  ];
}

/** Files that a killed agent has left half written: they are nobody's work. */
export function temporaryFiles({ dirty }: SeenWork): readonly string[] {
  return dirty.filter(isHalfWritten).map(({ path }) => path);
}

/** The tree of HEAD as it was seen last. */
export async function treeOf(run: Run, repository: LoopRepository): Promise<string> {
  const { head } = run;
  if (head === "") return "";
  if (run.tree?.head !== head) {
    run.tree = { head, id: (await repository.landed(head, head)).tree };
  }
  return run.tree.id;
}

/** An end for what git could not do. */
export function gitEnding(what: string, error: unknown): Ending {
  return failedBy(error, { outcome: "git", message: `${what}: ${messageOf(error)}` });
}
