import type { SignalOptions } from "@quasar/git";
import { remoteBranches } from "@quasar/git/internal";
import { pushTarget } from "@quasar/git/remotes";

type PushTarget = Awaited<ReturnType<typeof pushTarget>>;
type RemoteBranches = Awaited<ReturnType<typeof remoteBranches>>;

/** A push that a checkpoint has told of. */
export interface ToldPush {
  /** `refs/remotes/origin/main` */
  readonly ref: string;
  readonly commit: string;
}

export interface KnownPushes {
  /** The commits of the task: the pushes of others are nobody's business here. */
  readonly own: ReadonlySet<string>;
  /** What the last look returned, and pushes of the engine's own. */
  readonly told: readonly ToldPush[];
}

/** What a checkpoint is to be made of. */
export interface NoticedPush extends ToldPush {
  readonly trigger: "git_push";
  /** `Push: origin/main` */
  readonly description: string;
  readonly remote: string;
  /** The branch there. */
  readonly branch: string;
}

/** Why a push may have been made that cannot be seen. */
export type UnseenPush =
  | { readonly reason: "no-remote" | "untracked-remote" }
  /** A commit of the task's is there, and no reflog says whether by a push from here or a fetch. */
  | { readonly reason: "no-reflog"; readonly ref: string; readonly commit: string };

export interface NoticedPushes {
  /** In the order of their branches, oldest first; none is reported twice. */
  readonly pushes: readonly NoticedPush[];
  readonly unseen: readonly UnseenPush[];
  /** What `told` is for the next time, once these are durable. */
  readonly told: readonly ToldPush[];
}

/**
 * Looks for pushes of a task's commits, in two or three git processes.
 *
 * @param branch - The branch of the work tree, without `refs/heads/`; `undefined` if HEAD is detached.
 * @throws {GitError} as `remoteBranches` and `pushTarget` do; the signal's reason when aborted.
 */
export async function lookForPushes(
  worktree: string,
  branch: string | undefined,
  known: KnownPushes,
  { signal }: SignalOptions = {},
): Promise<NoticedPushes> {
  const [target, branches] = await Promise.all([
    pushTarget(worktree, branch, { signal }),
    remoteBranches(worktree, { signal }),
  ]);
  return noticePushes({ target, branches }, known);
}

const PUSHED = "update by push";

/** The pushes that the reflogs of the remote-tracking branches tell of, and what they cannot tell. */
export function noticePushes(
  facts: { readonly target: PushTarget; readonly branches: RemoteBranches },
  { own, told }: KnownPushes,
): NoticedPushes {
  const { target, branches } = facts;
  const isTold = toldAmong(told);
  const seen = branches.flatMap(({ ref, moves }) =>
    [...new Set(moves.flatMap(({ sha, message }) => (message === PUSHED ? sha : [])))]
      .filter((commit) => own.has(commit))
      .map((commit) => ({ ref, commit })),
  );
  const unclear = branches
    .filter(({ ref, sha, moves }) => {
      return own.has(sha) && moves.at(-1)?.sha !== sha && !isTold({ ref, commit: sha });
    })
    .map(({ ref, sha }) => ({ reason: "no-reflog" as const, ref, commit: sha }));
  const isHere = toldAmong([...seen, ...branches.map(({ ref, sha }) => ({ ref, commit: sha }))]);
  const fresh = seen.filter((push) => !isTold(push));
  return {
    pushes: fresh.map((push) => describe(push, target.remotes)),
    unseen: [...blindness(target), ...unclear],
    told: [...told.filter(isHere), ...fresh],
  };
}

function toldAmong(pushes: readonly ToldPush[]): (push: ToldPush) => boolean {
  const keys = new Set(pushes.map(({ ref, commit }) => `${commit} ${ref}`));
  return ({ ref, commit }) => keys.has(`${commit} ${ref}`);
}

function blindness({ remotes, isTracked }: PushTarget): readonly UnseenPush[] {
  if (isTracked) return [];
  return [{ reason: remotes.length === 0 ? "no-remote" : "untracked-remote" }];
}

/** A remote's name may have slashes, so may a branch's: the longest remote is meant. */
function describe(push: ToldPush, remotes: readonly string[]): NoticedPush {
  const name = push.ref.slice("refs/remotes/".length);
  const [remote = name.split("/", 1)[0] ?? ""] = remotes
    .filter((known) => name.startsWith(`${known}/`))
    .toSorted((a, b) => b.length - a.length);
  const branch = name.slice(remote.length + 1);
  return { trigger: "git_push", description: `Push: ${name}`, ...push, remote, branch };
}
