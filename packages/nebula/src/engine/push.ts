import { setTimeout as sleep } from "node:timers/promises";
import { GitError, logRange } from "@quasar/git";
import { isAncestor } from "@quasar/git/history";
import { pushBranch, remoteHead } from "@quasar/git/remotes";
import { markOf } from "../commands/run-shell.ts";
import { branchTip, type Engine } from "../context/context.ts";
import { landedTip } from "../state/state.ts";
import { LOOK_MS } from "./engine.ts";
import { byHand, findPushWay, otherWay, problemOf, shownProblem } from "./push-way.ts";

const TIMEOUT_MS = 10 * 60_000;

/**
 * Pushes what a nebula that is done has landed, where a person has asked for it: never by force, and nothing else. What keeps
 * it from that is on record, and no failure of the nebula. To do it twice is to do it once. An engine
 * that is to stop does not begin it.
 */
export async function pushBranchOf(engine: Engine): Promise<void> {
  const { store, steering, tell, redact } = engine;
  if (!store.current.isPushAsked) return;
  const tip = landedTip(store.current);
  if (store.current.pushedTip === tip) return;
  await steering.look();
  if (steering.isStopping) return;
  const pushed = await whileLooking(engine, push(engine, tip));
  const { pushedTip, pushedTo } = store.current;
  if ("remote" in pushed) {
    const event = { type: "branch_pushed", remote: pushed.remote, tip } as const;
    store.push({ pushedTip: tip, pushedTo: pushed.remote, pushProblem: "" }, event);
    tell(event);
    return;
  }
  const reason = shownProblem(pushed.problem, redact);
  const event = { type: "push_refused", reason } as const;
  store.push({ pushedTip, pushedTo, pushProblem: reason }, event);
  tell(event);
}

/** Hears meanwhile what people ask of the engine: to stop at once cuts it off. */
async function whileLooking<T>({ steering }: Engine, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const look = async (): Promise<void> => {
    for (;;) {
      await sleep(LOOK_MS, undefined, { signal: done.signal }).catch(() => {});
      if (done.signal.aborted) return;
      await steering.look();
    }
  };
  // Both have ended before either is thrown: the nebula stays locked until then.
  const [worked, looked] = await Promise.allSettled([work.finally(() => done.abort()), look()]);
  if (worked.status === "rejected") throw worked.reason;
  if (looked.status === "rejected") throw looked.reason;
  return worked.value;
}

/** The remote is fit to be shown. */
type Pushed = { readonly remote: string } | { readonly problem: string };

async function push(engine: Engine, sha: string): Promise<Pushed> {
  const { repository, store, controls, withoutOwnHook: withoutOwn, signal: ended } = engine;
  const { id, branch } = store.current;
  // An agent may have set where pushes go, or a hook that runs with them.
  const obstacle = await controls.obstacle();
  if (obstacle !== undefined) return { problem: obstacle };
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = AbortSignal.any([ended, timeout]);
  try {
    const way = await findPushWay(repository, branch, { signal, withoutOwn });
    if ("problem" in way) return way;
    const problem = otherWay(store.current, way);
    if (problem !== undefined) return { problem };
    const foreign = await foreignCommits(engine, sha);
    if (foreign !== undefined)
      return { problem: `${foreign}. ${byHand(store.current, way.place)}` };
    const { remote } = way;
    const to = { remote, branch, sha, signal, env: { QUASAR_RUN_ID: markOf(id, "push") } };
    try {
      await pushBranch(repository.root, to);
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      // Git can fail after the remote has taken it.
      if (!(await isThere(engine, to).catch(() => false))) return problemOf(error);
    }
    return { remote: way.place.remote };
  } catch (error) {
    ended.throwIfAborted();
    if (timeout.aborted) return { problem: `it took longer than ${TIMEOUT_MS / 60_000} minutes` };
    if (error instanceof GitError) return problemOf(error);
    throw error;
  }
}

/** What is on the branch beside what has landed, in words: nothing has verified it. */
async function foreignCommits(engine: Engine, landed: string): Promise<string | undefined> {
  const { repository, store, signal } = engine;
  const tip = await branchTip(engine);
  if (tip === landed) return undefined;
  const { branch } = store.current;
  const { length } = await logRange(repository.root, { from: landed, to: tip, signal });
  if (length === 0) return `${branch} does not have all that has landed`;
  const commits = length === 1 ? "a commit" : `${length} commits`;
  return `${branch} has ${commits} that the nebula has not landed, and has not verified`;
}

async function isThere(
  { repository: { root } }: Engine,
  { remote, branch, sha, ...options }: Parameters<typeof pushBranch>[1],
): Promise<boolean> {
  const there = await remoteHead(root, remote, branch, options);
  return there !== undefined && (await isAncestor(root, sha, there, options)) === true;
}
