import type { Paragraph, RootContent } from "mdast";
import type { FileChange, HookFile, StepCheckpoint, StepContext } from "../store/hook-file.ts";
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
} from "./nodes.ts";
import { stepPositionOf } from "../transitions/step-position.ts";

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

export function whatYouWereDoing(hook: HookFile): Section {
  const checkpoint = lastCheckpoint(hook);
  return [
    heading(2, "What You Were Doing"),
    stepAndAttempt(hook),
    ...filesYouModified(hook.currentStep),
    ...(checkpoint === undefined ? [] : [heading(3, "Last Checkpoint"), described(checkpoint)]),
  ];
}

function stepAndAttempt(hook: HookFile): Paragraph {
  const { currentStep, steps } = hook;
  if (currentStep !== undefined) {
    const { stepName, stepIndex, attempt, maxAttempts, workingOn } = currentStep;
    return lines([
      field("Step", quoted(stepName), ` (step ${stepIndex + 1} of ${steps.length})`),
      field("Attempt", attempt > maxAttempts ? `${attempt}` : `${attempt} of ${maxAttempts}`),
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

function filesYouModified({
  filesTouched = [],
  fileChanges = [],
}: Partial<Pick<StepContext, "filesTouched" | "fileChanges">> = {}): Section {
  if (filesTouched.length === 0) return [];
  const changes = new Map(fileChanges.map((one) => [one.path, one]));
  const items = filesTouched
    .slice(0, MOST_FILES)
    .map(
      (path): Phrases => [quoted(path, LINE_LENGTH.path), ` (${changeText(changes.get(path))})`],
    );
  const rest = filesTouched.length - items.length;
  return [
    heading(3, "Files You Modified"),
    list(
      rest > 0 ? [...items, [`and ${rest} more: `, command("git status"), " lists them"]] : items,
    ),
  ];
}

function changeText(change: FileChange | undefined): string {
  if (change === undefined) return "touched";
  return `${change.change}, ${change.committed ? "committed" : "uncommitted"}`;
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
