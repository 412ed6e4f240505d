import type { DirtyPath } from "@quasar/git";
import type { Paragraph, RootContent } from "mdast";
import type { HookFile, StepCheckpoint } from "./hook-file.ts";
import {
  command,
  field,
  heading,
  LINE_LENGTH,
  lines,
  list,
  paragraph,
  type Phrases,
  quote,
  quoted,
  type Section,
  time,
} from "./hook-md-nodes.ts";
import { stepPositionOf } from "./step-position.ts";

const MOST_FILES = 50;

export function currentState(hook: HookFile): Section {
  return [
    heading(2, "Current State: ", quoted(hook.state)),
    lines([
      taskField(hook),
      field("Title", quoted(hook.title, LINE_LENGTH.text)),
      field("Template", quoted(hook.template)),
      field("Branch", quoted(hook.branch)),
      field("Work Tree", quoted(hook.worktreePath, LINE_LENGTH.path)),
      field("Started", time(hook.createdAt)),
      field("Last Updated", time(hook.updatedAt)),
    ]),
  ];
}

/** Of all lines the one that says whose HOOK.md it is. */
export function taskField(hook: HookFile): Phrases {
  return field("Task", quoted(hook.taskId));
}

export function whatYouWereDoing(hook: HookFile, gitStatus?: readonly DirtyPath[]): Section {
  const files = hook.currentStep?.filesTouched ?? [];
  const checkpoint = lastCheckpoint(hook);
  return [
    heading(2, "What You Were Doing"),
    stepAndAttempt(hook),
    ...(files.length === 0 ? [] : filesYouModified(files, gitStatus)),
    ...(checkpoint === undefined ? [] : [heading(3, "Last Checkpoint"), described(checkpoint)]),
  ];
}

function stepAndAttempt(hook: HookFile): Paragraph {
  const { currentStep, steps } = hook;
  if (currentStep !== undefined) {
    const { stepName, stepIndex, attempt, maxAttempts, workingOn } = currentStep;
    return lines([
      field("Step", quoted(stepName), ` (step ${stepIndex + 1} of ${steps.length})`),
      field("Attempt", `${attempt} of ${maxAttempts}`),
      field(
        "Working On",
        workingOn === undefined ? "not recorded" : quoted(workingOn, LINE_LENGTH.text),
      ),
    ]);
  }
  const next = stepPositionOf(hook);
  return next === undefined
    ? paragraph("No step is running, and none is left.")
    : paragraph(
        `No step is running. The next is step ${next.number} of ${next.total} (`,
        quoted(next.name),
        ").",
      );
}

function filesYouModified(files: readonly string[], gitStatus?: readonly DirtyPath[]): Section {
  const items = files
    .slice(0, MOST_FILES)
    .map((path): Phrases => [quoted(path, LINE_LENGTH.path), ` (${changeOf(path, gitStatus)})`]);
  const rest = files.length - items.length;
  return [
    heading(3, "Files You Modified"),
    list(
      rest > 0 ? [...items, [`and ${rest} more: `, command("git status"), " lists them"]] : items,
    ),
  ];
}

function changeOf(path: string, gitStatus?: readonly DirtyPath[]): string {
  if (gitStatus === undefined) return "modified";
  const dirty = gitStatus.find((entry) => entry.path === path);
  if (dirty === undefined) return "modified, committed";
  if (dirty.status.includes("D")) return "deleted, uncommitted";
  return /[?A]/.test(dirty.status) ? "new, uncommitted" : "modified, uncommitted";
}

function lastCheckpoint(hook: HookFile): StepCheckpoint | undefined {
  const id = hook.recovery?.lastCheckpointId ?? hook.currentStep?.currentCheckpointId;
  return hook.checkpoints.findLast((one) => one.checkpointId === id) ?? hook.checkpoints.at(-1);
}

function described(checkpoint: StepCheckpoint): RootContent {
  return quote(
    lines([
      ["ID: ", quoted(checkpoint.checkpointId)],
      ["Time: ", time(checkpoint.createdAt)],
      ["Trigger: ", quoted(checkpoint.trigger)],
      ["Status: ", quoted(checkpoint.description, LINE_LENGTH.text)],
    ]),
  );
}
