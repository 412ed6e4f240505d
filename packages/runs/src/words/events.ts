import type { LoopEventData, TaskResult, TurnRecovery } from "@quasar/loop";
import { cleanLine } from "../text/clean.ts";
import { count, duration, money, span } from "../text/format.ts";
import { fit } from "../text/width.ts";

// What happens in a run, in words: one line each, cleaned, after the name of who or what it is about.

type Event<Type extends LoopEventData["type"]> = Extract<LoopEventData, { readonly type: Type }>;
type Of<Type extends LoopEventData["type"], Keys extends keyof Event<Type>> = Pick<
  Event<Type>,
  Keys
>;

const MOST_PATHS = 300;

export function startWords({ turnId, attempt }: Of<"agent_start", "turnId" | "attempt">): string {
  const again = attempt > 1 ? `, attempt ${attempt}` : "";
  return `works (${cleanLine(turnId)}${again})`;
}

/** What became of a turn that was under way in a crash, after its role. */
export const RECOVERIES: Readonly<Record<TurnRecovery, string>> = {
  followed: "is still running; reattached",
  read: "had finished; using its result, no extra cost",
  resumed: "continues its session",
  restarted: "restarts",
};

export function recoveryWords({
  how,
  turnId,
  reason = "",
}: Of<"turn_recovered", "how" | "turnId" | "reason">): string {
  const why = reason === "" ? "" : `: ${cleanLine(reason)}`;
  return `${RECOVERIES[how]}${why} (${cleanLine(turnId)})`;
}

/** What a turn took and cost. */
export function doneWords({
  costUsd,
  durationMs,
}: {
  readonly costUsd?: number | undefined;
  readonly durationMs: number;
}): string {
  const cost = costUsd === undefined ? "cost unknown" : money(costUsd);
  return `done in ${duration(durationMs)}, ${cost}`;
}

/** How much is changed: `3 files, +10 -2`. */
export function changesText({
  files,
  added,
  removed,
}: NonNullable<Event<"committed">["changes"]>): string {
  return `${count(files, "file")}, +${added} -${removed}`;
}

export function commitWords({
  sha,
  by,
  paths = [],
  changes,
}: Of<"committed", "sha" | "by" | "paths" | "changes">): string {
  if (sha === undefined) return "nothing had changed";
  const short = cleanLine(sha.slice(0, 10));
  if (by === undefined) return changes === undefined ? short : `${short}, ${changesText(changes)}`;
  const who = by === "checks" ? "the checks" : "a git hook";
  return `${short}, what ${who} changed: ${pathsText(paths)}`;
}

/** @param way - How its version of them comes back: a command, or the snapshot's name. */
export function undoneWords({ paths }: Of<"undone", "paths">, way: string): string {
  return `changed ${pathsText(paths)}: undone; its version: ${way}`;
}

function pathsText(paths: readonly string[]): string {
  return fit(cleanLine(paths.join(", ")), MOST_PATHS);
}

/** @param way - How it comes back: a command, or the snapshot's name. */
export function snapshotWords({ isStaged }: Of<"snapshot", "isStaged">, way: string): string {
  const what = isStaged === true ? "was staged and differs from the files" : "was not committed";
  return `what ${what} is kept: ${way}`;
}

/** What a check is called on a screen. */
export const CHECK_LABELS = { lint: "lint", filter: "check" } as const;

export function checkWords({ name, passed }: Of<"check_done", "name" | "passed">): string {
  return `${cleanLine(name)}: ${passed ? "passed" : "failed"}`;
}

export function reviewWords({
  approved,
  findings,
}: {
  readonly approved: boolean;
  readonly findings: readonly unknown[];
}): string {
  return approved ? "approved" : `${count(findings.length, "finding")}, back to the coder`;
}

/** Why a turn that is retried failed. */
export function retriedWords({ role, message }: Of<"turn_retry", "role" | "message">): string {
  return cleanLine(message.replace(`${role}: `, "failed: "));
}

/** @param at - The time of a person's clock. */
export function retryWords(
  { retry, most, waitMs }: Of<"turn_retry", "retry" | "most" | "waitMs">,
  at: string,
): string {
  return `Retry ${retry} of ${most} in ${span(waitMs)}, at ${cleanLine(at)}.`;
}

/** @param until - As it is shown. */
export function waitingWords(
  { waitMs, isKnown }: { readonly waitMs: number; readonly isKnown: boolean },
  until: string,
): string {
  const why = isKnown ? "the limit is lifted then" : "it is unknown when the limit is lifted";
  return `waits until ${cleanLine(until)}, ${span(waitMs)}: ${why}`;
}

export const REFACTORED = "continues with its new text";
export const GIVEN_UP = "abandoned: its user gave it up";

export function forkedWords(from: string, cycle: number): string {
  return cleanLine(`forked from ${from}, in cycle ${cycle}`);
}

const OUTCOMES: Readonly<Record<TaskResult["outcome"], string>> = {
  approved: "approved",
  struggling: "stopped: the same findings keep coming back",
  max_cycles: "not approved: no cycles left",
  budget: "stopped: budget used up",
  agent: "stopped: the agent failed",
  interrupted: "interrupted",
  checkpoint: "stopped: its state could not be saved",
  storage: "stopped: its files could not be read or written",
  git: "stopped: git failed",
  check: "stopped: a check could not be run",
  "work-tree": "stopped: the repository is not as the run left it",
  "approved-differs": "approved, but HEAD is not what was reviewed",
  superseded: "stopped: another process may work on this run now",
};

/** How a run came to an end, in words; an outcome that is not known is given back. */
export function outcomeText(outcome: string): string {
  return Object.hasOwn(OUTCOMES, outcome) ? OUTCOMES[outcome as TaskResult["outcome"]] : outcome;
}
