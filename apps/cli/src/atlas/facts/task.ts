import type { TaskRecord } from "@quasar/tasks";
import type { Template } from "@quasar/tasks/templates";
import type { listWorkspaces } from "@quasar/tasks/workspaces";
import type { Printed } from "../../shared/schemas/line.ts";
import type * as part from "../schemas/parts.ts";
import type { workspace as workspacePart } from "../schemas/workspaces.ts";

// What is stored of a task beside its hook file, as `--json` has it.

/** task.json */
export function recordFacts(record: TaskRecord): Printed<typeof part.task> {
  const { id: taskId, templateId, template, workspaceId, description, status } = record;
  const { createdAt, updatedAt, extra } = record;
  return {
    ...{ taskId, template: templateId, templateSteps: template.map(templateStepFacts) },
    ...{ workspaceId, description, status },
    steps: record.steps,
    stepResults: record.stepResults.map(stepResultFacts),
    transitions: record.transitions.map(transitionFacts),
    ...{ createdAt, updatedAt },
    metadata: metadataFacts(record.metadata),
    extra,
    currentIndex: record.currentStep,
    config: configFacts(record.config),
  };
}

export function stepResultFacts(
  result: TaskRecord["stepResults"][number],
): Printed<typeof part.stepResult> {
  const { stepIndex: index, stepName: step, metadata: data, ...others } = result;
  return { index, step, ...others, data };
}

function transitionFacts(transition: TaskRecord["transitions"][number]) {
  const { fromStatus, toStatus, timestamp: time, reason } = transition;
  return { fromStatus, toStatus, time, reason };
}

function metadataFacts({ branch, worktreeDir: workTree, ...others }: TaskRecord["metadata"]) {
  return { branch, workTree, ...others };
}

function configFacts(config: TaskRecord["config"]): Printed<typeof part.task>["config"] {
  const {
    agent: coder,
    model: coderModel,
    settings: otherSettings,
    checkpoints,
    ...others
  } = config;
  const { interval: intervalMs, ...events } = checkpoints;
  return {
    coder,
    coderModel,
    ...others,
    autoCheckpoints: { ...events, intervalMs },
    otherSettings,
  };
}

export function templateFacts(template: Template): Printed<typeof part.template> {
  const { here: isHere, steps, ...others } = template;
  return { ...others, steps: steps.map(templateStepFacts), isHere };
}

function templateStepFacts(step: Template["steps"][number]): Printed<typeof part.templateStep> {
  const { recovery: onCrash, ...others } = step;
  return { ...others, onCrash };
}

type Listed = ReturnType<typeof listWorkspaces>[number];
type Workspace = Extract<Listed, { readonly kind: "readable" }>["workspace"];

/** workspace.json */
export function workspaceFacts(workspace: Workspace): Printed<typeof workspacePart> {
  const { name, path, worktreePath: workTree, tasks: taskIds, ...others } = workspace;
  return { name, path, workTree, ...others, taskIds };
}
