import { type HookFile, type HookInput, type StepRecord, transition } from "@quasar/hookfile";
import {
  type GitFacts,
  readGitFacts,
  saveCheckpoint,
  wantsCheckpoint,
} from "@quasar/hookfile/checkpoints";
import type { RepositoryFacts } from "@quasar/git";
import { failedAttempts } from "../failed-attempts.ts";
import { assignRun, endRun } from "../runs/step-runs.ts";
import type { StepOutcome, StepReport } from "../steps/step.ts";
import type { StepResult, StepStatus } from "../task-record.ts";
import { promptOf, recordPrompt } from "./prompts.ts";
import { isAt, type Session } from "./session.ts";

/** The drive stands still; the task continues with the next one. */
export type Stop = Extract<StepOutcome, { readonly kind: "stopped" }>;
type Ended = Exclude<StepOutcome, Stop>;

export interface Attempt {
  readonly step: StepRecord;
  readonly startedAt: Date;
  readonly outcome: StepOutcome;
  /** Of the work tree, at its end. @default looked at where it is to be known */
  readonly seen?: RepositoryFacts | undefined;
}

/**
 * Records what came of an attempt: first all that it said, then, in one write of the hook file, that the
 * task continues, waits for a person or tries again. Where somebody else has moved the task on meanwhile,
 * nothing is recorded.
 */
export async function endAttempt(session: Session, attempt: Attempt): Promise<Stop | undefined> {
  const { step } = attempt;
  const hook = session.refresh();
  if (!isAt(step.name)(hook)) return undefined;
  const { outcome } = attempt;
  if (outcome.kind === "stopped") {
    const { kind: _kind, ...stop } = outcome;
    session.tell({ type: "stopped", step: step.name, ...stop });
    return outcome;
  }
  const ended = redacted(outcome, session.ports.redact);
  const ending = endingOf(ended, hook);
  const result = putResult(session, attempt, ended, hook);
  await WRITES[ending.how](session, attempt, ended, ending.input);
  tellEnd(session, step, ended, ending.how, result);
  return undefined;
}

interface Ending {
  readonly how: "done" | "again" | "person";
  readonly input: HookInput;
}

/** What an outcome does to a task that is in the middle of a step. */
export function endingOf(outcome: Ended, hook: HookFile): Ending {
  const isValidating = hook.state === "step_validating";
  const { receipts = [] } = outcome;
  if (outcome.kind === "completed") {
    const input: HookInput = isValidating
      ? { type: "validate_pass", receipts }
      : { type: "step_complete" };
    return { how: "done", input };
  }
  const { reason, awaiting: kind } = outcome;
  const { stepName = "", maxAttempts = 1 } = hook.currentStep ?? {};
  const isLast = failedAttempts(hook, stepName) + 1 >= maxAttempts;
  if (outcome.kind === "failed" && outcome.retryable && !isLast) {
    return { how: "again", input: { type: "attempt_failed", reason, receipts } };
  }
  const input: HookInput = isValidating
    ? { type: "validate_fail", reason, receipts }
    : { type: "human_required", kind, reason };
  return { how: "person", input };
}

type Write = (
  session: Session,
  attempt: Attempt,
  ended: Ended,
  input: HookInput,
) => void | Promise<void>;

const WRITES: Readonly<Record<Ending["how"], Write>> = {
  async done(session, { step, seen }, { checkpoint }, input) {
    const { store, ports, parts, hook, task } = session;
    const ended = { trigger: "step_complete", description: `Step ${step.name} is done` } as const;
    const { worktreePath } = hook();
    const git = await (seen === undefined
      ? parts.workTreeReader.facts(worktreePath, {})
      : readGitFacts(worktreePath, { seen }));
    const own = checkpoint === undefined || isNoticed(hook(), checkpoint, git) ? [] : [checkpoint];
    const [mark, ...also] = [...own, ended].filter(({ trigger }) =>
      wantsCheckpoint(task().config.checkpoints, trigger),
    );
    const when = isAt(step.name);
    if (mark === undefined) {
      session.fire([input], when);
      return;
    }
    saveCheckpoint(store, { ...mark, also, git, now: ports.now(), then: [input], when });
  },

  /** The next attempt begins at once, with a prompt of its own. */
  again(session, { step }, ended, input) {
    const now = session.ports.now();
    const change = (hook: HookFile) => {
      const changed = transition(hook, [input], { now });
      return { ...changed, hook: runAfter(changed.hook, step.name, ended) };
    };
    const preview = change(session.hook()).hook;
    const { attempt = 1 } = preview.currentStep ?? {};
    const record = preview.steps.find(({ name }) => name === step.name) ?? step;
    const prompt = promptOf(session, record, preview);
    const recorded = recordPrompt(session, { step: step.name, attempt, prompt });
    session.store.update((hook) => {
      if (!isAt(step.name)(hook)) return undefined;
      const changed = change(hook);
      const { currentStep } = changed.hook;
      if (currentStep === undefined) return changed;
      return {
        ...changed,
        hook: { ...changed.hook, currentStep: { ...currentStep, prompt: recorded } },
      };
    });
  },

  person(session, { step }, ended, input) {
    session.store.update((hook) => {
      if (!isAt(step.name)(hook)) return undefined;
      const next = endsRun(ended) ? endRun(hook, step.name) : hook;
      return transition(next, [input], { now: session.ports.now() });
    });
  },
};

/** Whether the look at the work tree has made the checkpoint of this commit or push already. */
function isNoticed(
  { checkpoints }: HookFile,
  { trigger }: NonNullable<StepReport["checkpoint"]>,
  { commit }: GitFacts,
): boolean {
  if (trigger !== "git_commit" && trigger !== "git_push") return false;
  return checkpoints.some((other) => other.trigger === trigger && other.gitCommit === commit);
}

function runAfter(hook: HookFile, step: string, ended: Ended): HookFile {
  return endsRun(ended) ? assignRun(endRun(hook, step), step) : hook;
}

function endsRun(ended: Ended): boolean {
  return ended.kind === "failed" && ended.endsRun === true;
}

/** Of what is said in the hook file and in task.json, in characters. */
const LONGEST = 4_000;

const STATUSES: Readonly<Record<Ended["kind"], StepStatus>> = {
  completed: "success",
  failed: "failed",
  awaiting: "awaiting_approval",
};

/** Before the hook file says that the step is over: then what came of it is never missing. */
function putResult(
  session: Session,
  { step, startedAt }: Attempt,
  ended: Ended,
  hook: HookFile,
): StepResult {
  const { taskDir, parts, ports } = session;
  const { output = "", sessionId, numTurns, costUsd, metadata = {} } = ended;
  const { attempt = 1, stepIndex = 0, filesTouched = [] } = hook.currentStep ?? {};
  const path = `steps/${step.name}-${attempt}.md`;
  const completedAt = ports.now();
  const result: StepResult = {
    stepIndex,
    stepName: step.name,
    attempt,
    status: STATUSES[ended.kind],
    startedAt: startedAt.toISOString(),
    completedAt: completedAt.toISOString(),
    durationMs: Math.max(0, completedAt.getTime() - startedAt.getTime()),
    output: beginning(output),
    filesChanged: filesTouched,
    ...(output !== "" && { artifactPath: parts.files.saveArtifact(taskDir, path, output) }),
    ...(sessionId !== undefined && { sessionId }),
    ...(numTurns !== undefined && { numTurns }),
    ...(costUsd !== undefined && { costUsd }),
    metadata: { ...metadata, summary: said(ended) },
  };
  session.record(result);
  return result;
}

function said(ended: Ended): string {
  return ended.kind === "completed" ? ended.summary : ended.reason;
}

function redacted(outcome: Ended, redact: (text: string) => string): Ended {
  const output = outcome.output === undefined ? {} : { output: redact(outcome.output) };
  const short = (text: string): string => beginning(redact(text));
  return outcome.kind === "completed"
    ? { ...outcome, ...output, summary: short(outcome.summary) }
    : { ...outcome, ...output, reason: short(outcome.reason) };
}

function beginning(text: string): string {
  const characters = Array.from(text.slice(0, 2 * LONGEST));
  return characters.slice(0, LONGEST).join("");
}

function tellEnd(
  session: Session,
  { name: step }: StepRecord,
  ended: Ended,
  how: Ending["how"],
  { stepIndex: index, attempt, durationMs }: StepResult,
): void {
  if (ended.kind === "completed") {
    session.tell({ type: "step_done", step, index, durationMs, summary: ended.summary });
  } else if (ended.kind === "failed") {
    const { reason } = ended;
    session.tell({ type: "step_failed", step, index, reason, attempt, goesOn: how === "again" });
  }
}
