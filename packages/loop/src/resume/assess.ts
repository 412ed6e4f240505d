import type { Checkpoint } from "@quasar/checkpoint";
import type { Commit, RepositoryFacts } from "@quasar/git";
import { isOwnPath } from "@quasar/git/internal";
import { stateFromCheckpoint } from "../convert.ts";
import { INTERRUPTED } from "../ending.ts";
import { adoptCommits } from "./resume.ts";
import { commitsOfRun } from "./since.ts";
import type { CycleState } from "../state.ts";
import { isHalfWritten } from "../commit/temporary.ts";
import { shellWord } from "../text.ts";
import { isNested, isProtected, listPaths } from "../commit/untouchable.ts";

/** What has become of HEAD since the checkpoint. */
export type HeadVerdict =
  | Exclude<RepositoryFacts["relation"], "ahead">
  /** Only this run's own commits came since. */
  | "ahead-own"
  /** Others came as well, or a merge. */
  | "ahead-foreign"
  /** There is no repository any more, and there was one. */
  | "no-repository";

export type Verdict = HeadVerdict | "other-branch";

/** What a person can say to continue all the same. */
export type Override = "accept-head" | "accept-dirty" | "accept-branch" | "accept-settings";

export type Check = "bare" | "operation" | "branch" | "head" | "dirty";

/** A reason not to continue. */
export interface Refusal {
  readonly check: Check;
  /** One sentence for a person, safe to print. */
  readonly message: string;
  /** What to do about it otherwise: a command or a few words; `undefined` where there is no such. */
  readonly advice: string | undefined;
  /** Another command that does it. @default none */
  readonly alternative?: string | undefined;
  /** `undefined`: nothing that is said can help, it has to be put right. */
  readonly override: Override | undefined;
}

/** What lies uncommitted in the tree, beyond what the run leaves alone. */
export interface DirtyTree {
  readonly paths: readonly string[];
  /**
   * The coder's whose turn is not finished or not committed; that of the checks or the git hooks that
   * were killed; that of a reviewer whose turn is not finished; else the user's.
   */
  readonly whose: "nobody" | "agent" | "checks" | "reviewer" | "user";
}

export interface ResumeAssessment {
  /** `other-branch` goes before what HEAD is. */
  readonly verdict: Verdict;
  readonly headVerdict: HeadVerdict;
  /** `""` without a commit. */
  readonly head: string;
  readonly branch: string | undefined;
  /** Own commits that the checkpoint does not know of, oldest first; they are kept. */
  readonly adopted: readonly Commit[];
  /** Commits that the run's agents made themselves; they are kept, and finish no turn. */
  readonly byAgents: readonly Commit[];
  readonly foreign: readonly Commit[];
  readonly dirty: DirtyTree;
  readonly operation: RepositoryFacts["operation"];
  readonly isShallow: boolean;
  readonly isDetached: boolean;
  readonly isUnborn: boolean;
  /** In the order in which they are to be reported; empty where nothing stands against continuing. */
  readonly refusals: readonly Refusal[];
}

/** A run as it was left. */
export interface LeftRun {
  readonly checkpoint: Checkpoint;
  /** The branch it worked on: `""` is none, `undefined` one that nobody noted. @default the checkpoint's */
  readonly branch?: string | undefined;
  /**
   * Its agent works on: what changes in the tree is its doing. @default false
   */
  readonly agentIsAlive?: boolean | undefined;
  /**
   * Paths that have changed after the agent of its turn had ended, with nobody of the run at work. Where a
   * reviewer's turn is what was cut off they are the user's. @default none
   */
  readonly changedSince?: readonly string[] | undefined;
}

/**
 * Says whether a run can continue in a work tree, and what of it is the run's own. Pure: it decides over
 * facts.
 *
 * @param facts - Since the checkpoint's `gitSha`; `undefined` outside a repository.
 * @see SPEC.md, "Assessment"
 */
export function assessResume(facts: RepositoryFacts | undefined, run: LeftRun): ResumeAssessment {
  const { checkpoint, agentIsAlive = false, changedSince = [] } = run;
  const stored = "branch" in run ? run.branch : storedBranch(checkpoint);
  const { commits, actions } = facts ?? NO_COMMITS;
  const since = commitsOfRun(checkpoint, commits, actions);
  const headVerdict = headVerdictOf(facts, checkpoint, since.whole);
  const isOnBranch = facts !== undefined && !facts.isBare && !isHeadLost(facts);
  const isLeft = stored !== undefined && isOnBranch && (facts.branch ?? "") !== stored;
  const { marked, unmarked, foreign } = since;
  const stateNow = adoptCommits(stateFromCheckpoint(checkpoint), marked, checkpoint.createdAt);
  const changed = userVisible(facts, checkpoint);
  const at = headVerdict === "ahead-own" ? (facts?.head ?? "") : checkpoint.gitSha;
  const worker = agentIsAlive ? "agent" : workerOf(stateNow.state, at);
  // Who has taken HEAD elsewhere may have changed files too.
  const isElsewhere = isLeft || (headVerdict !== "same" && headVerdict !== "ahead-own");
  const whose = worker !== "agent" && isElsewhere ? "user" : worker;
  const dirty = dirtyTree(changed, whose, new Set(changedSince));
  const refusals: (Refusal | undefined)[] = [
    headVerdict === "bare" ? BARE : undefined,
    facts?.operation === undefined || agentIsAlive ? undefined : busy(facts.operation),
    isLeft ? otherBranch(stored, facts) : undefined,
    headRefusal(headVerdict, checkpoint, facts, foreign),
    dirty.whose === "user" ? userChanges(dirty.paths) : undefined,
  ];
  return {
    verdict: isLeft ? "other-branch" : headVerdict,
    headVerdict,
    head: facts?.head ?? "",
    branch: facts?.branch,
    adopted: marked,
    byAgents: unmarked,
    foreign,
    dirty,
    operation: facts?.operation,
    isShallow: facts?.isShallow ?? false,
    isDetached: facts?.isDetached ?? false,
    isUnborn: facts?.isUnborn ?? false,
    refusals: refusals.filter((refusal) => refusal !== undefined),
  };
}

function dirtyTree(
  paths: readonly string[],
  whose: DirtyTree["whose"],
  later: ReadonlySet<string>,
): DirtyTree {
  if (paths.length === 0) return { paths, whose: "nobody" };
  const users = whose === "reviewer" ? paths.filter((path) => later.has(path)) : [];
  return users.length > 0 ? { paths: users, whose: "user" } : { paths, whose };
}

/** The branch that a run works on: `""` is none, `undefined` one that nobody noted. */
export function storedBranch({ branch }: Pick<Checkpoint, "branch">): string | undefined {
  if (branch === "") return undefined;
  return branch === "HEAD" ? "" : branch;
}

/** The refusals that are left once a person has said what they accept. */
export function remainingRefusals(
  { refusals }: Pick<ResumeAssessment, "refusals">,
  accepted: ReadonlySet<Override>,
): readonly Refusal[] {
  return refusals.filter(({ override }) => override === undefined || !accepted.has(override));
}

const NO_COMMITS: Pick<RepositoryFacts, "commits" | "actions"> = {
  commits: [],
  actions: new Map(),
};

function headVerdictOf(
  facts: RepositoryFacts | undefined,
  { gitSha }: Checkpoint,
  whole: boolean,
): HeadVerdict {
  if (facts === undefined) return gitSha === "" ? "same" : "no-repository";
  if (facts.relation !== "ahead") return facts.relation;
  return whole ? "ahead-own" : "ahead-foreign";
}

/**
 * Paths that differ from HEAD and are neither the product's own, nor half written, nor known to be the
 * user's, nor a repository within that the coder has yet to be told of.
 */
function userVisible(
  facts: RepositoryFacts | undefined,
  checkpoint: Checkpoint,
): readonly string[] {
  const isBack = isSentBack(checkpoint);
  const isKnown = (path: string): boolean =>
    isOwnPath(path) || isProtected(path, checkpoint.untouchablePaths) || (isBack && isNested(path));
  const whole = (facts?.dirty ?? []).filter((entry) => !isHalfWritten(entry));
  return whole.map(({ path }) => path).filter((path) => !isKnown(path));
}

/**
 * Whether the last thing a run did is a coder's turn whose work is not committed yet.
 *
 * @param head - The last commit that is known to be the run's, or was there before it.
 */
export function isCoderAtWork(
  { phase, turn, cycle, cycleCommits }: CycleState,
  head: string,
): boolean {
  if (turn !== undefined) {
    return turn.role === "coder" && (phase === "coding" || phase === "linting");
  }
  const isCoded = phase === "code_complete" || phase === "linting" || phase === "filtering";
  return phase === "coding" || (isCoded && cycleCommits[cycle - 1] !== head);
}

/** Whether a check, or what a commit cannot hold, has ended a cycle that the coder has not seen yet. */
function isSentBack({
  phase,
  filterCheckName,
}: Pick<CycleState, "phase" | "filterCheckName">): boolean {
  return filterCheckName !== "" && (phase === "review_complete" || phase === "resolving_issues");
}

/** Whose step it is that was under way, or whose work is to be committed next; else nobody's but the user's. */
function workerOf(state: CycleState, head: string): DirtyTree["whose"] {
  if (isCoderAtWork(state, head)) return "agent";
  const { phase, turn, failure } = state;
  if (
    phase === "reviewing" &&
    turn?.role === "reviewer" &&
    turn.status === "started" &&
    failure === ""
  ) {
    return "reviewer";
  }
  // A runner that ended the run itself has looked at what the checks had left.
  const isCut = failure === "" || failure === INTERRUPTED.message;
  const isChecking =
    phase === "code_complete" ||
    phase === "linting" ||
    phase === "filtering" ||
    // What the checks changed may have been refused.
    isSentBack(state);
  return isChecking && isCut && turn?.role === "coder" ? "checks" : "user";
}

const BARE: Refusal = {
  check: "bare",
  message: "the repository has no work tree to resume in",
  advice: "make one with git worktree add",
  override: undefined,
};

function busy(operation: NonNullable<RepositoryFacts["operation"]>): Refusal {
  return {
    check: "operation",
    message: `git is in the middle of a ${operation} in this work tree`,
    ...(operation === "bisect"
      ? { advice: "git bisect reset" }
      : { advice: `git ${operation} --abort`, alternative: `git ${operation} --continue` }),
    override: undefined,
  };
}

function otherBranch(stored: string, facts: RepositoryFacts): Refusal {
  const { branch: current = "", isBranchGone = false } = facts;
  const shown = (name: string): string => (name === "" ? "no branch" : `branch ${plain(name)}`);
  return {
    check: "branch",
    message: `the run works on ${shown(stored)}, but HEAD is on ${shown(current)}`,
    advice:
      stored === ""
        ? undefined
        : `git switch ${isBranchGone ? "-c " : ""}${shellWord(plain(stored))}`,
    override: "accept-branch",
  };
}

function userChanges(paths: readonly string[]): Refusal {
  return {
    check: "dirty",
    message: `not committed, and not by this run: ${listPaths(paths).join(", ")}`,
    advice: "git add -A && git commit, or git stash -u",
    override: "accept-dirty",
  };
}

/** Whether what HEAD names cannot be read: its branch is not known then either. */
function isHeadLost(facts: RepositoryFacts | undefined): boolean {
  return facts?.relation === "commit-lost" && facts.head === "";
}

const HEAD_LOST: Refusal = {
  check: "head",
  message: "this repository has lost the commit of HEAD",
  advice: "git fsck",
  override: undefined,
};

type HeadWords = (where: { readonly is: string; readonly was: string }) => {
  readonly message: string;
  readonly advice?: string;
};

/** Why HEAD is refused; `undefined` where it is not, or where the bare repository says it all. */
const HEAD_WORDS: Readonly<Record<HeadVerdict, HeadWords | undefined>> = {
  same: undefined,
  bare: undefined,
  "ahead-own": undefined,
  "ahead-foreign": ({ is, was }) => ({
    message: `HEAD is ${is}, with commits since ${was} that this run did not make`,
  }),
  behind: ({ is, was }) => ({
    message: `HEAD is ${is}, from before the run's last commit ${was}`,
    advice: `git merge --ff-only ${was}`,
  }),
  diverged: ({ is, was }) => ({
    message: `HEAD is ${is}, on a history that left the run's last commit ${was}`,
  }),
  "unknown-commit": ({ is, was }) => ({
    message: `HEAD is ${is}, and this repository does not have the run's last commit ${was}`,
    advice: "git fetch, if another repository has it",
  }),
  "commit-lost": ({ was }) => ({
    message: `this repository has lost the run's last commit ${was}`,
    advice: "git fsck",
  }),
  undecidable: ({ is, was }) => ({
    message: `the history is cut off (shallow) between HEAD ${is} and the run's last commit ${was}`,
    advice: "git fetch --unshallow",
  }),
  unborn: ({ was }) => ({
    message: `HEAD is on a branch without a commit, but the run's last commit is ${was}`,
    advice: `git reset --soft ${was}`,
  }),
  "no-repository": ({ was }) => ({
    message: `there is no repository here, but the run's last commit is ${was}`,
  }),
};

function headRefusal(
  verdict: HeadVerdict,
  { gitSha }: Checkpoint,
  facts: RepositoryFacts | undefined,
  foreign: readonly Commit[],
): Refusal | undefined {
  if (isHeadLost(facts)) return HEAD_LOST;
  const was = short(gitSha);
  const words = HEAD_WORDS[verdict]?.({ is: short(facts?.head ?? ""), was });
  if (words === undefined) return undefined;
  const list = foreign.map(({ sha, subject }) => plain(`${short(sha)} ${subject}`));
  const shown = list.length === 0 ? "" : `: ${listPaths(list).join(", ")}`;
  const { message, advice } = words;
  return { check: "head", message: `${message}${shown}`, advice, override: "accept-head" };
}

function short(sha: string): string {
  return sha === "" ? "no commit" : sha.slice(0, 12);
}

function plain(text: string): string {
  return listPaths([text])[0] ?? "";
}
