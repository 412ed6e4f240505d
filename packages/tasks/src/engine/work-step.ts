import type { HookFile } from "@quasar/hookfile";
import { saveCheckpoint, wantsCheckpoint } from "@quasar/hookfile/checkpoints";
import { TasksError } from "../errors.ts";
import type { RunningStep, StepOutcome, StepProgress } from "../steps/step.ts";
import type { TaskEvent } from "../task-event.ts";
import { withReceipts } from "./adopt-receipts.ts";
import { endAttempt, type Stop } from "./end-attempt.ts";
import { executorOf } from "./executors.ts";
import { createProgress } from "./progress.ts";
import { wholePrompt } from "./prompts.ts";
import { freeGit, isAt, type Session, inputOf } from "./session.ts";
import type { Watch } from "./watch.ts";

/** In `step_running` and `step_validating`: has the step done, and records what came of it. */
export async function workStep(session: Session, watch: Watch): Promise<Stop | undefined> {
  const hook = session.hook();
  const { currentStep } = hook;
  const step = hook.steps.find(({ name }) => name === currentStep?.stepName);
  if (currentStep === undefined || step === undefined) {
    throw new TasksError("ERR_DAMAGED", `${session.taskDir}: a step runs that there is not`);
  }
  const input = inputOf(session, step);
  const { attempt } = currentStep;
  const startedAt = session.ports.now();
  const isHere = isAt(step.name);
  const left = new AbortController();
  const progress = createProgress((noted) => writeProgress(session, isHere, noted));
  const running: RunningStep = {
    ...input,
    ports: session.ports,
    signal: AbortSignal.any([session.signal, left.signal]),
    attempt,
    prompt: wholePrompt(session),
    tell: (event: TaskEvent) => session.tell(event),
    note: (noted) => progress.note(noted),
    async checkpoint(trigger, description) {
      if (!wantsCheckpoint(session.task().config.checkpoints, trigger)) return;
      progress.flush();
      const git = await session.parts.workTreeReader.facts(input.worktree, {});
      const now = session.ports.now();
      saveCheckpoint(session.store, { trigger, description, git, now, when: isHere });
    },
    async attemptFailed(reason, receipts) {
      const said = session.ports.redact(reason);
      const failure = { type: "attempt_failed", reason: said, receipts } as const;
      if (!session.fire([failure], isHere)) return;
      const index = currentStep.stepIndex;
      const { attempt: next = attempt } = session.hook().currentStep ?? {};
      const failed = { step: step.name, index, reason: said, attempt: next - 1, goesOn: true };
      session.tell({ type: "step_failed", ...failed });
    },
    recordReceipts(receipts) {
      session.store.update((now) => withReceipts(now, receipts));
    },
  };
  watch.take(); // from here on the agents work
  const unsubscribe = session.listen((changed) => isHere(changed) || left.abort());
  const outcome = await run(session, running);
  unsubscribe();
  progress.flush();
  const seen = await watch.look();
  return endAttempt(session, { step, startedAt, outcome, seen });
}

/** What an executor throws once it has been told to stop is that it has stopped. */
async function run(session: Session, running: RunningStep): Promise<StepOutcome> {
  const executor = executorOf(session.parts, running.step);
  if (executor === undefined) throw new Error("a person's step is never run");
  try {
    await freeGit(session, running.worktree);
    const { controls } = session.parts;
    const reason = await controls.obstacle(running);
    if (reason !== undefined) return { kind: "awaiting", awaiting: "git", reason };
    const outcome = await executor.run(running);
    const changed = await controls.changed(running);
    if (changed !== "") session.warn(changed);
    return outcome;
  } catch (error) {
    if (!running.signal.aborted) throw error;
    return { kind: "stopped", why: "interrupted", message: "it was interrupted" };
  }
}

/** Of what an agent is at, and of what it has said last, in characters: the hook file's limit. */
const LONGEST = 500;

function writeProgress(
  { store, ports }: Session,
  isHere: (hook: HookFile) => boolean,
  { workingOn, lastOutput }: StepProgress,
): void {
  store.update((hook) => {
    const { currentStep } = hook;
    if (currentStep === undefined || !isHere(hook)) return undefined;
    const noted = {
      ...(workingOn !== undefined && { workingOn: ports.redact(workingOn).slice(0, LONGEST) }),
      ...(lastOutput !== undefined && { lastOutput: ports.redact(lastOutput).slice(-LONGEST) }),
    };
    return { hook: { ...hook, currentStep: { ...currentStep, ...noted } }, events: [] };
  });
}
