import { identityOf } from "@quasar/process";
import type { Change } from "../store/entries.ts";
import type { HookFile, HookOwner, RecoveryContext } from "../store/hook-file.ts";
import { omit } from "../store/omit.ts";
import { checkpointOfAttempt, decideRecovery, type StepEffect } from "./recovery-decision.ts";
import type { Driver } from "./task-driver.ts";
import { transition } from "../transitions/transitions.ts";

/** What is known of an interruption beside the hook file. */
export interface CrashFacts {
  /** Of a step whose recovery is `reconcile`. @default not known */
  readonly effect?: StepEffect | undefined;
  /** How what the step ran has ended, where that is on record. */
  readonly exit?: CrashExit | undefined;
  /** The command that was running in `step_validating`. */
  readonly validationCmd?: string | undefined;
  /** Its last 2,000 characters are kept. @default the current step's last output */
  readonly partialOutput?: string | undefined;
}

export interface CrashExit {
  readonly exitCode?: number | undefined;
  /** `SIGKILL` */
  readonly signal?: string | undefined;
  /** It was ended because its time was over. */
  readonly timedOut?: boolean | undefined;
}

/** A task that was interrupted, as `recovering`: with the context of it, and without its owner. */
export function crash(hook: HookFile, driver: Driver, facts: CrashFacts, now: Date): Change {
  const { exit, effect, validationCmd, partialOutput = hook.currentStep?.lastOutput } = facts;
  const { action, reason } = decideRecovery(hook, effect);
  const lastCheckpointId = checkpointOfAttempt(hook)?.checkpointId;
  const recovery: RecoveryContext = {
    detectedAt: now.toISOString(),
    crashType: crashType(driver, exit),
    lastKnownState: hook.state,
    wasValidating: hook.state === "step_validating",
    ...(validationCmd !== undefined && { validationCmd }),
    ...(partialOutput !== undefined && { partialOutput: endOf(partialOutput) }),
    recommendedAction: action,
    reason,
    ...(lastCheckpointId !== undefined && { lastCheckpointId }),
  };
  const details = { ...aboutOwner(hook.owner), exit_code: exit?.exitCode, signal: exit?.signal };
  const change = transition(hook, [{ type: "crash_detected", recovery, details }], { now });
  return { ...change, hook: omit(change.hook, "owner") };
}

const LONGEST = 2_000;

function endOf(output: string): string {
  return Array.from(output.slice(-2 * LONGEST))
    .slice(-LONGEST)
    .join("");
}

function crashType(driver: Driver, exit: CrashExit | undefined): RecoveryContext["crashType"] {
  if (exit?.timedOut === true) return "timeout";
  return exit?.signal !== undefined || driver === "gone" ? "signal" : "unknown";
}

function aboutOwner(owner: HookOwner | undefined): Readonly<Record<string, unknown>> {
  if (owner === undefined) return {};
  const here = identityOf(process.pid);
  const isHere = owner.host === here.host && owner.bootId !== undefined;
  return {
    run_id: owner.runId,
    pid: owner.pid,
    host: owner.host,
    ...(isHere && { reboot: owner.bootId !== here.bootId }),
  };
}
