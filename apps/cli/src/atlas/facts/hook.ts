import type { HookFile, StepCheckpoint, StepRecord } from "@quasar/hookfile";
import type { Printed } from "../../shared/schemas/line.ts";
import type * as part from "../schemas/parts.ts";
import { receiptFacts } from "./receipt.ts";

// What hook.json holds as `--json` has it.

export function hookFacts(hook: HookFile): Printed<typeof part.hook> {
  const { version, taskId, workspaceId, createdAt, updatedAt, revision } = hook;
  const { title, description, template, branch, worktreePath: workTree, repoPath } = hook;
  const { keyIndex, state, awaiting, stepRuns, endedRuns, extra } = hook;
  return {
    ...{ version, taskId, workspaceId, createdAt, updatedAt, revision },
    ...{ title, description, template, branch, workTree, repoPath, keyIndex, state },
    currentStep: hook.currentStep && currentStepFacts(hook.currentStep),
    steps: hook.steps.map(stepFacts),
    awaiting,
    recovery: hook.recovery && recoveryFacts(hook.recovery),
    owner: hook.owner && ownerFacts(hook.owner),
    ...{ stepRuns, endedRuns },
    counts: countFacts(hook.counts),
    history: hook.history.map(eventFacts),
    receipts: hook.receipts.map(receiptFacts),
    checkpoints: hook.checkpoints.map(checkpointFacts),
    head: hook.head && headFacts(hook.head),
    extra,
    stepBase: hook.stepBase && stepBaseFacts(hook.stepBase),
  };
}

export function stepFacts(step: StepRecord): Printed<typeof part.stepRecord> {
  const { name, type, recovery: onCrash, ...others } = step;
  return { name, type, onCrash, ...others };
}

export function currentStepFacts(
  step: NonNullable<HookFile["currentStep"]>,
): Printed<typeof part.stepContext> {
  const { stepName, stepIndex: index, ...others } = step;
  return { step: stepName, index, ...others };
}

export function checkpointFacts(checkpoint: StepCheckpoint): Printed<typeof part.stepCheckpoint> {
  const { checkpointId, createdAt, stepName: step, stepIndex: index, ...others } = checkpoint;
  const { description, trigger, gitBranch: branch, gitCommit: headSha, gitDirty: isDirty } = others;
  const { artifacts, filesSnapshot } = others;
  return {
    ...{ checkpointId, createdAt, step, index, description, trigger, branch, headSha, isDirty },
    artifacts,
    filesSnapshot: filesSnapshot?.map(fileFacts),
  };
}

type FileSnapshot = NonNullable<StepCheckpoint["filesSnapshot"]>[number];

function fileFacts({ path, size: sizeBytes, modTime: modifiedAt, ...file }: FileSnapshot) {
  return { path, sizeBytes, modifiedAt, ...file };
}

export function recoveryFacts(
  recovery: NonNullable<HookFile["recovery"]>,
): Printed<typeof part.recovery> {
  const { validationCmd: validationCommand, ...others } = recovery;
  return { ...others, validationCommand };
}

export function ownerFacts(owner: NonNullable<HookFile["owner"]>): Printed<typeof part.owner> {
  const { pid, startTime: startTicks, ...others } = owner;
  return { pid, startTicks, ...others };
}

export function countFacts(counts: HookFile["counts"]): Printed<typeof part.counts> {
  const { events: eventCount, receipts: receiptCount, checkpoints: checkpointCount } = counts;
  return { eventCount, receiptCount, checkpointCount };
}

function eventFacts(event: HookFile["history"][number]): Printed<typeof part.hookEvent> {
  const { timestamp: time, fromState, toState, trigger, stepName: step, details: data } = event;
  return { time, fromState, toState, trigger, step, data };
}

function headFacts({ file: fileNumber, record, sha256 }: NonNullable<HookFile["head"]>) {
  return { fileNumber, record, sha256 };
}

function stepBaseFacts({ step, head, dirty: uncommitted }: NonNullable<HookFile["stepBase"]>) {
  return { headSha: head, step, uncommitted };
}
