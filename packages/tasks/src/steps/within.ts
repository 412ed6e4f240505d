import type { StepInput, StepOutcome } from "./step.ts";

/**
 * Does a step's work within its time. Aborted by the caller it is `stopped`; over time it has `failed`
 * and may be tried again, so the work looks first whether it was done by then.
 *
 * @param defaultMs - Where the definition says no time.
 */
export async function within<T>(
  { definition, signal }: Pick<StepInput, "definition" | "signal">,
  defaultMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | StepOutcome> {
  const limit = definition.timeoutMs ?? defaultMs;
  const timeout = AbortSignal.timeout(limit);
  try {
    return await work(AbortSignal.any([signal, timeout]));
  } catch (error) {
    if (signal.aborted) {
      return { kind: "stopped", why: "interrupted", message: `${definition.name} was interrupted` };
    }
    if (!timeout.aborted) throw error;
    const reason = `${definition.name} took longer than ${limit / 1000} s and was ended`;
    return { kind: "failed", reason, awaiting: "git", retryable: true };
  }
}
