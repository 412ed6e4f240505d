import { cleanLine, fit, money } from "@quasar/runs/text";
import type { Shortage } from "../engine/budget.ts";
import type { PhaseStatus } from "../state/state.ts";

/** How a phase stands in one word, which every screen uses. */
export type Standing =
  | "landed"
  /** Has ended, and made no changes to land. */
  | "unchanged"
  /** An agent works on it, or its work tree is made ready. */
  | "works"
  /** Waits to land. */
  | "approved"
  /** Has begun, and no engine works on the nebula. */
  | "stopped"
  /** For a person. */
  | "waits"
  /** Waits for its agent's usage limit. */
  | "limited"
  | "failed"
  | "skipped"
  /** Begins or continues by itself. */
  | "pending";

const OF_STATUS: Readonly<Record<Exclude<PhaseStatus, "running">, Standing>> = {
  pending: "pending",
  queued: "approved",
  landing: "approved",
  done: "landed",
  failed: "failed",
  skipped: "skipped",
  awaiting_human: "waits",
};

/** What of a phase its standing follows from. */
export interface StandingOf {
  readonly status: PhaseStatus;
  readonly isWorkedOn: boolean;
  /** The commit that landed; `""`: none. @default not known */
  readonly landedSha?: string | undefined;
  /** When its agent's usage limit is lifted; `""` or `undefined`: there is none. */
  readonly retryAt?: string | undefined;
}

/** By what it is known whether what has begun continues by itself. */
export interface WorkedOnBy {
  /** Of the engine that works on the nebula. */
  readonly pid?: number | undefined;
  /** Of a nebula that several machines work on: whether one of them does. */
  readonly fleet?: { readonly isWorking: boolean } | undefined;
}

export function standingOf(
  { status, isWorkedOn, landedSha, retryAt = "" }: StandingOf,
  nebula: WorkedOnBy,
): Standing {
  if (retryAt !== "") return "limited";
  if (status === "done" && landedSha === "") return "unchanged";
  if (status !== "running") return OF_STATUS[status];
  if (isWorkedOn) return "works";
  return isWorking(nebula) ? "pending" : "stopped";
}

export function isWorking({ pid, fleet }: WorkedOnBy): boolean {
  return fleet?.isWorking ?? pid !== undefined;
}

const LIMITS = {
  phase: "limit",
  total: "total budget",
  turn: "limit for one turn",
} as const satisfies Record<Shortage["limit"], string>;

/** A limit that is too small, in words. */
export function shortageWords({ limit, neededUsd }: Pick<Shortage, "limit" | "neededUsd">): string {
  return `needs a ${LIMITS[limit]} of ${money(neededUsd)}`;
}

/** What of a phase the reason for its standing follows from. */
export interface ReasonOf extends StandingOf {
  readonly reason: string;
  /** The phase that lands before it; `""` or `undefined`: none. */
  readonly landsAfter?: string | undefined;
}

/**
 * Why a phase stands as it does, in words; `""` where there is nothing to say. What the nebula has on record is not
 * cleaned, and of any length.
 *
 * @param beside - `shortage`: the limit that keeps it from beginning. `moment`: how a time is shown.
 */
export function reasonOf(
  phase: ReasonOf,
  nebula: WorkedOnBy & { readonly pauseEnds: readonly string[] },
  {
    shortage,
    moment,
  }: {
    readonly shortage: Pick<Shortage, "limit" | "neededUsd"> | undefined;
    readonly moment: (rfc3339: string) => string;
  },
): string {
  const { status, reason, retryAt = "", landsAfter = "" } = phase;
  if (shortage !== undefined && status === "pending") return shortageWords(shortage);
  if (landsAfter !== "") return `waits for ${fit(cleanLine(landsAfter), 24)} to land first`;
  if (retryAt !== "") return `its agent's usage limit ends at ${moment(retryAt)}`;
  if (status !== "running" || standingOf(phase, nebula) !== "pending") return reason;
  return nebula.pauseEnds.length > 0
    ? "has begun, and continues when the pause has ended"
    : "has begun, and waits for a free worker";
}
