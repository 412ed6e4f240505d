import * as v from "valibot";
import {
  absolutePath,
  amount,
  anything,
  count,
  flag,
  folderName,
  list,
  oneOf,
  sha,
  table,
  text,
  time,
} from "./schemas.ts";
import { stored } from "./stored-file.ts";
import { STEP_STATUSES, TASK_STATUSES, type TaskRecord } from "./task-record.ts";
import { GIT_ACTIONS, STEP_RECOVERIES, STEP_TYPES } from "./templates/step-kinds.ts";

const stepType = oneOf(STEP_TYPES);
const stepStatus = oneOf(STEP_STATUSES);
const taskStatus = oneOf(TASK_STATUSES);

const taskStep = table({
  name: text,
  type: stepType,
  status: stepStatus,
  startedAt: v.optional(time),
  completedAt: v.optional(time),
  attempts: count,
});

const stepResult = table({
  stepIndex: count,
  stepName: text,
  attempt: count,
  status: stepStatus,
  startedAt: time,
  completedAt: time,
  durationMs: count,
  output: text,
  filesChanged: list(text),
  artifactPath: v.optional(text),
  sessionId: v.optional(text),
  numTurns: v.optional(count),
  costUsd: v.optional(amount),
  metadata: anything,
});

const transition = table({
  fromStatus: taskStatus,
  toStatus: taskStatus,
  timestamp: time,
  reason: text,
});

const config = table({
  agent: text,
  model: text,
  reviewer: text,
  reviewerModel: text,
  maxBudgetUsd: amount,
  maxCycles: count,
  validation: table({
    commands: list(table({ name: text, command: text })),
    source: oneOf(["config", "package.json", "none"]),
    timeoutMs: count,
    maxFixes: count,
  }),
  checkpoints: table({
    onCommit: flag,
    onPush: flag,
    onPr: flag,
    onValidation: flag,
    onStepComplete: flag,
    interval: count,
  }),
  notify: text,
  gitHooks: oneOf(["auto", "print", "off"]),
  settings: anything,
});

const definition = table({
  name: text,
  type: stepType,
  description: text,
  action: v.optional(oneOf(GIT_ACTIONS)),
  prompt: v.optional(v.pipe(v.string("a text"), v.maxBytes(2 ** 20, "a text of at most 1 MiB"))),
  access: v.optional(oneOf(["read", "write"])),
  maxAttempts: count,
  timeoutMs: v.optional(count),
  recovery: oneOf(STEP_RECOVERIES),
  onReject: v.optional(text),
});

const metadata = table({
  branch: text,
  worktreeDir: absolutePath,
  isHere: flag,
  repoPath: absolutePath,
  baseSha: sha,
  baseBranch: text,
  fromTask: v.optional(folderName),
  context: v.optional(text),
});

/** How a record is kept in task.json. */
export const taskCodec = stored<TaskRecord>({
  schema: v.object({
    id: folderName,
    workspaceId: folderName,
    templateId: text,
    description: text,
    status: taskStatus,
    currentStep: count,
    steps: list(taskStep),
    stepResults: list(stepResult),
    transitions: list(transition),
    createdAt: time,
    updatedAt: time,
    config,
    template: list(definition),
    metadata,
  }),
  keys: [
    "id",
    "workspaceId",
    "templateId",
    "description",
    "status",
    "currentStep",
    "steps",
    "stepResults",
    "transitions",
    "createdAt",
    "updatedAt",
    "config",
    "template",
    "metadata",
  ],
  version: "1.0",
  isOpaque: (path) =>
    path.join(".") === "config.settings" || path.join(".") === "stepResults.[].metadata",
});

/** task.json. @throws {TasksError} `ERR_DAMAGED`, naming the key that cannot be written. */
export function encodeTask(record: TaskRecord): Uint8Array {
  return taskCodec.encode(record);
}

/** @throws {TasksError} `ERR_DAMAGED`, naming the key. */
export function decodeTask(bytes: Uint8Array): TaskRecord {
  return taskCodec.decode(bytes);
}
