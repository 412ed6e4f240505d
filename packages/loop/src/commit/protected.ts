import type { Checkpoint } from "@quasar/checkpoint";
import { isOwnPath, type SeenWork } from "@quasar/git/internal";
import type { ProtectedChange } from "@quasar/git/protected-files";
import type { Ending } from "../ending.ts";
import type { LoopEventData } from "../event.ts";
import type { LoopRepository } from "../repository/repository.ts";
import type { Run } from "../run.ts";
import { beginOfTurns, type CycleState } from "../state.ts";
import { takenEvents } from "../turn/taken.ts";
import { isProtected, listPaths } from "./untouchable.ts";
import { neverCommitted } from "../repository/work-tree.ts";

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
  return changesOf(held, repository, seen);
}

function changesOf(
  held: Checkpoint["protectedPaths"],
  repository: LoopRepository,
  seen: SeenWork,
): readonly ProtectedChange[] {
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
  seen: SeenWork,
): Promise<readonly string[]> {
  const began = beginOfTurns(state);
  if (began === undefined) return [];
  const paths = await repository.changedByOutsideRules(began, seen);
  return paths.filter((path) => !isOwnPath(path) && !isProtected(path, state.untouchablePaths));
}

/** What is to be committed of protected paths. */
export interface ProtectedWork {
  /** Of the whole commit; `undefined`: nothing of them is in it. */
  readonly tree: string | undefined;
  /** What they hold when it is made. */
  readonly held: Checkpoint["protectedPaths"];
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
  if (merged.kind === "conflicts") return conflict(merged.paths);
  const now = changes.map((change) => change.now);
  await repository.storeContents(now);
  await tellLost(run, await repository.lostWork(seen.head, changes));
  const changed = new Map(now.map((content) => [content.path, content]));
  return {
    tree: merged.tree,
    held: protectedPaths.map((held) => changed.get(held.path) ?? held),
  };
}

/**
 * Tells of protected paths that are as in HEAD by now, or gone, with what was not committed of them: somebody has
 * put them back.
 */
export async function tellReplaced(run: Run): Promise<void> {
  const { repository } = run.ports;
  const { protectedPaths } = run.state;
  if (repository === undefined || protectedPaths.length === 0) return;
  const seen = await repository.look(run.seen);
  const dirty = new Set(seen.dirty.map(({ path }) => path));
  const clean = protectedPaths.filter(({ path, mode }) => mode !== "160000" && !dirty.has(path));
  const changes = changesOf(clean, repository, seen);
  if (changes.length === 0) return;
  await repository.storeContents(changes.map(({ now }) => now));
  // They are judged by what the run began at: what is committed since is there.
  await tellLost(run, await repository.lostWork(run.state.baseCommitSha, changes));
}

/** Tells once of each path. */
async function tellLost(run: Run, paths: readonly string[]): Promise<void> {
  const news = paths.filter((path) => !run.lost.has(path));
  if (news.length === 0) return;
  for (const path of news) run.lost.add(path);
  await run.warn(
    `not all is there any more of what you had not committed in: ${listPaths(news).join(", ")}; ` +
      "the run's first snapshot has it",
  );
}

/** Keeps what is protected in a snapshot of the run's, whatever becomes of it. */
export async function keepProtected(
  { runId, cycle, protectedPaths }: CycleState,
  repository: LoopRepository | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly LoopEventData[]> {
  if (repository === undefined || protectedPaths.length === 0) return [];
  const message = "what was not committed when the run began";
  const kept = await repository.snapshot({ runId, message, signal });
  return kept === undefined ? [] : takenEvents(cycle, kept);
}

function conflict(paths: readonly string[]): Ending {
  const list = listPaths(paths).join(", ");
  const message = `changed by the run, and holding uncommitted changes that are not the run's: ${list}; they cannot be separated`;
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
