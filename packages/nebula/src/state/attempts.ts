import type { KeptEvent } from "./recent-events.ts";
import type { PhaseState } from "./state.ts";

/** An attempt of a phase that has begun. */
export interface PhaseAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly runId: string;
  /** RFC 3339; `undefined`: the journal does not know it. */
  readonly startedAt: string | undefined;
  /** Why there was another one after those before; none of the first. */
  readonly reasons: readonly string[];
  /** Where it has come to something. @default here, or that is not known */
  readonly machine?: string | undefined;
}

/** What the journal says of the attempts of a phase. */
export interface AttemptRecords {
  /** By the ids of their runs. */
  readonly begun: ReadonlyMap<string, { readonly attempt: number; readonly at: string }>;
  /** Why each began, by its number. */
  readonly reasons: ReadonlyMap<number, readonly string[]>;
}

export const NO_ATTEMPTS: AttemptRecords = { begun: new Map(), reasons: new Map() };

/** @param event - Of the phase. */
export function withAttempt(records: AttemptRecords, event: KeptEvent): AttemptRecords {
  const { begun, reasons } = records;
  if (event.type === "phase_begun") {
    const { attempt, at } = event;
    return { reasons, begun: new Map(begun).set(event.runId, { attempt, at }) };
  }
  const why = reasonOf(event);
  return why === undefined
    ? records
    : { begun, reasons: new Map(reasons).set(why.attempt, why.reasons) };
}

/** The attempts of a phase, oldest first. Its state says which there were, the journal when and why. */
export function attemptsOf(
  { runs, machines = {} }: Pick<PhaseState, "runs" | "machines">,
  { begun, reasons }: AttemptRecords,
): readonly PhaseAttempt[] {
  return runs.map((runId, at) => {
    const known = begun.get(runId);
    const attempt = known?.attempt ?? at + 1;
    const machine = machines[runId];
    return {
      ...{ attempt, runId, startedAt: known?.at, reasons: reasons.get(attempt) ?? [] },
      ...(machine !== undefined && { machine }),
    };
  });
}

/** The same, of all events of a nebula. */
export function phaseAttempts(
  phase: Pick<PhaseState, "id" | "runs" | "machines">,
  events: readonly KeptEvent[],
): readonly PhaseAttempt[] {
  const own = events.filter((event) => "phase" in event && event.phase === phase.id);
  return attemptsOf(phase, own.reduce(withAttempt, NO_ATTEMPTS));
}

function reasonOf(event: KeptEvent): Pick<PhaseAttempt, "attempt" | "reasons"> | undefined {
  if (event.type === "rework") return { attempt: event.attempt, reasons: event.findings };
  if (event.type !== "decision" || event.isResumed === true) return undefined;
  if (event.verb !== "reject" && event.verb !== "retry") return undefined;
  const reason = event.reason === "" ? "" : `: ${event.reason}`;
  return { attempt: event.attempt + 1, reasons: [`${ASKED[event.verb]}${reason}`] };
}

const ASKED = { reject: "rejected by a person", retry: "a person had it begin again" } as const;
