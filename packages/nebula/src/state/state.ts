import type { RunSpending } from "@quasar/runs/internal";
/**
 * Where a phase is. `pending`: not begun. `running`: its run works, or was cut off. `queued`: approved, waits for the
 * lane. `landing`: a candidate is recorded. `done`: landed, or there was nothing to land.
 */
export const PHASE_STATUSES = [
  "pending",
  "running",
  "queued",
  "landing",
  "done",
  "failed",
  "skipped",
  "awaiting_human",
] as const;

export type PhaseStatus = (typeof PHASE_STATUSES)[number];

export const QUESTIONS = ["land", "rework", "answer", "budget"] as const;
/** What a person is asked of a phase. */
export type Question = (typeof QUESTIONS)[number];

/** Why a phase was sent back to its agents. */
export const REWORK_CAUSES = ["merge", "verify", "scope", "reject"] as const;
export type ReworkCause = (typeof REWORK_CAUSES)[number];

/** What is known of a phase. All commits are full ids. */
export interface PhaseState {
  readonly id: string;
  /** How it is called in refs and folders: see `phaseRef`. Fixed when the nebula begins. */
  readonly ref: string;
  readonly status: PhaseStatus;
  /** From 1; each rework and each retry is a new one. */
  readonly attempt: number;
  /** Why it failed, was skipped or waits; why its last landing was refused. */
  readonly reason: string;
  /** The commit that the attempt begins at; `""`: what has landed when it begins. */
  readonly base: string;
  /** The run of the attempt; its id is kept before the run begins. */
  readonly runId: string;
  /** All runs of the phase, oldest first: what it has cost is theirs. */
  readonly runs: readonly string[];
  /** Where its runs have come to something, by their ids. @default no other machine has worked on it */
  readonly machines?: Readonly<Record<string, string>> | undefined;
  /** What its runs had cost by then, by their ids. @default their ledgers are on this machine */
  readonly costs?: Readonly<Record<string, RunSpending>> | undefined;
  /**
   * US dollars of the total that are set apart for all of its runs together: the most that they may spend while it is
   * worked on, then what they have and a share for a rework. 0: it has not begun, has ended, or has no limit.
   */
  readonly reservedUsd: number;
  /**
   * US dollars that all of its runs have to be allowed together, so that it continues, or begins again where it has failed.
   * 0: no limit has stopped it.
   */
  readonly neededUsd: number;
  /** US dollars that one turn has to be allowed, so that it continues. 0: the limit for a turn has not stopped it. */
  readonly neededTurnUsd: number;
  /** What its run was approved with, frozen under a ref. */
  readonly tip: string;
  /** Its place in the queue, from 1; kept through reworks. 0: it was never approved. */
  readonly seq: number;
  /** The commit that its candidate was made on, the candidate, and its tree. */
  readonly onto: string;
  readonly candidate: string;
  readonly tree: string;
  /** Whether its candidate has passed the commands of `verify`, all of them, and there were some. */
  readonly verified: boolean;
  /** Its number among the landings of the nebula, from 1. 0: it has not landed. */
  readonly landing: number;
  /**
   * What a person decides while it waits: whether its change lands, what becomes of it where it cannot, what an agent
   * needs to know to continue, or whether it may spend more. `""`: nobody is asked.
   */
  readonly question: Question | "";
  /** Digest of the change that the question is about; `""` without one. */
  readonly digest: string;
  /** Digest of the change that a person has approved, to be used once. */
  readonly approved: string;
  /**
   * The candidate of the change that a person has approved last, also after that approval was spent; `""`: none was, or a
   * person has decided otherwise since.
   */
  readonly approvedCandidate: string;
  /** The causes of its reworks, oldest first. */
  readonly reworks: readonly ReworkCause[];
  /** Since when nothing else lands before it, RFC 3339; `""`: it was not reworked often enough for that. */
  readonly holdsSince: string;
  /** The commit that brought conflict markers into the attempt; `""` where none did. */
  readonly conflictCommit: string;
  /** The paths that have them there. */
  readonly conflicts: readonly string[];
  /** Ids of the questions of its agents that have no answer yet. */
  readonly questions: readonly string[];
  /** What its run reads beside the phase's text: why the last landing was refused. */
  readonly findings: readonly string[];
  /** The commit that it only merges into the branch; `""`: it is a phase of work. */
  readonly merges: string;
  /** Whether a person has left it out: nothing but a retry of it has it begin. */
  readonly isLeftOut: boolean;
  /**
   * Whether it failed once its coder had finished, before a commit or in a review: a retry continues its run. Set until its
   * tree is ready for that.
   */
  readonly isCoderDone: boolean;
  /** The run whose work tree was lost within a turn, so that the turn begins again; where the same run loses another one it fails. */
  readonly lostTreeRunId: string;
  /** The agent, by its name, for whose usage limit it waits while that stands; `""`: for none. */
  readonly limitedBy: string;
  /** Whether a person decides at once where it cannot land; else agents rework it. */
  readonly asksPerson: boolean;
  /** RFC 3339. */
  readonly updatedAt: string;
}

/**
 * What a person has said of the plan, as it is: `asked` is nothing yet, `""` that nobody was asked. After `asked` and
 * `rejected` no phase begins.
 */
export const PLAN_VERDICTS = ["", "asked", "approved", "rejected"] as const;
export type PlanVerdict = (typeof PLAN_VERDICTS)[number];

/** Limits that a person has typed, of money in US dollars: they hold for all engines to come. */
export interface TypedLimits {
  /** Phases that all machines of a fleet work on at once. @default what the nebula's files say */
  readonly typedMaxWorkers?: number | undefined;
  /** For all phases together. @default what the nebula's files say */
  readonly typedTotalUsd?: number | undefined;
  /** For each phase that its files have no limit of. @default as the user has set it */
  readonly typedPhaseUsd?: number | undefined;
}

/** What is known of the push of a nebula's branch. */
export interface PushState {
  /** Whether a person has asked for it, once all has landed. */
  readonly isPushAsked: boolean;
  /** Where it was to go when a person asked for it, as a remote's name or URL without a login; `""`: that was not known. */
  readonly pushRemote: string;
  /** The URLs of that, as git's settings rewrote them. */
  readonly pushUrl: string;
  /** Digest of the two, logins included. */
  readonly pushDigest: string;
  /** Digest of the git hooks that ran then from the work tree that pushes; `""`: that is not known. */
  readonly pushHooks: string;
  /** The commit that was pushed last; `""`: none was. */
  readonly pushedTip: string;
  /** The remote that it was pushed to: a name, or a URL without a login. */
  readonly pushedTo: string;
  /** Why the last push failed; `""`: it did not, or there was none. */
  readonly pushProblem: string;
}

/** What is kept when a person asks for a push. */
export type AskedPush = Pick<
  PushState,
  "pushRemote" | "pushUrl" | "pushDigest" | "pushHooks" | "pushProblem"
>;

/** It is not known where a push is to go. */
export const NOWHERE = { pushRemote: "", pushUrl: "", pushDigest: "", pushHooks: "" } as const;

/** Nobody has asked for a push. */
export const NO_PUSH: PushState = {
  ...{ isPushAsked: false, ...NOWHERE },
  ...{ pushedTip: "", pushedTo: "", pushProblem: "" },
};

/** The truth of a nebula. One writer: the engine that holds its lock. */
export interface NebulaState extends TypedLimits, PushState {
  /** Ten characters, random. */
  readonly id: string;
  readonly name: string;
  /** The integration branch, without `refs/heads/`. */
  readonly branch: string;
  /** Absolute path of the folder that the nebula was begun or last resumed from; it need not be there any more. */
  readonly dir: string;
  /** The commit that the branch begins at. */
  readonly base: string;
  /** Of the copy of the folder that the engine works by. */
  readonly revision: string;
  /** Of this revision. */
  readonly planVerdict: PlanVerdict;
  /** Why it was rejected. */
  readonly planReason: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** The branch that it landed on before another one was begun in its place; `""`: none was. */
  readonly archivedFrom: string;
  /** The commit of that branch, which has yet to get its name: a crash came between; `""`: nothing is to be renamed. */
  readonly archivedTip: string;
  /** Absolute path, without links, of the folder of its work trees. @default no engine has found it out yet */
  readonly trees?: string | undefined;
  /** The git folder of the repository that they are of: one that was moved or copied since has others. */
  readonly treesOf?: string | undefined;
  /** Commands of `verify` that fail on the branch by itself, which a person has accepted. */
  readonly acceptedFailures: readonly string[];
  /** Whether the branch was made by it, or was at its base: what somebody else makes of that name before is not its own. */
  readonly ownsBranch: boolean;
  /** In the order of the plan. */
  readonly phases: readonly PhaseState[];
}

/** What an attempt that begins anew has not got yet. */
export const ANEW = {
  ...{ runId: "", tip: "", onto: "", candidate: "", tree: "", verified: false },
  ...{ digest: "", approved: "", isCoderDone: false },
  questions: [],
} as const;

/** A phase that has not begun. */
export function pendingPhase(id: string, ref: string, now: Date): PhaseState {
  return {
    ...{ id, ref, status: "pending", attempt: 1, reason: "" },
    ...ANEW,
    ...{ base: "", runs: [], reservedUsd: 0, seq: 0, landing: 0, reworks: [], findings: [] },
    ...{ holdsSince: "", conflictCommit: "", conflicts: [], question: "" },
    ...{ merges: "", asksPerson: false, isLeftOut: false },
    ...{ neededUsd: 0, neededTurnUsd: 0, approvedCandidate: "" },
    ...{ lostTreeRunId: "", limitedBy: "" },
    updatedAt: now.toISOString(),
  };
}

/** Whether a phase is approved and has not landed: it waits for the lane, or is in it. */
export function isInLane({ status }: Pick<PhaseState, "status">): boolean {
  return status === "queued" || status === "landing";
}

/** Whether nothing more happens to a phase by itself. */
export function isSettled({ status }: Pick<PhaseState, "status">): boolean {
  return status === "done" || status === "failed" || status === "skipped";
}

/** Whether its branch, with all that has landed, is yet to be pushed, as a person has asked. */
export function awaitsPush(
  state: Pick<NebulaState, "phases" | "base" | "isPushAsked" | "pushedTip">,
): boolean {
  const { phases, isPushAsked } = state;
  return isPushAsked && !isPushed(state) && phases.every(({ status }) => status === "done");
}

/** Whether the remote has all that has landed. */
export function isPushed(state: Pick<NebulaState, "phases" | "base" | "pushedTip">): boolean {
  return state.pushedTip === landedTip(state);
}

/** How many phases of work there are, and how many of them have landed or had nothing to land. */
export interface NebulaProgress {
  readonly landedCount: number;
  /** How many of `landedCount` had nothing to land. */
  readonly unchangedCount: number;
  readonly phaseCount: number;
}

/** What only merges a commit of the base branch is no phase of work. */
export function progressOf({ phases }: Pick<NebulaState, "phases">): NebulaProgress {
  const ofWork = phases.filter(({ merges }) => merges === "");
  const done = ofWork.filter(({ status }) => status === "done");
  const unchanged = done.filter(({ landing }) => landing === 0);
  return {
    landedCount: done.length,
    unchangedCount: unchanged.length,
    phaseCount: ofWork.length,
  };
}

/** The phases that have landed, in the order of their landings. */
export function landedPhases({ phases }: Pick<NebulaState, "phases">): readonly PhaseState[] {
  return phases
    .filter(({ landing }) => landing > 0)
    .toSorted((one, other) => one.landing - other.landing);
}

/** The commit that has all that has landed, and nothing else. */
export function landedTip(state: Pick<NebulaState, "phases" | "base">): string {
  return landedPhases(state).at(-1)?.candidate ?? state.base;
}

/** The phases of which something may be left to land. */
export function notLanded({ phases }: Pick<NebulaState, "phases">): readonly PhaseState[] {
  return phases.filter(({ status }) => status !== "done");
}
