import { failedAttempts } from "../failed-attempts.ts";
import {
  type HookFile,
  type HookInput,
  nextStep,
  type StepRecord,
  type StepType,
  transition,
} from "@quasar/hookfile";
import { assignRun } from "../runs/step-runs.ts";
import type { Skip } from "../steps/step.ts";
import { withBaseline } from "./baseline.ts";
import { executorOf } from "./executors.ts";
import { ASKING, promptOf, recordPrompt } from "./prompts.ts";
import { type Session, inputOf } from "./session.ts";
import type { Watch } from "./watch.ts";

/** In `step_pending`: skips the next step where its effect is there already, else starts it. */
export async function beginStep(session: Session, watch: Watch): Promise<void> {
  const hook = session.hook();
  const step = nextStep(hook);
  const seen = watch.take();
  if (step === undefined) throw new Error("a task without a step to do is completed");
  // A step that asks agents ends others than its own, of which one may be followed.
  if (!ASKING.includes(step.type)) await endStrays(session);
  const skip = await look(session, step);
  if (skip !== undefined) return skipStep(session, step, skip);

  const prompt = promptOf(session, step);
  const recorded = recordPrompt(session, { step: step.name, attempt: step.attempts + 1, prompt });
  const baseline = await withBaseline(session, step, seen);
  session.store.update((before) => {
    if (!isNext(step)(before)) return undefined;
    const started = assignRun(baseline(before), step.name);
    const inputs = opening(step, recorded);
    return transition(started, inputs, { now: session.ports.now() });
  });
  const { currentStep } = session.hook();
  if (currentStep?.stepName !== step.name) return;
  session.tell({
    type: "step_started",
    step: step.name,
    stepType: step.type,
    index: currentStep.stepIndex,
    attempt: currentStep.attempt,
    maxAttempts: currentStep.maxAttempts,
    failedAttempts: failedAttempts(session.hook(), step.name),
  });
}

/**
 * An agent that has outlived its engine works on, though its step was skipped or ended by somebody
 * else: what is validated, committed or reviewed now must not change under that.
 */
async function endStrays({ parts, taskDir, warn }: Session): Promise<void> {
  const left = await parts.endAgents(taskDir);
  if (left.length === 0) return;
  const pids = left.flatMap((agents) => agents.pids).join(" ");
  warn(`processes of an earlier step do not end:\nkill -9 ${pids}`);
}

async function look(session: Session, step: StepRecord): Promise<Skip | undefined> {
  return executorOf(session.parts, step)?.look?.(inputOf(session, step));
}

function skipStep(session: Session, step: StepRecord, { reason, evidence }: Skip): void {
  const { redact } = session.ports;
  const skip = { reason: redact(reason), evidence: redact(evidence) };
  if (!session.fire([{ type: "skip_step", ...skip }], isNext(step))) return;
  const index = session.hook().steps.findIndex(({ name }) => name === step.name);
  session.tell({ type: "step_skipped", step: step.name, index, ...skip });
}

/** Whether a step is still the one to start. */
function isNext({ name }: StepRecord): (hook: HookFile) => boolean {
  return (hook) => hook.state === "step_pending" && nextStep(hook)?.name === name;
}

/** What the start of a step brings about at once, so that no crash comes between. */
const OPENINGS: Partial<Readonly<Record<StepType, (prompt: string) => HookInput>>> = {
  validation: () => ({ type: "step_output" }),
  human: (reason) => ({ type: "human_required", kind: "review", reason }),
};

function opening({ type }: StepRecord, prompt: string): readonly HookInput[] {
  const then = OPENINGS[type]?.(prompt);
  return [{ type: "start_step", prompt }, ...(then === undefined ? [] : [then])];
}
