import type { HookFile } from "@quasar/hookfile";
import type { TaskRecord, TaskView } from "@quasar/tasks";
import type { listWorkspaces } from "@quasar/tasks/workspaces";

// What is stored of a task as `--json` has it: what has another meaning elsewhere has another name.

export function hookFacts({ stepBase, ...hook }: HookFile) {
  if (stepBase === undefined) return hook;
  const { head: headSha, ...base } = stepBase;
  return { ...hook, stepBase: { headSha, ...base } };
}

export function recordFacts(record: TaskRecord) {
  const { id: taskId, templateId: template, template: templateSteps, ...others } = record;
  const { config, currentStep: currentIndex, ...task } = others;
  const { agent: coder, model: coderModel, settings: otherSettings, ...known } = config;
  return {
    ...{ taskId, template, templateSteps, ...task, currentIndex },
    config: { coder, coderModel, ...known, otherSettings },
  };
}

type Listed = ReturnType<typeof listWorkspaces>[number];
type Workspace = Extract<Listed, { readonly kind: "readable" }>["workspace"];

export function workspaceFacts({ tasks: taskIds, ...workspace }: Workspace) {
  return { ...workspace, taskIds };
}

export function stopFacts({ at: time, ...stop }: NonNullable<TaskView["stop"]>) {
  return { ...stop, time };
}
