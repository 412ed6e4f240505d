import { HookFileError, invalid } from "../errors.ts";
import type { ValidationReceipt } from "@quasar/receipts";
import { type Change, withEntries } from "../store/entries.ts";
import {
  HOOK_STATES,
  type HookEvent,
  type HookFile,
  type HookState,
  type StepCheckpoint,
  TERMINAL_STATES,
} from "../store/hook-file.ts";
import { omit } from "../store/omit.ts";
import { nextStep } from "./steps.ts";
import { perform } from "./transition-actions.ts";
import type { HookInput, HookTrigger } from "./transition-events.ts";

/** One row of the table. */
export interface TransitionRow {
  /** `""`: there is no hook yet. */
  readonly from: HookState | "";
  readonly trigger: HookTrigger;
  /** Two where it depends on whether steps remain: `completed` where none does. */
  readonly to: readonly [HookState] | readonly ["step_pending", "completed"];
}

const ACTIVE = HOOK_STATES.filter((state) => !isTerminal(state));

/** Whether nothing can happen to a task any more. */
export function isTerminal(state: HookState): boolean {
  return TERMINAL_STATES.some((terminal) => terminal === state);
}

const GOES_ON = ["step_pending", "completed"] as const;

/**
 * Every transition there is; what is not in here is refused.
 *
 * @see SPEC.md, "Transitions"
 */
export const TRANSITIONS: readonly TransitionRow[] = [
  { from: "", trigger: "init", to: ["initializing"] },
  { from: "initializing", trigger: "setup_complete", to: ["step_pending"] },
  { from: "step_pending", trigger: "start_step", to: ["step_running"] },
  { from: "step_pending", trigger: "skip_step", to: GOES_ON },
  { from: "step_running", trigger: "step_output", to: ["step_validating"] },
  { from: "step_running", trigger: "step_complete", to: GOES_ON },
  { from: "step_running", trigger: "attempt_failed", to: ["step_running"] },
  { from: "step_running", trigger: "human_required", to: ["awaiting_human"] },
  { from: "step_validating", trigger: "validate_pass", to: GOES_ON },
  { from: "step_validating", trigger: "validate_fail", to: ["awaiting_human"] },
  { from: "step_validating", trigger: "attempt_failed", to: ["step_validating"] },
  { from: "awaiting_human", trigger: "human_approve", to: GOES_ON },
  { from: "awaiting_human", trigger: "human_reject", to: ["step_pending"] },
  { from: "awaiting_human", trigger: "retry_step", to: ["step_pending"] },
  { from: "recovering", trigger: "retry_step", to: ["step_pending"] },
  { from: "recovering", trigger: "skip_step", to: GOES_ON },
  { from: "recovering", trigger: "manual_required", to: ["awaiting_human"] },
  ...ACTIVE.flatMap((from): readonly TransitionRow[] => [
    { from, trigger: "checkpoint", to: [from] },
    { from, trigger: "crash_detected", to: ["recovering"] },
    { from, trigger: "fail", to: ["failed"] },
    { from, trigger: "abandon", to: ["abandoned"] },
  ]),
];

/** A task after something has happened to it, and the entry of its history that says so. */
export interface Transition {
  readonly hook: HookFile;
  readonly event: HookEvent;
}

export interface TransitionOptions {
  readonly now: Date;
}

/** One of the events of {@link transition}. */
export function transitionOnce(
  hook: HookFile | undefined,
  input: HookInput,
  options: TransitionOptions,
): Transition {
  const from = hook?.state ?? "";
  const row = TRANSITIONS.find((row) => row.from === from && row.trigger === input.type);
  if (row === undefined) throw refused(from, input.type, "is not a transition");
  const timestamp = options.now.toISOString();
  const refuse = (why: string): HookFileError => refused(from, input.type, why);
  const outcome = perform(hook, input, { now: timestamp, refuse });
  const [toState, atEnd] = row.to;
  const isAtEnd = atEnd !== undefined && nextStep(outcome.hook) === undefined;
  const state = isAtEnd ? atEnd : toState;
  const { stepName, details } = outcome;
  const event: HookEvent = {
    timestamp,
    fromState: from,
    toState: state,
    trigger: input.type,
    ...(stepName !== undefined && { stepName }),
    ...(Object.keys(details).length > 0 && { details }),
  };
  const { receipts, checkpoints } = outcome;
  const settled = settle({ ...outcome.hook, state });
  return { hook: withEntries(settled, { events: [event], receipts, checkpoints }), event };
}

/** Drops what says nothing in this state. */
function settle(hook: HookFile): HookFile {
  const waiting = hook.state === "awaiting_human" ? hook : omit(hook, "awaiting");
  return isTerminal(hook.state) ? omit(waiting, "currentStep", "recovery") : waiting;
}

/**
 * What becomes of a task when this happens to it, in this order, as one change for the store: all of it
 * happens, or none. Pure: `hook` is not changed, and the new one has the events, the receipts and the
 * checkpoints in its lists. Its revision and `updatedAt` are those of `hook`: the store sets them.
 *
 * @param hook - `undefined` where the first event is `init`, and only there.
 * @throws {HookFileError} `ERR_INVALID_TRANSITION` for what is not in the table, or is not of this
 *   step; `ERR_INVALID_HOOK_FILE` where what is said cannot be: a step that there is not, no receipt.
 * @see SPEC.md, "Transitions"
 */
export function transition(
  hook: HookFile | undefined,
  inputs: readonly HookInput[],
  options: TransitionOptions,
): Change {
  let next = hook;
  const events: HookEvent[] = [];
  const receipts: ValidationReceipt[] = [];
  const checkpoints: StepCheckpoint[] = [];
  for (const input of inputs) {
    const { hook: after, event } = transitionOnce(next, input, options);
    next = after;
    events.push(event);
    if ("receipts" in input) receipts.push(...(input.receipts ?? []));
    if ("checkpoint" in input) checkpoints.push(input.checkpoint);
  }
  if (next === undefined) throw invalid("there is no hook, and no event that makes one");
  return { hook: next, events, receipts, checkpoints };
}

function refused(from: HookState | "", trigger: string, why: string): HookFileError {
  const state = from === "" ? "no hook" : from;
  return new HookFileError("ERR_INVALID_TRANSITION", `${state} + ${trigger}: ${why}`);
}
