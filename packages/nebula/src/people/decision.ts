import * as v from "valibot";
import { NebulaError } from "../errors.ts";
import {
  ANEW,
  isInLane,
  type NebulaState,
  type PhaseState,
  type PhaseStatus,
  pendingPhase,
} from "../state/state.ts";

/**
 * What a person decides of a phase. `approve`: the change that was shown lands. `reject`: it goes back to its agents, or
 * `isFinal`, also after `approve` until it has landed. `retry`: it begins anew on what has landed, or its run continues where its coder has finished; what was skipped for its sake alone begins too. `skip`: it is left
 * out, and what needs it too; of what waits for the lane only a commit that is merely merged.
 */
export const VERBS = ["approve", "reject", "retry", "skip"] as const;

/** Most characters of a reason: it becomes a part of a prompt, and of the state. */
export const MOST_REASON = 16 * 1024;

/** A reason as it is kept. @throws {NebulaError} `ERR_USAGE` where it is too long. */
export function keptReason(said: string): string {
  const reason = said.trim().toWellFormed();
  if (reason.length <= MOST_REASON) return reason;
  const message = `a reason has at most ${MOST_REASON} characters, and this one ${reason.length}`;
  throw new NebulaError("ERR_USAGE", message);
}

export const decisionSchema = v.object({
  verb: v.picklist(VERBS),
  phase: v.string(),
  /** The attempt that it is about: an answer is never for another. */
  attempt: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  /** Of the change that was shown; `""` where none was. */
  digest: v.string(),
  /** Why, for the agents and the record. */
  reason: v.pipe(v.string(), v.maxLength(MOST_REASON)),
  isFinal: v.boolean(),
});

export type Decision = v.InferOutput<typeof decisionSchema>;

/** What becomes of a phase, and of others that waited for it; or why the decision has no meaning now. */
export type Decided =
  | { readonly kind: "changes"; readonly changes: ReadonlyMap<string, Partial<PhaseState>> }
  | { readonly kind: "refused"; readonly why: string };

/**
 * What a decision changes. Each is used once: it names the attempt and the change that it is about, and what is decided
 * is no question any more.
 *
 * @param dependentsOf - Ids of the phases that need one, directly or not.
 */
export function decide(
  state: Pick<NebulaState, "phases">,
  decision: Decision,
  dependentsOf: (id: string) => readonly string[],
  now: Date,
): Decided {
  const phase = state.phases.find(({ id }) => id === decision.phase);
  if (phase === undefined) return refused("there is no such phase");
  if (phase.attempt !== decision.attempt) {
    return refused(
      `it is about attempt ${decision.attempt}, and attempt ${phase.attempt} is under way`,
    );
  }
  switch (decision.verb) {
    case "approve":
      return approve(phase, decision);
    case "reject":
      return reject(phase, decision);
    case "retry":
      return retry(state, phase, dependentsOf, now);
    case "skip":
      return skip(phase, decision);
  }
}

/** Whether a decision has a meaning for a phase as it stands. */
export function canDecide(
  state: Pick<NebulaState, "phases">,
  verb: Decision["verb"],
  id: string,
): boolean {
  const shown = state.phases.find((phase) => phase.id === id);
  if (shown === undefined) return false;
  const { attempt, digest } = shown;
  const decision = { verb, phase: id, attempt, digest, reason: "…", isFinal: false };
  return decide(state, decision, () => [], new Date(0)).kind === "changes";
}

/** Where a phase is about which there is nothing to decide, whether an engine works or not. */
const UNDECIDED = {
  pending: "it has not begun",
  running: "its run has not ended",
  queued: "it is approved",
  landing: "it is approved",
  done: "it has landed",
} as const satisfies Partial<Record<PhaseStatus, string>>;

function approve(phase: PhaseState, { digest }: Decision): Decided {
  if (isInLane(phase) && phase.approved !== "") return refused(`${UNDECIDED.queued} already`);
  const problem = notAsked(phase, digest);
  if (problem !== undefined) return refused(problem);
  const { candidate: approvedCandidate } = phase;
  const queued = { status: "queued", question: "", reason: "" } as const;
  return changed(phase, { ...queued, approved: digest, approvedCandidate });
}

/** Also of a change that was approved, as long as it has not landed. */
function reject(phase: PhaseState, { digest, reason, isFinal }: Decision): Decided {
  const problem = isApproved(phase, digest) ? undefined : notAsked(phase, digest);
  if (problem !== undefined) return refused(problem);
  if (isFinal) {
    const why = rejectedWords(reason);
    return changed(phase, { status: "failed", question: "", reason: why, reservedUsd: 0 });
  }
  if (reason === "") return refused("its agents need to know what is wrong");
  return changed(phase, {
    ...ANEW,
    ...{ status: "pending", question: "", attempt: phase.attempt + 1, base: phase.tip },
    ...{ reworks: [...phase.reworks, "reject"], findings: [`[person] ${reason}`] },
    reason: rejectedWords(reason),
    approvedCandidate: "",
  });
}

function rejectedWords(reason: string): string {
  return reason === "" ? "rejected by a person" : `rejected by a person: ${reason}`;
}

function retry(
  { phases }: Pick<NebulaState, "phases">,
  phase: PhaseState,
  dependentsOf: (id: string) => readonly string[],
  now: Date,
): Decided {
  const { id, ref, status, attempt, runs, seq, neededUsd, merges, asksPerson } = phase;
  if (status !== "failed" && status !== "skipped" && status !== "awaiting_human") {
    const what = "only what failed, was skipped or waits for you can begin again";
    return refused(`${UNDECIDED[status]}: ${what}`);
  }
  const anew = { ...pendingPhase(id, ref, now), attempt: attempt + 1, runs, seq, neededUsd };
  const merge = { status: "queued", tip: merges, merges, asksPerson } as const;
  const again = merges === "" ? anew : { ...anew, ...merge };
  const isContinued = status === "failed" && phase.isCoderDone;
  const changes = new Map<string, Partial<PhaseState>>([[id, isContinued ? CONTINUED : again]]);
  const waiting = new Set(dependentsOf(id));
  const stopped = phases.filter((other) => other.id !== id && hasEnded(other));
  const hindered = new Set(stopped.flatMap((other) => dependentsOf(other.id)));
  for (const other of phases) {
    if (other.status !== "skipped" || other.isLeftOut) continue;
    if (!waiting.has(other.id) || hindered.has(other.id)) continue;
    changes.set(other.id, { status: "pending", reason: "" });
  }
  return { kind: "changes", changes };
}

/** Its run continues with what its coder has finished. */
const CONTINUED = { status: "running", reason: "", neededUsd: 0 } as const;

/** Whether what needs a phase is skipped for its sake, and not for another's. */
function hasEnded({ status, isLeftOut }: PhaseState): boolean {
  return status === "failed" || (status === "skipped" && isLeftOut);
}

function skip(phase: PhaseState, { reason }: Decision): Decided {
  const { status, merges } = phase;
  const isMerge = status === "queued" && merges !== "";
  const isTooLate =
    status === "running" || status === "queued" || status === "landing" || status === "done";
  if (isTooLate && !isMerge) {
    const what = "only what has not begun, failed or waits for you can be skipped";
    return refused(`${UNDECIDED[status]}: ${what}`);
  }
  const why = reason === "" ? "skipped by a person" : `skipped by a person: ${reason}`;
  const skipped = { status: "skipped", isLeftOut: true } as const;
  return changed(phase, { ...skipped, question: "", reason: why, reservedUsd: 0 });
}

function isApproved(phase: PhaseState, about: string): boolean {
  return isInLane(phase) && phase.approved !== "" && phase.approved === about;
}

function notAsked(
  { status, question, digest, landing }: PhaseState,
  about: string,
): string | undefined {
  if (status === "done") return landing > 0 ? "it has landed" : "it had nothing to land";
  if (question === "answer") return "its agent waits for an answer (quasar nebula answer)";
  if (status !== "awaiting_human" || question !== "land") return "nobody is asked whether it lands";
  return digest === about ? undefined : "its change is another one by now: look at it again";
}

function changed({ id }: PhaseState, change: Partial<PhaseState>): Decided {
  return { kind: "changes", changes: new Map([[id, change]]) };
}

function refused(why: string): Decided {
  return { kind: "refused", why };
}
