export { readArtifact, saveArtifact } from "./artifacts.ts";
export { TasksError, type TasksErrorCode } from "./errors.ts";
export { syncTask, withResult } from "./sync-task.ts";
export { decodeTask, encodeTask } from "./task-codec.ts";
export type { TaskEvent } from "./task-event.ts";
export {
  type LoggedEvent,
  openTaskLog,
  readTaskLog,
  type Stopped,
  type TaskLog,
  type TaskLogOptions,
} from "./task-log.ts";
export {
  STEP_STATUSES,
  type StepResult,
  type StepStatus,
  TASK_STATUSES,
  type TaskConfig,
  type TaskMetadata,
  type TaskRecord,
  type TaskStatus,
  type TaskStep,
  type TaskTransition,
  type ValidationCommand,
  type ValidationConfig,
} from "./task-record.ts";
export { readTask } from "./task-store.ts";
export { BUILT_IN_TEMPLATES } from "./templates/built-in.ts";
export { fillTemplate, type TemplateInput } from "./templates/fill-template.ts";
export { parseTemplate } from "./templates/parse-template.ts";
export { listTemplates, resolveTemplate } from "./templates/resolve-template.ts";
export type { GitAction, Template, TemplateStep, TemplateVariable } from "./templates/template.ts";
export {
  closeWorkspace,
  destroyWorkspace,
  type DestroyWorkspaceOptions,
  type EndedWorkspace,
} from "./workspaces/end-workspace.ts";
export type { EndWorkspaceOptions } from "./workspaces/ending.ts";
export {
  type ListedWorkspace,
  listWorkspaces,
  type WorkspaceTask,
} from "./workspaces/list-workspaces.ts";
export {
  type PreparedTask,
  prepareTask,
  type PrepareTaskOptions,
} from "./workspaces/prepare-task.ts";
export { setUpTask, type SetUpTaskOptions } from "./workspaces/set-up-task.ts";
export {
  type Workspace,
  WORKSPACE_STATUSES,
  type WorkspaceMetadata,
  type WorkspaceStatus,
} from "./workspaces/workspace.ts";
export type { AgentWork, AgentWorkDone, AgentWorkResult } from "./runs/agent-work.ts";
export { assignRun, endRun, runName } from "./runs/step-runs.ts";
export { endTaskAgents, findTaskAgents, type TaskAgents } from "./runs/task-agents.ts";
export { type RunCost, taskCost, type TaskCost } from "./runs/task-cost.ts";
export { type TaskRun, taskRuns, type TaskRuns, watchTaskTurn } from "./runs/task-runs.ts";
export { workOnStep } from "./runs/work-on-step.ts";
export { aiStep } from "./steps/ai.ts";
export { loopStep } from "./steps/loop.ts";
export { stepPrompt } from "./steps/step-prompt.ts";
export {
  findTask,
  type FindTaskOptions,
  type FoundTask,
  isActive,
  listTasks,
} from "./find-task.ts";
export { openTask, type TaskView } from "./open-task.ts";
export { openHookStore, type OperationPorts } from "./operations/change-task.ts";
export { checkpointTask, type CheckpointTaskOptions } from "./operations/checkpoint-task.ts";
export { type Choice, choicesOf, stepsBeforeNextGate } from "./operations/choices.ts";
export { configureTask } from "./operations/configure-task.ts";
export {
  abandonTask,
  rejectTask,
  rejectTaskForGood,
  retryTask,
  skipTask,
} from "./operations/people.ts";
export { type Answer, approveTask, type Review, reviewOf } from "./operations/review.ts";
export {
  type Verification,
  type VerifiedCommit,
  verifyReceipts,
  type VerifyReceiptsOptions,
} from "./operations/verify.ts";
export { REVIEW_GAPS, type ReviewGap } from "./operations/review-gaps.ts";
export { drainInbox } from "./operations/drain-inbox.ts";
export { settleTask } from "./operations/settle-task.ts";
export { completeStep } from "./operations/step-done.ts";
export { failureReason } from "./validation/failure-reason.ts";
export { validateTask, type ValidateTaskOptions } from "./operations/validate-task.ts";
export { repairTask } from "./task-repair.ts";
export type { WorkOnStep } from "./steps/agent-work.ts";
export { createValidationStep, type ValidationStepOptions } from "./steps/validation.ts";
export { createVerifyStep, type VerifyStepOptions } from "./steps/verify.ts";
export {
  DEFAULT_MAX_FIXES,
  DEFAULT_VALIDATION_TIMEOUT,
  discoverCommands,
  type DiscoverOptions,
} from "./validation/discover.ts";
export { endValidation, isValidating, validationRunId } from "./validation/hold.ts";
export {
  type CommandOutcome,
  commandOutcomes,
  interruptedValidation,
  type OutcomesOptions,
} from "./validation/outcomes.ts";
export {
  judgeReceipts,
  problemsOf,
  type JudgedReceipts,
  type JudgeReceiptsOptions,
  type ReceiptChain,
} from "./validation/receipt-chain.ts";
export { receiptsFolder } from "./validation/folder.ts";
export { recordedReceipts, type RecordedReceipts } from "./validation/recorded.ts";
export type { CommandResult, Round } from "./validation/round-result.ts";
export {
  type ValidatedNow,
  validateNow,
  type ValidateNowOptions,
} from "./validation/validate-now.ts";
export { type CiStepOptions, createCiStep } from "./steps/ci.ts";
export { gitStep } from "./steps/git.ts";
export { publishingNotes } from "./steps/publishing-notes.ts";
export type { DriveOptions, DriveResult, DriveTask } from "./engine/drive.ts";
export type { StopReason } from "./engine/stop-reason.ts";
export { driveTask } from "./engine/drive-task.ts";
export { superseded } from "./engine/drive.ts";
export type { LookPorts, TaskPorts } from "./steps/step.ts";
