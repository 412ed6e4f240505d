import { GitError, type SignalOptions } from "@quasar/git";
import type { HookFile } from "@quasar/hookfile";
import type { CrashFacts, StepEffect } from "@quasar/hookfile/recovery";
import type { StepInput } from "../steps/step.ts";
import { plainLine } from "../plain.ts";
import { executorOf } from "./executors.ts";
import type { EngineParts } from "./parts.ts";
import { stepInput } from "./session.ts";

/**
 * Looks at what an interruption has left: which command of a validation was running, and whether a git
 * step took effect. Changes nothing.
 */
export function inspectorOf(
  parts: Pick<EngineParts, "executors" | "receipts">,
  { taskDir, task, ports }: Pick<StepInput, "taskDir" | "task" | "ports">,
): (hook: HookFile, options: SignalOptions) => Promise<CrashFacts> {
  return async (hook, { signal = new AbortController().signal }): Promise<CrashFacts> => {
    const { keys, redact } = ports;
    if (hook.state === "step_validating") {
      return parts.receipts.interrupted({ taskDir, task, keys, redact });
    }
    const step = hook.steps.find(({ name }) => name === hook.currentStep?.stepName);
    if (step?.recovery !== "reconcile") return {};
    const input = stepInput({ taskDir, task, ports, signal }, step, hook);
    const effect = await executorOf(parts, step)?.probe?.(input).catch(unseen);
    return effect === undefined ? {} : { effect };
  };
}

/** A work tree that git cannot look at, such as one that is gone: a person has to. */
function unseen(error: unknown): StepEffect {
  if (!(error instanceof GitError)) throw error;
  return { kind: "unknown", reason: plainLine(error.message) };
}
