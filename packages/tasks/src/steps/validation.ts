import { GitError } from "@quasar/git";
import { treeToCommit } from "@quasar/git/work-trees";
import { ReceiptError, type ValidationReceipt } from "@quasar/receipts";
import { TasksError } from "../errors.ts";
import { failedAttempts } from "../failed-attempts.ts";
import { ignoredBeside } from "../ignored-work.ts";
import { runName } from "../runs/step-runs.ts";
import { failureHead, failureReason, isNotRun } from "../validation/failure-reason.ts";
import { holdValidation, validationRunId } from "../validation/hold.ts";
import {
  forgetFixing,
  keepFixing,
  type Fixing,
  fixingPrompt,
  readFixing,
} from "../validation/fixing.ts";
import { openKeys } from "../validation/open-keys.ts";
import { configDigest, findProofs } from "../validation/proof.ts";
import { validateRound } from "../validation/round.ts";
import type { CommandResult, Round } from "../validation/round-result.ts";
import type { WorkOnStep } from "./agent-work.ts";
import type { RunningStep, Skip, StepExecutor, StepInput, StepOutcome } from "./step.ts";

export interface ValidationStepOptions {
  readonly workOnStep: WorkOnStep;
}

/**
 * The executor of `validation` steps: runs the task's commands, signs what came of each, and has an
 * agent fix what fails as often as the task's configuration says.
 *
 * @see SPEC.md, "Validation"
 */
export function createValidationStep({ workOnStep }: ValidationStepOptions): StepExecutor {
  return { look, run: (input) => runValidation(input, workOnStep) };
}

/** Whether valid receipts prove every command for the very tree that is there. */
async function look(input: StepInput): Promise<Skip | undefined> {
  const { validation } = input.task.config;
  const { taskDir, task, worktree, ports, signal } = input;
  if (validation.commands.length === 0) return undefined;
  const tree = await treeOf(worktree, signal);
  if (tree === undefined) return undefined;
  const findProof = findProofs({ taskDir, task, keys: ports.keys });
  const proofs = validation.commands.map((_, index) =>
    findProof({ tree, configSha256: configDigest(validation, index) }),
  );
  const ids = proofs.flatMap((proof) => proof?.receiptId ?? []);
  if (ids.length < proofs.length) return undefined;
  return { reason: VALIDATED_ALREADY, evidence: `${ids.join(", ")} on tree ${tree}` };
}

/** Why a validation is skipped that receipts prove: no person has left that one out. */
export const VALIDATED_ALREADY = "validated already";

async function treeOf(worktree: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await treeToCommit(worktree, { signal });
  } catch (error) {
    if (error instanceof GitError) return undefined; // that is for the run to tell
    throw error;
  }
}

const NO_COMMANDS =
  "no validation command is configured, and package.json has none of the scripts format-check, lint, " +
  "typecheck and test: configure one and retry, or skip this step with a reason";

function runValidation(input: RunningStep, workOnStep: WorkOnStep): Promise<StepOutcome> {
  return signing(input, () => untilPassed(input, workOnStep));
}

/**
 * Validates within another step what is there now: every command, nothing is fixed. The receipts are
 * put into the hook file.
 *
 * @returns The outcome of the step where it did not pass.
 */
export function validateWithin(input: RunningStep): Promise<StepOutcome | undefined> {
  return signing(input, async () => {
    const { round, signed } = await oneRound(input, input.attempt);
    input.recordReceipts(signed);
    if (round.kind === "interrupted") return INTERRUPTED;
    if (round.kind === "broken") return broken(round);
    if (round.kind === "passed") return undefined;
    if (round.kind === "unsettled") return failure(round.message);
    return failure(reasonOf(input, round.failed));
  });
}

/** With the keys open, and what goes wrong with them or with the lock as the outcome. */
async function signing<T>(
  input: RunningStep,
  validate: () => Promise<T>,
): Promise<T | StepOutcome> {
  if (input.task.config.validation.commands.length === 0) return awaiting(NO_COMMANDS);
  try {
    openKeys(input.ports.keys, input.tell);
    return await validate();
  } catch (error) {
    if (input.signal.aborted && error === input.signal.reason) return INTERRUPTED;
    if (error instanceof ReceiptError) return unsigned(error);
    if (error instanceof TasksError && PERSONS.has(error.code)) return awaiting(error.message);
    throw error;
  }
}

/** What another try does not help against. */
const PERSONS: ReadonlySet<TasksError["code"]> = new Set(["ERR_LOCKED", "ERR_CHANGED"]);

async function untilPassed(input: RunningStep, workOnStep: WorkOnStep): Promise<StepOutcome> {
  const { step, taskDir, task } = input;
  const { maxFixes } = task.config.validation;
  const cutOff = readFixing(taskDir, runName(input.hook, step.name));
  const before = cutOff && (await fix(input, workOnStep, cutOff));
  if (before !== undefined) return before;
  const used = failedAttempts(input.hook, step.name);
  let isVain = false;
  for (let fixes = 0; ; fixes += 1) {
    const attempt = input.attempt + fixes;
    const { round, signed } = await oneRound(input, attempt);
    if (round.kind === "interrupted") return INTERRUPTED;
    if (round.kind === "broken") return broken(round);
    if (round.kind === "passed") {
      return passed(round, signed, await ignoredBeside(input.worktree, task, input.signal));
    }
    if (round.kind === "unsettled") {
      return { ...reportOf(round.results, signed), ...failure(round.message) };
    }
    const { failed } = round;
    const head = failureHead(failed);
    if (used + fixes >= maxFixes || isVain || isNotRun(failed)) {
      const reason = reasonOf(input, failed);
      return { ...reportOf(round.results, signed), ...failure(reason), summary: head };
    }
    await input.attemptFailed(head, signed);
    const fixing = { suffix: `fix-${attempt}`, prompt: fixingPrompt(input, failed) };
    keepFixing(taskDir, runName(input.hook, step.name), fixing);
    const tree = await treeOf(input.worktree, input.signal);
    const stopped = await fix(input, workOnStep, fixing, head);
    if (stopped !== undefined) return stopped;
    // It is run once more, for it may pass all the same; but a turn that changed nothing is not paid for again.
    isVain = tree !== undefined && tree === (await treeOf(input.worktree, input.signal));
  }
}

async function oneRound(
  input: RunningStep,
  attempt: number,
): Promise<{ readonly round: Round; readonly signed: readonly ValidationReceipt[] }> {
  const { taskDir, task, step, definition, worktree, ports, signal, tell, note } = input;
  const { id: taskId } = task;
  const signed: ValidationReceipt[] = [];
  const lock = await holdValidation({ taskDir, taskId, waits: true, signal });
  try {
    const round = await validateRound({
      ...{ taskDir, task, attempt, worktree, ports, tell, note, signal },
      timeoutMs: definition.timeoutMs,
      stepName: step.name,
      runId: validationRunId(taskId),
      findProof: findProofs({ taskDir, task, keys: ports.keys }),
      onSigned: (receipt) => signed.push(receipt),
    });
    return { round, signed };
  } finally {
    lock.release();
  }
}

/** Has an agent fix it; the outcome where it could not, or not to its end. */
async function fix(
  input: RunningStep,
  workOnStep: WorkOnStep,
  { suffix, prompt }: Fixing,
  found = "the validation failed",
): Promise<StepOutcome | undefined> {
  const { taskDir, step } = input;
  input.note({ workingOn: "Fixing what the validation found" });
  const work = await workOnStep(input, { kind: "turn", access: "write", suffix, prompt });
  if (work.kind === "stopped") return work;
  forgetFixing(taskDir, runName(input.hook, step.name));
  if (work.kind === "done") return undefined;
  return failure(`${found}; an agent could not fix it: ${work.reason}`);
}

const INTERRUPTED: StepOutcome = {
  kind: "stopped",
  why: "interrupted",
  message: "the validation was interrupted: it has neither passed nor failed",
};

function awaiting(reason: string): StepOutcome {
  return { kind: "awaiting", awaiting: "validation", reason };
}

function failure(reason: string): Extract<StepOutcome, { readonly kind: "failed" }> {
  return { kind: "failed", awaiting: "validation", reason, retryable: false };
}

/** What the disk refuses may be better next time; keys take a person. */
function unsigned({ code, message }: ReceiptError): StepOutcome {
  if (code === "ERR_NOT_SIGNED") return { kind: "stopped", why: "storage", message };
  return awaiting(message);
}

function broken({ message, storage }: Extract<Round, { readonly kind: "broken" }>): StepOutcome {
  if (storage) return { kind: "stopped", why: "storage", message };
  return failure(`a validation command could not be run: ${message}`);
}

function reasonOf({ taskDir, ports }: RunningStep, failed: CommandResult): string {
  return failureReason(failed, { taskDir, redact: ports.redact });
}

function passed(
  { results, changed }: Extract<Round, { readonly kind: "passed" }>,
  signed: readonly ValidationReceipt[],
  /** What the commands saw as if it was committed, in words. */
  ignored: string,
): StepOutcome {
  const names = results.map(({ command }) => command.name).join(", ");
  const description = `Validation passed: ${names}`;
  const unreviewed = `changed while it ran, not reviewed: ${changed.join("; ")}`;
  return {
    kind: "completed",
    summary: [description, changed.length === 0 ? "" : unreviewed, ignored]
      .filter((words) => words !== "")
      .join("; "),
    ...reportOf(results, signed),
    checkpoint: { trigger: "validation", description },
  };
}

function reportOf(
  results: readonly CommandResult[],
  receipts: readonly ValidationReceipt[],
): Pick<Extract<StepOutcome, { readonly kind: "completed" }>, "output" | "receipts" | "metadata"> {
  const lines = results.map(({ command, receipt, isReused }) => {
    const how = isReused ? "proved already" : `${receipt.duration}, exit code ${receipt.exitCode}`;
    return `${command.name}: ${command.command} (${how}, ${receipt.receiptId})`;
  });
  const metadata = { receipt_ids: results.map(({ receipt }) => receipt.receiptId) };
  return { output: lines.join("\n"), receipts, metadata };
}
