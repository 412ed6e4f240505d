import type { CheckResult } from "./check.ts";
import { messageOf } from "../emitter.ts";
import { type Ending, INTERRUPTED } from "../ending.ts";
import type { Check } from "../options.ts";
import { marksOf, type Run } from "../run.ts";

/** Runs one of the user's checks and tells of it. */
export async function tryCheck(
  run: Run,
  kind: "lint" | "filter",
  check: Check,
): Promise<CheckResult | Ending> {
  const { workTree, checkTimeoutMs, checkEnv: baseEnv, redact, signal } = run.settings;
  const { cycle, runId } = run.state;
  const env = marksOf(run.state);
  const options = { runId, workTree, timeoutMs: checkTimeoutMs, baseEnv, env, signal, redact };
  run.seen = undefined;
  try {
    const { status, output } = await run.ports.runCheck(check, options);
    const passed = status === "passed";
    await run.emit({ type: "check_done", cycle, check: kind, name: check.name, passed, output });
    return { status, output };
  } catch (error) {
    if (signal?.aborted === true) return INTERRUPTED;
    return { outcome: "check", message: `${check.name} could not be run: ${messageOf(error)}` };
  }
}
