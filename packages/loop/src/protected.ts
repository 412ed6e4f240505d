import type { CheckpointProtectedPath } from "@quasar/checkpoint";
import { isOwnPath, type ProtectedChange, type SeenWork } from "@quasar/git";
import type { Ending } from "./ending.ts";
import type { LoopRepository } from "./repository.ts";
import type { Run } from "./run.ts";
import type { CycleState } from "./state.ts";
import { isProtected, listPaths } from "./untouchable.ts";
import { neverCommitted } from "./work-tree.ts";

// What is not the run's is known by its content: while a path holds it, the path is left out of
// commits; once it holds something else, the difference is the run's.

/** The state with the contents of those protected paths that it does not know yet. */
export async function protect(
  state: CycleState,
  repository: LoopRepository | undefined,
): Promise<CycleState> {
  const known = new Set(state.protectedPaths.map(({ path }) => path));
  const paths = state.untouchablePaths.filter((path) => !known.has(path));
  if (repository === undefined || paths.length === 0) return state;
  const contents = repository.contents(paths, await repository.look());
  await repository.storeContents(contents);
  return { ...state, protectedPaths: [...state.protectedPaths, ...contents] };
}

/** Protected paths that hold something else by now, and not what is committed. */
export function changedProtected(
  { state }: Pick<Run, "state">,
  repository: LoopRepository,
  seen: SeenWork,
): readonly ProtectedChange[] {
  const dirty = new Set(seen.dirty.map(({ path }) => path));
  // A repository within is protected by its path: it has contents of its own.
  const held = state.protectedPaths.filter(
    ({ path, mode }) => mode !== "160000" && dirty.has(path),
  );
  if (held.length === 0) return [];
  const contents = repository.contents(
    held.map(({ path }) => path),
    seen,
  );
  return held.flatMap((base, at) => {
    const now = contents[at];
    const isSame = now === undefined || (now.mode === base.mode && now.id === base.id);
    return isSame ? [] : [{ base: base as ProtectedChange["base"], now }];
  });
}

/** Files that git was told not to look at, and that hold something else than when the run began. */
export async function hiddenWork(
  { state }: Pick<Run, "state">,
  repository: LoopRepository,
): Promise<readonly string[]> {
  const held = new Map(state.protectedPaths.map((each) => [each.path, each]));
  const isSame = ({ path, mode, id }: ProtectedChange["now"]): boolean =>
    held.get(path)?.mode === mode && held.get(path)?.id === id;
  return (await repository.hidden()).filter((now) => !isSame(now)).map(({ path }) => path);
}

/** What rules of git keep out of the run's commits that have changed since it began, and are in no commit. */
export async function outsideRules(
  { state }: Pick<Run, "state">,
  repository: LoopRepository,
): Promise<readonly string[]> {
  const began = beginOfTurns(state);
  if (began === undefined) return [];
  const paths = await repository.changedByOutsideRules(began);
  return paths.filter((path) => !isOwnPath(path) && !isProtected(path, state.untouchablePaths));
}

/** When the first turn began; `undefined` before. */
export function beginOfTurns({ ledger, turn }: CycleState): Date | undefined {
  const began = ledger[0]?.startedAt ?? turn?.startedAt ?? "";
  return began === "" ? undefined : new Date(began);
}

/** What is to be committed of protected paths. */
export interface ProtectedWork {
  /** Of the whole commit; `undefined`: nothing of them is in it. */
  readonly tree: string | undefined;
  /** What they hold when it is made. */
  readonly held: readonly CheckpointProtectedPath[];
}

/** An ending: a change cannot be told from what was there before. */
export async function protectedWork(
  run: Run,
  repository: LoopRepository,
  seen: SeenWork,
): Promise<ProtectedWork | Ending> {
  const { protectedPaths } = run.state;
  const changes = changedProtected(run, repository, seen);
  if (changes.length === 0) return { tree: undefined, held: protectedPaths };
  const merged = await repository.treeOfChanges(neverCommitted(run, seen), changes);
  if ("conflicts" in merged) return conflict(merged.conflicts);
  const now = changes.map((change) => change.now);
  await repository.storeContents(now);
  const changed = new Map(now.map((content) => [content.path, content]));
  return {
    tree: merged.tree,
    held: protectedPaths.map((held) => changed.get(held.path) ?? held),
  };
}

function conflict(paths: readonly string[]): Ending {
  const list = listPaths(paths).join(", ");
  const message = `changed by the run, and holding uncommitted changes that are not the run's: ${list}; the two cannot be told apart`;
  return { outcome: "work-tree", message };
}

/** An ending where somebody has changed protected paths whose changes nobody is to commit. */
export function touchedProtected(
  run: Run,
  repository: LoopRepository,
  seen: SeenWork,
  who: string,
): Ending | undefined {
  const paths = changedProtected(run, repository, seen).map(({ now }) => now.path);
  if (paths.length === 0) return undefined;
  const list = listPaths(paths).join(", ");
  return {
    outcome: "work-tree",
    message: `${who} changed files with your uncommitted work: ${list}`,
  };
}
